"""The n-th permutable prime, from multisets of digits."""

from itertools import combinations_with_replacement, count

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


def arrangements(digits: str) -> set[str]:
    """All orders of the digits as long as they are primes, else an empty set."""
    found, waiting = set(), [digits]
    while waiting:
        order = waiting.pop()
        if order in found:
            continue
        if not is_probable_prime(int(order)):
            return set()
        found.add(order)
        # Turning round and exchanging the first two generate every order.
        waiting += [order[1:] + order[0], order[1::-1] + order[2:]]
    return found


def nth_permutable(n: int) -> str:
    found: list[str] = []
    for length in count(1):
        multisets = combinations_with_replacement(
            "1379" if length > 1 else "2357", length
        )
        found += sorted(
            order for digits in multisets for order in arrangements("".join(digits))
        )
        if len(found) >= n:
            return found[n - 1]


print(nth_permutable(int(input())))
