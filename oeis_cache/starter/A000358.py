"""Two-coloured necklaces of n beads without white neighbours:

Burnside's lemma over Lucas numbers.
"""

from math import gcd


def lucas(n: int) -> int:
    a, b = 2, 1
    for _ in range(n):
        a, b = b, a + b
    return a


n = int(input())
print(sum(lucas(gcd(n, turn)) for turn in range(n)) // n)
