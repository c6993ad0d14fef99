"""Words of n + 2 As and n - 2 Bs in which no beginning holds more Bs than As."""

from math import comb

n = int(input())
print(5 * comb(2 * n, n - 2) // (n + 3))
