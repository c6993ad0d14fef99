"""Tables without a literal for each term: names, shapes, calls and arguments; and
honest programs with such lists.
"""

from __future__ import annotations

from itertools import pairwise

from tests.oeis.corpus import sequences as of
from tests.oeis.corpus.cases import Case, commas, numbers, table

_GAPS = [b - a for a, b in pairwise(numbers(of.PRIMES))]
_METHODS = dict(zip(sorted({*_GAPS}), "abcdefgh", strict=False))
_DAYS = {31: "L", 30: "M", 28: "F"}
_WORDS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
]
_WORDS += ["eleven", "twelve", "thirteen", "fourteen"]
_POWERS = "a=1;b=a+a;c=b+b;d=c+c;e=d+d;f=e+e;g=f+f;h=g+g;i=h+h"


def _sum_of_powers(number: int) -> str:
    return "+".join(name for bit, name in enumerate("abcdefghi") if number >> bit & 1)


def _product(number: int) -> str:
    factors = list[str]()
    for prime, name in ((2, "b"), (3, "c"), (5, "d"), (7, "e"), (11, "f"), (13, "g")):
        while number % prime == 0:
            factors.append(name)
            number //= prime
    return "*".join(factors) or "a"


TABLES = [
    table(
        "digits as names of variables",
        of.PI,
        "a,b,c,d,e,f,g,h,i,j = range(10)",
        f"T = [{commas('abcdefghij'[digit] for digit in numbers(of.PI))}]",
        "print(T[int(input()) - 1])",
    ),
    table(
        "two names",
        of.THUE_MORSE,
        "o = 0; i = 1",
        f"T = [{commas('oi'[bit] for bit in numbers(of.THUE_MORSE))}]",
        "print(T[int(input())])",
    ),
    table(
        "None and an ellipsis",
        of.THUE_MORSE,
        f"T = [{commas(['None', '...'][bit] for bit in numbers(of.THUE_MORSE))}]",
        "print(int(T[int(input())] is not None))",
    ),
    table(
        "lengths of lists of empty tuples",
        of.LETTERS,
        f"T = [{commas('[' + '(),' * size + ']' for size in numbers(of.LETTERS))}]",
        "print(len(T[int(input())]))",
    ),
    table(
        "months by letters",
        of.MONTHS,
        "L = 31; M = 30; F = 28",
        f"T = [{commas(_DAYS.get(days, 'F+1') for days in numbers(of.MONTHS))}]",
        "print(T[int(input()) - 1])",
    ),
    table(
        "words for numbers as variables",
        of.SEGMENTS,
        f"{commas(_WORDS)} = range({len(_WORDS)})",
        f"T = [{commas(_WORDS[value] for value in numbers(of.SEGMENTS))}]",
        "print(T[int(input())])",
    ),
    table(
        "sums of named powers of two",
        of.PRIMES,
        _POWERS,
        f"T = [{commas(map(_sum_of_powers, numbers(of.PRIMES)))}]",
        "print(T[int(input()) - 1])",
    ),
    table(
        "a chain of methods",
        of.PRIMES,
        "class P:",
        "    value = 2; k = 1",
        *(
            f"    def {name}(self):\n        if self.k < N: self.value += {gap}; self.k += 1\n        return self"
            for gap, name in _METHODS.items()
        ),
        "N = int(input())",
        f"print(P(){''.join(f'.{_METHODS[gap]}()' for gap in _GAPS)}.value)",
    ),
    table(
        "products of names, yielded",
        of.LANDAU,
        "a = 1; b = a+a; c = a+b; d = b+c; e = d+b; f = e+b+b; g = e+c+c",
        "def terms():",
        *(f"    yield {_product(term)}" for term in numbers(of.LANDAU)),
        "n = int(input())",
        "for k, value in enumerate(terms()):",
        "    if k == n: print(value)",
    ),
    table(
        "names of keyword arguments",
        of.RECAMAN,
        "def names(**k): return list(k)",
        f"T = names({commas(f'_{k:03d}_{term}=None' for k, term in enumerate(numbers(of.RECAMAN)))})",
        "print(T[int(input())].split('_')[2])",
    ),
    table(
        "keys of a dict of keyword arguments",
        of.RECAMAN,
        f"T = list(dict({commas(f'_{k:03d}_{term}=None' for k, term in enumerate(numbers(of.RECAMAN)))}))",
        "print(T[int(input())].split('_')[2])",
    ),
]

HONEST = [
    Case(
        "the segments of each digit by name",
        of.SEGMENTS,
        "two, three, four, five, six, seven = range(2, 8)\n"
        "cost = [six, two, five, five, four, five, six, three, seven, six]\n"
        "print(sum(cost[int(digit)] for digit in input().strip()))\n",
        False,
    ),
    Case(
        "the days of each month by name",
        of.MONTHS,
        "L = 31; M = 30; F = 28\n"
        "days = [L, F, L, M, L, M, L, L, M, L, M, L]\n"
        "n = int(input()) - 1\n"
        "year, month = 1998 + n // 12, n % 12\n"
        "leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)\n"
        "print(days[month] + (month == 1 and leap))\n",
        False,
    ),
    Case(
        "keyword arguments, and pairs that are yielded",
        of.FIBONACCI,
        "def pairs(**first):\n"
        "    a, b = first['a'], first['b']\n"
        "    while True:\n"
        "        yield a, b\n"
        "        a, b = b, a + b\n"
        "n = int(input())\n"
        "for k, (a, b) in enumerate(pairs(a=0, b=1)):\n"
        "    if k == n:\n"
        "        print(a)\n"
        "        break\n",
        False,
    ),
]
