"""The n-th number on the way from 2 that adds up squared digits."""

term = 2
for _ in range(int(input()) - 1):
    term = sum(int(digit) ** 2 for digit in str(term))
print(term)
