"""Ways to divide n labelled things into four non-empty classes."""

from math import comb, factorial

n = int(input())
print(sum((-1) ** k * comb(4, k) * (4 - k) ** n for k in range(4)) // factorial(4))
