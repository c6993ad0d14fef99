"""Permutations of 1..n with four descents, by the closed formula for Eulerian
numbers.
"""

from math import comb

n = int(input())
print(sum((-1) ** k * comb(n + 1, k) * (5 - k) ** n for k in range(5)))
