"""The n-th Mersenne prime, by the Lucas-Lehmer test."""


def is_prime_mersenne(p: int) -> bool:
    """Whether 2^p - 1 is prime, for an odd prime p."""
    mersenne = (1 << p) - 1
    s = 4
    for _ in range(p - 2):
        s = (s * s - 2) % mersenne
    return s == 0


def nth_mersenne_prime(n: int) -> int:
    p = 2
    while n > 1:
        p += 1
        if all(p % d for d in range(2, p)) and is_prime_mersenne(p):
            n -= 1
    return (1 << p) - 1


print(nth_mersenne_prime(int(input())))
