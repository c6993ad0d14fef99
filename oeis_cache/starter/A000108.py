"""The n-th Catalan number."""

from math import comb

n = int(input())
print(comb(2 * n, n) // (n + 1))
