"""The number of primes up to the product of the first n primes, by Lucy's sieve over
the quotients of the limit.
"""

from math import isqrt, prod


def primes_up_to(limit: int) -> int:
    if limit < 2:
        return 0
    root = isqrt(limit)
    small = [v - 1 for v in range(root + 1)]
    large = [0] + [limit // k - 1 for k in range(1, root + 1)]
    for p in range(2, root + 1):
        if small[p] == small[p - 1]:
            continue
        before, square = small[p - 1], p * p
        for k in range(1, min(root, limit // square) + 1):
            rest = large[k * p] if k * p <= root else small[limit // (k * p)]
            large[k] -= rest - before
        for v in range(root, square - 1, -1):
            small[v] -= small[v // p] - before
    return large[1]


n = int(input())
primes = [p for p in range(2, n * n + 3) if all(p % d for d in range(2, p))]
print(primes_up_to(prod(primes[:n])))
