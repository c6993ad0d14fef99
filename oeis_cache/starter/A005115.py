"""The least last member of n primes in arithmetic progression; the bits of an integer
are the primes there are.
"""

from itertools import count
from math import prod


def primes_below(limit: int) -> int:
    sieve = bytearray(b"0011") + b"01" * (limit // 2)
    for p in range(3, limit, 2):
        if p * p > limit:
            break
        if sieve[p] == ord("1"):
            sieve[p * p :: 2 * p] = b"0" * len(sieve[p * p :: 2 * p])
    return int(sieve[limit - 1 :: -1], 2)


def least_last_member(n: int) -> int:
    # Every prime below n divides the difference: else it would divide a member that is
    # greater.
    step = prod(p for p in range(2, n) if all(p % d for d in range(2, p)))
    for bits in count(4):
        limit = 1 << bits
        primes = primes_below(limit)
        ends = 0
        for difference in range(step, limit // max(n - 1, 1), step):
            progressions = primes
            for k in range(1, n):
                progressions &= primes << k * difference
            ends |= progressions
        if ends := ends & primes:
            return (ends & -ends).bit_length() - 1


print(least_last_member(int(input())))
