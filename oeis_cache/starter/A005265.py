"""The n-th term of the sequence that begins with 3 and takes least factors of product -
1.
"""

BASES = [p for p in range(2, 42) if all(p % d for d in range(2, p))]


def is_probable_prime(m: int) -> bool:
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


def least_factor(m: int) -> int:
    if m > 1000 and is_probable_prime(m):
        return m
    return next((d for d in range(2, m) if m % d == 0), m)


product = term = 3
for _ in range(int(input()) - 1):
    term = least_factor(product - 1)
    product *= term
print(term)
