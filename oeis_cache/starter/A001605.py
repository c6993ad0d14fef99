"""The n-th index of a prime Fibonacci number."""

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


def nth_index(n: int) -> int:
    k, a, b = 0, 0, 1
    while n:
        k, a, b = k + 1, b, a + b
        # F(d) divides F(k) where d divides k: beyond k = 4 only prime indices can do.
        if (k == 4 or all(k % d for d in range(2, k))) and is_probable_prime(a):
            n -= 1
    return k


print(nth_index(int(input())))
