"""The n-th exponent k such that 3 * 2^k + 1 is prime, by Proth's theorem."""

from itertools import count, islice


def is_exponent(k: int) -> bool:
    m = 3 * 2**k + 1
    for base in count(2):
        root = pow(base, m // 2, m)
        if root != 1:
            return root == m - 1


print(next(islice(filter(is_exponent, count(1)), int(input()) - 1, None)))
