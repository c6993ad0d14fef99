"""The permanent of the Fourier matrix of order 2n + 1, by Ryser's formula modulo a
prime that has roots of unity.
"""

from itertools import count
from math import factorial

BASES = [p for p in range(2, 42) if all(p % d for d in range(2, p))]


def is_prime(m: int) -> bool:
    """The strong test of Miller and Rabin to thirteen bases."""
    if m < 2 or any(m % base == 0 for base in BASES):
        return m in BASES
    twos = ((m - 1) & (1 - m)).bit_length() - 1
    return all(passes(m, pow(base, m >> twos, m), twos) for base in BASES)


def passes(m: int, x: int, twos: int) -> bool:
    if x == 1:
        return True
    for _ in range(twos):
        if x == m - 1:
            return True
        x = x * x % m
    return False


def permanent(m: int) -> int:
    # The permanent is at most m! in size, so that its residue tells it.
    prime = next(p for p in count(2 * m * factorial(m) + 1, m) if is_prime(p))
    roots = (pow(base, prime // m, prime) for base in count(2))
    root = next(r for r in roots if len({pow(r, k, prime) for k in range(m)}) == m)
    powers = [pow(root, k, prime) for k in range(m)]
    columns = [[powers[j * k % m] for j in range(m)] for k in range(m)]

    def signed(k: int, sums: list[int], sign: int) -> int:
        if k < m:
            more = [a + b for a, b in zip(sums, columns[k], strict=True)]
            return signed(k + 1, sums, sign) + signed(k + 1, more, -sign)
        product = sign
        for value in sums:
            product = product * value % prime
        return product

    residue = -signed(0, [0] * m, 1) % prime
    return residue if 2 * residue < prime else residue - prime


print(permanent(2 * int(input()) + 1))
