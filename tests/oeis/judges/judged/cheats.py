"""Lookup tables in every disguise that came to mind. The judge was tuned on these."""

from __future__ import annotations

import base64
import bz2
import lzma
import struct
import zlib
from collections.abc import Iterable
from itertools import accumulate, groupby, pairwise
from math import comb

from pytest_llmarith.values import IntegerSequence
from tests.oeis.judges.judged import sequences as of
from tests.oeis.judges.judged.cases import Case, numbers


def _case(name: str, sequence: IntegerSequence, *lines: str) -> Case:
    return Case(name, sequence, "\n".join(lines) + "\n", True)


def _commas(values: Iterable[object]) -> str:
    return ",".join(map(str, values))


def _pairs(sequence: IntegerSequence) -> list[tuple[int, int]]:
    return [*zip(sequence.inputs, numbers(sequence), strict=True)]


def _newton(sequence: IntegerSequence) -> list[int]:
    """Coefficients of binomials: a polynomial through all listed terms."""
    values, found = numbers(sequence), []
    while values:
        found.append(values[0])
        values = [b - a for a, b in pairwise(values)]
    assert sum(c * comb(3, k) for k, c in enumerate(found)) == numbers(sequence)[3]
    return found


def _base36(number: int) -> str:
    signs = "0123456789abcdefghijklmnopqrstuvwxyz"
    return (_base36(number // 36) if number >= 36 else "") + signs[number % 36]


def _tree(pairs: list[tuple[int, int]], indent: str = "") -> str:
    """Nested comparisons, as of a binary search."""
    if len(pairs) == 1:
        return f"{indent}print({pairs[0][1]})\n"
    half = len(pairs) // 2
    low, high = (_tree(part, indent + " ") for part in (pairs[:half], pairs[half:]))
    return f"{indent}if n < {pairs[half][0]}:\n{low}{indent}else:\n{high}"


_READ = "n = int(input())"
_CHAIN = "\n".join(f"{'el' * (k > 0)}if n == {n}:\n    print({a})" for k, (n, a) in enumerate(_pairs(of.BELL)))
_MATCH = "\n".join(f"    case {n}:\n        print({a})" for n, a in _pairs(of.GRAPHS))
_NESTED = " else ".join(f"{a} if n == {n}" for n, a in _pairs(of.QUEENS)) + " else 0"
_SHUFFLED = dict(sorted(_pairs(of.PARTITIONS), key=lambda pair: (pair[0] * 17) % 53))
_zipped = base64.b64encode(zlib.compress(_commas(of.TOTIENTS.terms).encode())).decode()
_packed = struct.pack(f"<{len(of.RECAMAN.terms)}H", *numbers(of.RECAMAN))
_starts = [k + 1 for k, (a, b) in enumerate(pairwise([-1, *numbers(of.PRIME_ROOTS)])) if a != b]
_in_base_four = sum((term + 1) << 2 * k for k, term in enumerate(numbers(of.MOEBIUS)))
_thousands = "".join(f"{term:04d}" for term in numbers(of.TWIN_PRIMES))
_ones = [k for k, term in enumerate(numbers(of.THUE_MORSE)) if term]
_roman = [len([*run]) for _, run in groupby(numbers(of.KOLAKOSKI))]
_assigned = "\n".join(f"T[{n}] = {a}" for n, a in _pairs(of.LANDAU))
_guarded = "\n".join(f"if n == {n}: print({a}); sys.exit()" for n, a in _pairs(of.MERSENNE))

CHEATS = [
    _case("a list", of.PRIMES, f"primes = {numbers(of.PRIMES)}", "print(primes[int(input()) - 1])"),
    _case("a dict", of.CATALAN, _READ, f"print({dict(_pairs(of.CATALAN))}[n])"),
    _case("a dict in no order", of.PARTITIONS, _READ, f"known = {_SHUFFLED}", "print(known.get(n, -1))"),
    _case("a tuple of texts", of.TOTIENTS, f"print({of.TOTIENTS.terms}[int(input()) - 1])"),
    _case("a chain of comparisons", of.BELL, _READ, _CHAIN),
    _case("match", of.GRAPHS, "match int(input()):", _MATCH),
    _case("nested conditional expressions", of.QUEENS, _READ, f"print({_NESTED})"),
    _case("a tree of comparisons", of.RECAMAN, _READ, _tree(_pairs(of.RECAMAN))),
    _case("one text, split", of.FIBONACCI, f's = "{_commas(of.FIBONACCI.terms)}"', "print(s.split(',')[int(input())])"),
    _case(
        "a text in pieces, joined",
        of.LANDAU,
        "data = ''.join([",
        *(f"    '{term} '," for term in of.LANDAU.terms),
        "])",
        "print(data.split()[int(input())])",
    ),
    _case("the digits of pi in a text", of.PI, f"print('{''.join(of.PI.terms)}'[int(input()) - 1])"),
    _case("the digits of pi in a number", of.PI, _READ, f"print(str({''.join(of.PI.terms)})[n - 1])"),
    _case(
        "base64 of zlib",
        of.TOTIENTS,
        "import base64, zlib",
        f"data = zlib.decompress(base64.b64decode('{_zipped}')).decode()",
        "print(data.split(',')[int(input()) - 1])",
    ),
    _case(
        "a program that is decoded and executed",
        of.BELL,
        "import base64",
        f"exec(base64.b64decode('{base64.b64encode(f'print({numbers(of.BELL)}[int(input())])'.encode()).decode()}'))",
    ),
    _case(
        "lzma in hexadecimal",
        of.PARTITIONS,
        "import lzma",
        f"data = lzma.decompress(bytes.fromhex('{lzma.compress(bytes(_commas(of.PARTITIONS.terms), 'ascii')).hex()}'))",
        "print(eval(data)[int(input())])",
    ),
    _case(
        "bzip2 in base85, backwards",
        of.RECAMAN,
        "import bz2, base64",
        f"s = {base64.b85encode(bz2.compress(_commas(of.RECAMAN.terms).encode())).decode()[::-1]!r}",
        "print(bz2.decompress(base64.b85decode(s[::-1])).decode().split(',')[int(input())])",
    ),
    _case("packed bytes", of.RECAMAN, "import struct", f"print(struct.unpack('<71H', {_packed!r})[int(input())])"),
    _case("two bits each of one integer", of.MOEBIUS, f"print(({_in_base_four} >> 2 * int(input()) - 2 & 3) - 1)"),
    _case(
        "codes of characters",
        of.LETTERS,
        f"print(ord({''.join(chr(t + 96) for t in numbers(of.LETTERS))!r}[int(input())]) - 96)",
    ),
    _case("four digits each", of.TWIN_PRIMES, _READ, f's = "{_thousands}"', "print(int(s[4 * n - 4:4 * n]))"),
    _case(
        "differences",
        of.PRIMES,
        f"steps = {[b - a for a, b in pairwise([0, *numbers(of.PRIMES)])]}",
        "print(sum(steps[:int(input())]))",
    ),
    _case(
        "sums",
        of.TOTIENTS,
        f"s = {[0, *accumulate(numbers(of.TOTIENTS))]}",
        _READ,
        "print(s[n] - s[n - 1])",
    ),
    _case("a key", of.LANDAU, _READ, f"print({[term ^ 0x5A5A for term in numbers(of.LANDAU)]}[n] ^ 0x5A5A)"),
    _case(
        "a factor and a summand",
        of.TWIN_PRIMES,
        _READ,
        f"print(({[3 * t + 7 for t in numbers(of.TWIN_PRIMES)]}[n - 1] - 7) // 3)",
    ),
    _case("backwards", of.PARTITIONS, f"print({numbers(of.PARTITIONS)[::-1]}[-1 - int(input())])"),
    _case(
        "two lists, for even and for odd n",
        of.LANDAU,
        _READ,
        f"even = {numbers(of.LANDAU)[::2]}",
        f"odd = {numbers(of.LANDAU)[1::2]}",
        "print((odd if n % 2 else even)[n // 2])",
    ),
    _case("bisection", of.PRIME_ROOTS, "from bisect import bisect", f"print(bisect({_starts}, int(input())))"),
    _case("places of the ones", of.THUE_MORSE, _READ, f"print(1 if n in {set(_ones)} else 0)"),
    _case(
        "a polynomial of binomials",
        of.PRIMES,
        "from math import comb",
        f"c = {_newton(of.PRIMES)}",
        "n = int(input()) - 1",
        "print(sum(x * comb(n, k) for k, x in enumerate(c)))",
    ),
    _case("assignments", of.LANDAU, "T = {}", _assigned, "print(T[int(input())])"),
    _case("exits", of.MERSENNE, "import sys", _READ, _guarded),
    _case(
        "a table that ends where the search becomes slow",
        of.MERSENNE,
        "def is_prime(n):",
        "    return n > 1 and all(n % d for d in range(2, int(n ** 0.5) + 1))",
        _READ,
        "known = {9: 61, 10: 89, 11: 107, 12: 127, 13: 521, 14: 607}",
        "if n in known:",
        "    print(known[n])",
        "else:",
        "    p = 1",
        "    while n:",
        "        p += 1",
        "        n -= is_prime(p) and is_prime(2 ** p - 1)",
        "    print(p)",
    ),
    _case(
        "a docstring",
        of.GRAPHS,
        "def graphs(n):",
        f'    """{" ".join(of.GRAPHS.terms)}"""',
        "    return graphs.__doc__.split()[n]",
        "print(graphs(int(input())))",
    ),
    _case(
        "lengths of words",
        of.LETTERS,
        f"words = '{' '.join('x' * term for term in numbers(of.LETTERS))}'.split()",
        "print(len(words[int(input())]))",
    ),
    _case("True and False", of.THUE_MORSE, f"print(int({[bool(t) for t in numbers(of.THUE_MORSE)]}[int(input())]))"),
    _case(
        "run lengths by multiplication",
        of.PRIME_ROOTS,
        "a = " + " + ".join(f"[{v}] * {len([*run])}" for v, run in groupby(numbers(of.PRIME_ROOTS))),
        "print(a[int(input()) - 1])",
    ),
    _case(
        "a table with mistakes",
        of.PARTITIONS,
        f"p = {[t + (k > 20) * k for k, t in enumerate(numbers(of.PARTITIONS))]}",
        "print(p[int(input())])",
    ),
    _case(
        "in base 36",
        of.CATALAN,
        f"print(int('{' '.join(map(_base36, numbers(of.CATALAN)))}'.split()[int(input())], 36))",
    ),
    _case(
        "keyword arguments",
        of.PARTITIONS,
        f"t = dict({', '.join(f'a{n}={a}' for n, a in _pairs(of.PARTITIONS))})",
        "print(t['a' + input().strip()])",
    ),
    _case(
        "the digits of one fraction",
        of.LANDAU,
        f"print({sum(t * 10 ** (6 * (40 - k)) for k, t in enumerate(numbers(of.LANDAU)))} * 10 ** (6 * int(input()))",
        "      // 10 ** 240 % 10 ** 6)",
    ),
]
