"""The n-th term of 2, 3, 6, 12, ..., each the least new product of two different
earlier terms.
"""

from itertools import combinations

n = int(input())
terms = [2, 3]
while len(terms) < n:
    terms.append(min(a * b for a, b in combinations(terms, 2) if a * b > terms[-1]))
print(terms[n - 1])
