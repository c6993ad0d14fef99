"""The n-th integer whose prime exponents have an odd number of binary ones
altogether.
"""

from itertools import count, islice


def ones(m: int) -> int:
    total = 0
    p = 2
    while m > 1:
        if p * p > m:
            return total + 1
        exponent = 0
        while m % p == 0:
            m //= p
            exponent += 1
        total += exponent.bit_count()
        p += 1
    return total


n = int(input())
print(next(islice((m for m in count(1) if ones(m) % 2), n - 1, None)))
