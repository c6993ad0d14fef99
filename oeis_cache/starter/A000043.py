"""The n-th exponent of a Mersenne prime, by the Lucas-Lehmer test."""

from itertools import count, islice


def is_exponent(p: int) -> bool:
    if p == 2 or any(p % d == 0 for d in range(2, p)):
        return p == 2
    mersenne = (1 << p) - 1
    s = 4
    for _ in range(p - 2):
        s = (s * s - 2) % mersenne
    return s == 0


print(next(islice(filter(is_exponent, count(2)), int(input()) - 1, None)))
