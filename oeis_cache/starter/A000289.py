"""The n-th term of 1, 4, 7, 31, ..., where m is followed by m^2 - 3m + 3."""

n = int(input())
term = 4 if n else 1
for _ in range(n - 1):
    term = term * term - 3 * term + 3
print(term)
