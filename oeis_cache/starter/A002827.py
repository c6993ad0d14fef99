"""The n-th unitary perfect number, by trying the even numbers: no odd one is unitary
perfect.
"""

from itertools import count, islice


def unitary_divisor_sum(m: int) -> int:
    total, p = 1, 2
    while p * p <= m:
        if m % p == 0:
            power = p
            m //= p
            while m % p == 0:
                power *= p
                m //= p
            total *= power + 1
        p += 1
    return total * (m + 1) if m > 1 else total


print(
    next(
        islice(
            (m for m in count(2, 2) if unitary_divisor_sum(m) == 2 * m),
            int(input()) - 1,
            None,
        )
    )
)
