"""Sequences for the judges' programs, computed here from their definitions. It does not know any program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations, count, islice, permutations
from math import comb, factorial, gcd, isqrt, prod

from pytest_llmarith.values import IntegerSequence


def primes() -> Iterator[int]:
    return (n for n in count(2) if all(n % d for d in range(2, isqrt(n) + 1)))


def fibonacci() -> Iterator[int]:
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b


def catalan() -> Iterator[int]:
    return (comb(2 * n, n) // (n + 1) for n in count())


def bell() -> Iterator[int]:
    row = [1]
    while True:
        yield row[0]
        following = [row[-1]]
        for value in row:
            following.append(following[-1] + value)
        row = following


def partitions() -> Iterator[int]:
    known = [1]
    while True:
        yield known[-1]
        n, total, k = len(known), 0, 1
        while k * (3 * k - 1) // 2 <= n:
            sign = -1 if k % 2 == 0 else 1
            total += sign * known[n - k * (3 * k - 1) // 2]
            if k * (3 * k + 1) // 2 <= n:
                total += sign * known[n - k * (3 * k + 1) // 2]
            k += 1
        known.append(total)


def totients() -> Iterator[int]:
    return (sum(gcd(n, k) == 1 for k in range(1, n + 1)) for n in count(1))


def kolakoski() -> Iterator[int]:
    known, run = [1, 2, 2], 2
    while True:
        known += [3 - known[-1]] * known[run]
        yield known[run - 2]
        run += 1


def pi_digits() -> Iterator[int]:
    q, r, t, k, n, m = 1, 0, 1, 1, 3, 3
    while True:
        if 4 * q + r - t < n * t:
            yield n
            q, r, n = 10 * q, 10 * (r - n * t), 10 * (3 * q + r) // t - 10 * n
        else:
            q, r, t, k, n, m = q * k, (2 * q + r) * m, t * m, k + 1, (q * (7 * k + 2) + r * m) // (t * m), m + 2


def graphs() -> Iterator[int]:
    return map(_graphs, count())


def _graphs(n: int) -> int:
    total = 0
    for parts in _partitions_of(n, n):
        size = factorial(n) // prod(part**many * factorial(many) for part, many in Counter(parts).items())
        cycles = sum(part // 2 for part in parts) + sum(gcd(a, b) for a, b in combinations(parts, 2))
        total += size << cycles
    return total // factorial(n)


def _partitions_of(n: int, largest: int) -> Iterator[tuple[int, ...]]:
    if n == 0:
        yield ()
    for first in range(min(n, largest), 0, -1):
        for rest in _partitions_of(n - first, first):
            yield (first, *rest)


def mersenne_exponents() -> Iterator[int]:
    yield 2
    for p in islice(primes(), 1, None):
        s, m = 4, (1 << p) - 1
        for _ in range(p - 2):
            s = (s * s - 2) % m
        if s == 0:
            yield p


def months() -> Iterator[int]:
    year = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    return (29 if (n // 12) % 4 == 2 and n % 12 == 1 else year[n % 12] for n in count())


def letters() -> Iterator[int]:
    return (len(_english(n)) for n in count())


@cache
def _english(n: int) -> str:
    small = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    names = [*small.split(), "seventeen", "eighteen", "nineteen"]
    tens = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
    if n < 20:
        return names[n]
    return tens[n // 10 - 2] + (names[n % 10] if n % 10 else "")


def moebius() -> Iterator[int]:
    return map(_moebius, count(1))


def _moebius(n: int) -> int:
    sign = 1
    for p in range(2, n + 1):
        if n % p == 0:
            n //= p
            sign = -sign
            if n % p == 0:
                return 0
    return sign


def landau() -> Iterator[int]:
    def lcm_of(parts: tuple[int, ...]) -> int:
        least = 1
        for part in parts:
            least = least * part // gcd(least, part)
        return least

    return (max(map(lcm_of, _partitions_of(n, n))) for n in count())


def queens() -> Iterator[int]:
    return (
        sum(
            len({row + column for column, row in enumerate(rows)}) == n
            and len({row - column for column, row in enumerate(rows)}) == n
            for rows in permutations(range(n))
        )
        for n in count()
    )


def recaman() -> Iterator[int]:
    value, seen = 0, {0}
    for step in count(1):
        yield value
        value = value - step if value - step > 0 and value - step not in seen else value + step
        seen.add(value)


def thue_morse() -> Iterator[int]:
    return (n.bit_count() % 2 for n in count())


def prime_roots() -> Iterator[int]:
    return (isqrt(p) for p in primes())


def bernoulli_numerators() -> Iterator[int]:
    known: list[tuple[int, int]] = []
    for n in count():
        top, bottom = (1, 1) if n == 0 else (0, 1)
        for k, (a, b) in enumerate(known):
            top, bottom = top * b - comb(n + 1, k) * a * bottom, bottom * b
        bottom *= 1 if n == 0 else n + 1
        shared = gcd(top, bottom) or 1
        known.append((top // shared, bottom // shared))
        yield top // shared


def twin_primes() -> Iterator[int]:
    return (p for p in primes() if all((p + 2) % d for d in range(2, isqrt(p + 2) + 1)))


def squares_and_one() -> Iterator[int]:
    return (n * n + 1 for n in count())


def period_twelve() -> Iterator[int]:
    return (gcd(n, 12) for n in count(1))


def pentanacci() -> Iterator[int]:
    known = [0, 0, 0, 0, 1]
    while True:
        yield known[0]
        known = [*known[1:], sum(known)]


def divisors() -> Iterator[int]:
    return (sum(n % d == 0 for d in range(1, n + 1)) for n in count(1))


def _entry(number: str, name: str, offset: int, listed: int, terms: Callable[[], Iterator[int]]) -> IntegerSequence:
    return IntegerSequence(number, name, (), tuple(map(str, islice(terms(), listed))), offset, ("nonn",))


PRIMES = _entry("A000040", "The prime numbers.", 1, 58, primes)
FIBONACCI = _entry("A000045", "Fibonacci numbers.", 0, 41, fibonacci)
CATALAN = _entry("A000108", "Catalan numbers.", 0, 31, catalan)
BELL = _entry("A000110", "Bell numbers.", 0, 27, bell)
PARTITIONS = _entry("A000041", "Partitions of n.", 0, 50, partitions)
TOTIENTS = _entry("A000010", "Euler's totient function.", 1, 69, totients)
KOLAKOSKI = _entry("A000002", "Kolakoski sequence.", 1, 100, kolakoski)
PI = _entry("A000796", "Digits of pi.", 1, 105, pi_digits)
GRAPHS = _entry("A000088", "Graphs on n unlabeled nodes.", 0, 19, graphs)
MERSENNE = _entry("A000043", "Mersenne exponents.", 1, 14, mersenne_exponents)
MONTHS = _entry("A008685", "Days in the months from January 1998 on.", 1, 84, months)
LETTERS = _entry("A005589", "Letters in the English name of n.", 0, 90, letters)
MOEBIUS = _entry("A008683", "Moebius function.", 1, 78, moebius)
LANDAU = _entry("A000793", "Landau's function.", 0, 30, landau)
QUEENS = _entry("A000170", "Placements of n queens.", 0, 9, queens)
RECAMAN = _entry("A005132", "Recaman's sequence.", 0, 71, recaman)
THUE_MORSE = _entry("A010060", "Thue-Morse sequence.", 0, 105, thue_morse)
PRIME_ROOTS = _entry("A000006", "Integer part of the square root of the n-th prime.", 1, 71, prime_roots)
BERNOULLI = _entry("A027641", "Numerators of the Bernoulli numbers.", 0, 40, bernoulli_numerators)
TWIN_PRIMES = _entry("A001359", "Lesser of twin primes.", 1, 52, twin_primes)
SQUARES = _entry("A002522", "n^2 + 1.", 0, 47, squares_and_one)
PERIOD = _entry("A109013", "gcd(n, 12).", 1, 84, period_twelve)
PENTANACCI = _entry("A001591", "Pentanacci numbers.", 0, 36, pentanacci)
DIVISORS = _entry("A000005", "Number of divisors of n.", 1, 104, divisors)
