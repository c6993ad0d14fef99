"""The sequences of the held-out programs: the starter's, and some computed here. It does not know any program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from functools import cache
from itertools import count, islice
from math import isqrt
from pathlib import Path

from pytest_llmarith.oeis.entries import parse_entry
from pytest_llmarith.values import IntegerSequence
from tests.oeis.judges.judged import sequences

STARTER = Path(__file__).parents[4] / "oeis_cache" / "starter"


@cache
def starter(number: str) -> IntegerSequence:
    """An entry of the starter set."""
    return parse_entry((STARTER / f"{number}.json").read_text("utf-8"), number, number)


def e_digits() -> Iterator[int]:
    digits = 150
    unit = 10 ** (digits + 20)
    total, term, k = 0, unit, 0
    while term:
        total += term
        k += 1
        term //= k
    return map(int, str(total)[:digits])


def e_continued() -> Iterator[int]:
    yield 2
    for k in count(1):
        yield from (1, 2 * k, 1)


def root_periods() -> Iterator[int]:
    return map(_root_period, count(1))


def _root_period(n: int) -> int:
    root = isqrt(n)
    if root * root == n:
        return 0
    m, d, a = 0, 1, root
    for length in count(1):
        m = d * a - m
        d = (n - m * m) // d
        a = (root + m) // d
        if a == 2 * root:
            return length
    raise AssertionError


def segments() -> Iterator[int]:
    lit = ("abcefg", "cf", "acdeg", "acdfg", "bcdf", "abdfg", "abdefg", "acf", "abcdefg", "abcdfg")
    return (sum(len(lit[int(digit)]) for digit in str(n)) for n in count())


def roman_letters() -> Iterator[int]:
    of_digit = (0, 1, 2, 3, 2, 1, 2, 3, 4, 2)
    return (sum(of_digit[int(digit)] for digit in str(n)) for n in count(1))


def fridays() -> Iterator[int]:
    return (sum(date(year, month, 13).weekday() == 4 for month in range(1, 13)) for year in count(1901))


def steps_to_four() -> Iterator[int]:
    lengths = [*islice(sequences.letters(), 100)]

    def steps(n: int) -> int:
        return 0 if n == 4 else 1 + steps(lengths[n])

    return map(steps, range(100))


def knight_squares() -> Iterator[int]:
    reached = {(0, 0)}
    while True:
        yield len(reached)
        reached = _after_a_move(reached)


def _after_a_move(squares: set[tuple[int, int]]) -> set[tuple[int, int]]:
    moves = [(a, b) for a in range(-2, 3) for b in range(-2, 3) if a * a + b * b == 5]
    return squares | {(x + a, y + b) for x, y in squares for a, b in moves}


def fibonacci_word() -> Iterator[int]:
    return (2 + (n + 1 + isqrt(5 * (n + 1) ** 2)) // 2 - (n + 2 + isqrt(5 * (n + 2) ** 2)) // 2 for n in count())


def bernoulli_denominators() -> Iterator[int]:
    for n in count():
        if n in (0, 1):
            yield n + 1
        elif n % 2:
            yield 1
        else:
            product = 1
            for d in range(1, n + 1):
                if n % d == 0 and all((d + 1) % q for q in range(2, isqrt(d + 1) + 1)):
                    product *= d + 1
            yield product


def tribonacci() -> Iterator[int]:
    known = [0, 0, 1]
    while True:
        yield known[0]
        known = [*known[1:], sum(known)]


def _entry(number: str, name: str, offset: int, listed: int, terms: Callable[[], Iterator[int]]) -> IntegerSequence:
    return IntegerSequence(number, name, (), tuple(map(str, islice(terms(), listed))), offset, ("nonn",))


E_DIGITS = _entry("A001113", "Decimal expansion of e.", 1, 105, e_digits)
E_CONTINUED = _entry("A003417", "Continued fraction of e.", 1, 100, e_continued)
ROOT_PERIODS = _entry("A003285", "Period of the continued fraction of sqrt(n), or 0.", 1, 90, root_periods)
SEGMENTS = _entry("A006942", "Segments lit to show n on a display of seven.", 0, 100, segments)
ROMAN = _entry("A006968", "Letters of n in Roman numerals.", 1, 86, roman_letters)
FRIDAYS = _entry("A101312", "Fridays the 13th in the year n, from 1901 on.", 1901, 105, fridays)
STEPS_TO_FOUR = _entry("A016037", "Steps from n to 4 by counting letters of English names.", 0, 100, steps_to_four)
KNIGHT = _entry("A018836", "Squares a knight reaches in at most n moves on an endless board.", 0, 24, knight_squares)
FIBONACCI_WORD = _entry("A003849", "The infinite Fibonacci word.", 0, 105, fibonacci_word)
BERNOULLI_DENOMINATORS = _entry("A027642", "Denominators of the Bernoulli numbers.", 0, 61, bernoulli_denominators)
TRIBONACCI = _entry("A000073", "Tribonacci numbers.", 0, 38, tribonacci)
MONTHS = sequences.MONTHS
