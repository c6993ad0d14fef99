"""The number of Collatz steps from n to 1."""

n = int(input())
steps = 0
while n != 1:
    n = 3 * n + 1 if n % 2 else n // 2
    steps += 1
print(steps)
