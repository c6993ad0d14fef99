"""The integer part of n times the golden ratio."""

from math import isqrt

n = int(input())
print((n + isqrt(5 * n * n)) // 2)
