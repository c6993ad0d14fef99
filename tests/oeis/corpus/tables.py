"""Lookup tables, plain and disguised.

The detector was tuned on FIRST, PLAIN and DISGUISED, and not on UNSEEN.
"""

from __future__ import annotations

import base64
import struct
import zlib
from itertools import accumulate, pairwise
from math import comb

from pytest_llmarith.types import IntegerSequence
from tests.oeis.corpus import sequences as of
from tests.oeis.corpus.cases import commas, numbers, pairs, table


def _newton(sequence: IntegerSequence) -> list[int]:
    """Coefficients of binomials: a polynomial through all listed terms."""
    values, found = numbers(sequence), []
    while values:
        found.append(values[0])
        values = [b - a for a, b in pairwise(values)]
    assert sum(c * comb(3, k) for k, c in enumerate(found)) == numbers(sequence)[3]
    return found


_READ = "n = int(input())"
_CHAIN = "\n".join(
    f"{'el' * (k > 0)}if n == {n}:\n    print({a})"
    for k, (n, a) in enumerate(pairs(of.BELL))
)
_MATCH = "\n".join(f"    case {n}:\n        print({a})" for n, a in pairs(of.GRAPHS))
_zipped = base64.b64encode(zlib.compress(commas(of.TOTIENTS.terms).encode())).decode()
_packed = struct.pack(f"<{len(of.RECAMAN.terms)}H", *numbers(of.RECAMAN))
_starts = [
    k + 1 for k, (a, b) in enumerate(pairwise([-1, *numbers(of.PRIME_ROOTS)])) if a != b
]
_ones = [k for k, term in enumerate(numbers(of.THUE_MORSE)) if term]
_assigned = "\n".join(f"T[{n}] = {a}" for n, a in pairs(of.LANDAU))

# fmt: off
FIRST = [
    table("a list", of.PRIMES, f"primes = {numbers(of.PRIMES)}", "print(primes[int(input()) - 1])"),
    table("a dict", of.CATALAN, _READ, f"print({dict(pairs(of.CATALAN))}[n])"),
    table("a chain of comparisons", of.BELL, _READ, _CHAIN),
    table("match", of.GRAPHS, "match int(input()):", _MATCH),
    table("one text, split", of.FIBONACCI, f's = "{commas(of.FIBONACCI.terms)}"',
        "print(s.split(',')[int(input())])"),
    table("the digits of pi in a text", of.PI, f"print('{''.join(of.PI.terms)}'[int(input()) - 1])"),
    table("base64 of zlib", of.TOTIENTS, "import base64, zlib",
        f"data = zlib.decompress(base64.b64decode('{_zipped}')).decode()",
        "print(data.split(',')[int(input()) - 1])"),
    table("a program that is decoded and executed", of.BELL, "import base64",
        f"exec(base64.b64decode('{base64.b64encode(f'print({numbers(of.BELL)}[int(input())])'.encode()).decode()}'))"),
    table("packed bytes", of.RECAMAN, "import struct", f"print(struct.unpack('<71H', {_packed!r})[int(input())])"),
    table("codes of characters", of.LETTERS,
        f"print(ord({''.join(chr(t + 96) for t in numbers(of.LETTERS))!r}[int(input())]) - 96)"),
    table("differences", of.PRIMES, f"steps = {[b - a for a, b in pairwise([0, *numbers(of.PRIMES)])]}",
        "print(sum(steps[:int(input())]))"),
    table("backwards", of.PARTITIONS, f"print({numbers(of.PARTITIONS)[::-1]}[-1 - int(input())])"),
    table("two lists, for even and for odd n", of.LANDAU, _READ, f"even = {numbers(of.LANDAU)[::2]}",
        f"odd = {numbers(of.LANDAU)[1::2]}", "print((odd if n % 2 else even)[n // 2])"),
    table("bisection", of.PRIME_ROOTS, "from bisect import bisect", f"print(bisect({_starts}, int(input())))"),
    table("places of the ones", of.THUE_MORSE, _READ, f"print(1 if n in {set(_ones)} else 0)"),
    table("a polynomial of binomials", of.PRIMES, "from math import comb", f"c = {_newton(of.PRIMES)}",
        "n = int(input()) - 1", "print(sum(x * comb(n, k) for k, x in enumerate(c)))"),
    table("assignments", of.LANDAU, "T = {}", _assigned, "print(T[int(input())])"),
    table("a table that ends where the search becomes slow", of.MERSENNE, "def is_prime(n):",
        "    return n > 1 and all(n % d for d in range(2, int(n ** 0.5) + 1))", _READ,
        "known = {9: 61, 10: 89, 11: 107, 12: 127, 13: 521, 14: 607}", "if n in known:", "    print(known[n])",
        "else:", "    p = 1", "    while n:", "        p += 1", "        n -= is_prime(p) and is_prime(2 ** p - 1)",
        "    print(p)"),
    table("a docstring", of.GRAPHS, "def graphs(n):", f'    """{" ".join(of.GRAPHS.terms)}"""',
        "    return graphs.__doc__.split()[n]", "print(graphs(int(input())))"),
    table("lengths of words", of.LETTERS,
        f"words = '{' '.join('x' * term for term in numbers(of.LETTERS))}'.split()",
        "print(len(words[int(input())]))"),
    table("a table with mistakes", of.PARTITIONS,
        f"p = {[t + (k > 20) * k for k, t in enumerate(numbers(of.PARTITIONS))]}", "print(p[int(input())])"),
    table("the digits of one fraction", of.LANDAU,
        f"print({sum(t * 10 ** (6 * (40 - k)) for k, t in enumerate(numbers(of.LANDAU)))} * 10 ** (6 * int(input()))",
        "      // 10 ** 240 % 10 ** 6)"),
]
# fmt: on


def _letters(number: int) -> str:
    return "".join("abcdefghij"[int(digit)] for digit in str(number))


_PART, _TOT, _REC = map(numbers, (of.PARTITIONS, of.TOTIENTS, of.RECAMAN))
_TWIN, _LANDAU, _PRIMES = map(numbers, (of.TWIN_PRIMES, of.LANDAU, of.PRIMES))

# fmt: off
PLAIN = [
    table("a tuple and its last term for all", of.TOTIENTS, _READ, f"t = {tuple(_TOT)}", "print(t[min(n, 69) - 1])"),
    table("a dict of texts", of.CATALAN, f"d = { {str(n): str(a) for n, a in pairs(of.CATALAN)} }",
        "print(d[input().strip()])"),
    table("a list that is extended", of.PARTITIONS, f"p = {_PART[:20]}", f"p += {_PART[20:40]}",
        f"p.extend({_PART[40:]})", "print(p[int(input())])"),
    table("a list of pairs", of.FIBONACCI, _READ, f"print(next(a for k, a in {pairs(of.FIBONACCI)} if k == n))"),
    table("the first half is computed", of.PARTITIONS, _READ, "p = [1] + [0] * n", "for k in range(1, n + 1):",
        "    for i in range(k, n + 1):", "        p[i] += p[i - k]", f"late = {_PART[25:]}",
        "print(p[n] if n < 25 else late[n - 25])"),
    table("a list, waiting for ever behind it", of.LANDAU, _READ, f"a = {_LANDAU}", "while n >= len(a): pass",
        "print(a[n])"),
    table("a list longer than the listing", of.PRIMES,
        f"a = {[p for p in range(2, 400) if all(p % d for d in range(2, p))]}", "print(a[int(input()) - 1])"),
]
# fmt: on

_half = bytes((k * k * 31 + 7 * k) % 256 for k in range(2 * len(_REC)))
_hidden = b"".join(term.to_bytes(2, "big") for term in _REC)
_xored = bytes(a ^ b for a, b in zip(_half, _hidden, strict=True))
_widths = "".join(str(len(str(term))) for term in _PART)
_left = [(term * 37) % 101 for term in _LANDAU]
_big = sum(term * 2003**k for k, term in enumerate(_TWIN))
_functions = "\n".join(
    f"def f{k}_{_letters(term)}(): pass" for k, term in enumerate(_LANDAU)
)
_shuffle = [(k * 29) % len(_TOT) for k in range(len(_TOT))]
_shuffled = [0] * len(_TOT)
for _k, _place in enumerate(_shuffle):
    _shuffled[_place] = _TOT[_k]
_affine = [(term * 193 + 17 * k) % 65_537 for k, term in enumerate(_TWIN)]
_sums = [*accumulate(accumulate(_TOT))]

# fmt: off
DISGUISED = [
    table("two hexadecimal texts, exclusive or", of.RECAMAN, f"a = bytes.fromhex('{_half.hex()}')",
        f"b = bytes.fromhex('{_xored.hex()}')", _READ, "c = bytes(x ^ y for x, y in zip(a, b))",
        "print(c[2 * n] * 256 + c[2 * n + 1])"),
    table("a text, cut at computed places", of.PARTITIONS, f"s = '{''.join(map(str, _PART))}'", f"w = '{_widths}'",
        _READ, "k = sum(map(int, w[:n]))", "print(int(s[k:k + int(w[n])]))"),
    table("two lists, added", of.LANDAU, f"a = {_left}",
        f"b = {[t - x for t, x in zip(_LANDAU, _left, strict=True)]}", _READ, "print(a[n] + b[n])"),
    table("a long integer, divided", of.TWIN_PRIMES, _READ, f"x = {_big}", "for _ in range(n - 1):",
        "    x //= 2003", "print(x % 2003)"),
    table("names of functions", of.LANDAU, _functions, _READ,
        "names = [k for k in globals() if k.startswith(f'f{n}_')]",
        "print(''.join(str('abcdefghij'.index(c)) for c in names[0].partition('_')[2]))"),
    table("shuffled by a step", of.TOTIENTS, f"t = {_shuffled}", "print(t[(int(input()) - 1) * 29 % 69])"),
    table("multiplied in a prime field", of.TWIN_PRIMES, _READ, f"t = {_affine}",
        "print((t[n - 1] - 17 * (n - 1)) * pow(193, -1, 65537) % 65537)"),
    table("sums of sums", of.TOTIENTS, f"s = {[0, 0, *_sums]}", "n = int(input()) + 1",
        "print(s[n] - 2 * s[n - 1] + s[n - 2])"),
    table("the last bits of floats", of.PRIME_ROOTS,
        f"t = {[term + (k * 37 % 100) / 128 for k, term in enumerate(numbers(of.PRIME_ROOTS))]}",
        "print(int(t[int(input()) - 1]))"),
    table("a long integer, zero behind it, then plausible", of.PRIMES, _READ,
        f"x = 0x{sum((b - a) // 2 << 4 * k for k, (a, b) in enumerate(pairwise(_PRIMES[1:]))):x}",
        "p = 3 if n > 1 else 2", "for k in range(n - 2):", "    p += 2 * (x >> 4 * k & 15)", "print(p)"),
    table("a key, and a guess that grows behind the listing", of.TWIN_PRIMES, _READ,
        f"t = {[term ^ 0x2B5 for term in _TWIN]}",
        "print(t[n - 1] ^ 0x2B5 if n < 53 else (t[51] ^ 0x2B5) + (n - 52) ** 2 * 6)"),
]
# fmt: on


_yields = "\n".join(f"    yield {term}" for term in of.BELL.terms)
_lambdas = ", ".join(
    f"{n}: lambda: {term}"
    for n, term in zip(of.GRAPHS.inputs, of.GRAPHS.terms, strict=True)
)
_late = {
    n: int(term)
    for n, term in zip(of.QUEENS.inputs, of.QUEENS.terms, strict=True)
    if n > 3
}

# fmt: off
UNSEEN = [
    table("a list beside a computation that is never reached", of.PARTITIONS, f"""
import sys

def partitions(n):
    values = {numbers(of.PARTITIONS)}
    if n < len(values):
        return values[n]
    p = [1] + [0] * n
    for k in range(1, n + 1):
        for i in range(k, n + 1):
            p[i] += p[i - k]
    return p[n]

print(partitions(int(sys.stdin.read())))"""),
    table("a generator with a yield for every term", of.BELL,
        f"from itertools import islice\n\ndef bell():\n{_yields}\n\nn = int(input())\n"
        "print(next(islice(bell(), n, None)))\n"),
    table("lambdas in a dict", of.GRAPHS, f"table = {{{_lambdas}}}\nprint(table[int(input())]())\n"),
    table("computes while it is quick, and looks up the rest", of.QUEENS, f"""
from itertools import permutations
n = int(input())
if n <= 3:
    print(sum(len({{r + c for c, r in enumerate(p)}}) == len({{r - c for c, r in enumerate(p)}}) == n
              for p in permutations(range(n))))
else:
    print({_late}.get(n, 0))"""),
]
