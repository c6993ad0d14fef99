"""The n-th integer that is a sum of two positive squares."""

from itertools import count, islice
from math import isqrt


def is_sum(m: int) -> bool:
    return any(isqrt(m - x * x) ** 2 == m - x * x for x in range(1, isqrt(m // 2) + 1))


print(next(islice(filter(is_sum, count(2)), int(input()) - 1, None)))
