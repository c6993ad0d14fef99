"""The n-th k such that k! + 1 is prime."""

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


n = int(input())
k, factorial = 0, 1
while n := n - is_probable_prime(factorial + 1):
    k += 1
    factorial *= k
print(k)
