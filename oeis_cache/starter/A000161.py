"""The number of ways to write n as two squares, order ignored."""

from math import isqrt

n = int(input())
print(sum(isqrt(n - x * x) ** 2 == n - x * x for x in range(isqrt(n // 2) + 1)))
