"""The least integer of multiplicative persistence n."""

from itertools import combinations_with_replacement, count
from math import prod


def persistence(m: int) -> int:
    steps = 0
    while m > 9:
        m = prod(map(int, str(m)))
        steps += 1
    return steps


def least(n: int) -> int:
    if n < 2:
        return next(m for m in count() if persistence(m) == n)
    # Digits 0 and 1 lead nowhere, and the least order of the others is the ascending
    # one.
    for length in count(2):
        for digits in combinations_with_replacement(range(2, 10), length):
            if persistence(prod(digits)) == n - 1:
                return int("".join(map(str, digits)))


print(least(int(input())))
