"""Total partitions of n labelled things:

A'(x) (1 + x - 2 A(x)) = 1 for the exponential generating function A.
"""

from math import comb


def total_partitions(n: int) -> int:
    counts = [0, 1]
    for m in range(1, n):
        products = sum(
            comb(m, k) * counts[k] * counts[m + 1 - k] for k in range(1, m + 1)
        )
        counts.append(2 * products - m * counts[m])
    return counts[n]


print(total_partitions(int(input())))
