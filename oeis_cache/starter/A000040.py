"""The n-th prime."""

from itertools import count


def nth_prime(n: int) -> int:
    primes: list[int] = []
    candidates = count(2)
    while len(primes) < n:
        candidate = next(candidates)
        for p in primes:
            if p * p > candidate:
                primes.append(candidate)
                break
            if candidate % p == 0:
                break
        else:
            primes.append(candidate)
    return primes[-1]


print(nth_prime(int(input())))
