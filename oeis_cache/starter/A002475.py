"""The n-th k such that x^k + x + 1 is irreducible over GF(2), by Rabin's test;
polynomials are the bits of integers.
"""

from itertools import count, islice


def degrees_apart(a: int, b: int) -> bool:
    """Whether two polynomials have no common factor."""
    while b:
        while a.bit_length() >= b.bit_length():
            a ^= b << (a.bit_length() - b.bit_length())
        a, b = b, a
    return a == 1


def is_irreducible(k: int) -> bool:
    if k < 2:
        return k == 0
    powers = [2]
    for _ in range(k):
        # Squaring puts a zero between the bits; then x^k is x + 1.
        square = int(f"{powers[-1]:b}", 4)
        while high := square >> k:
            square ^= high << k ^ high << 1 ^ high
        powers.append(square)
    primes = (
        p for p in range(2, k + 1) if k % p == 0 and all(p % d for d in range(2, p))
    )
    return powers[k] == 2 and all(
        degrees_apart(1 << k | 3, powers[k // p] ^ 2) for p in primes
    )


print(next(islice(filter(is_irreducible, count()), int(input()) - 1, None)))
