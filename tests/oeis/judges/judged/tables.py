"""More lookup tables, plain ones and disguised ones. The judge was tuned on these."""

from __future__ import annotations

import base64
import json
import zlib
from itertools import accumulate, pairwise

from pytest_llmarith.values import IntegerSequence
from tests.oeis.judges.judged import sequences as of
from tests.oeis.judges.judged.cases import Case, numbers


def _case(name: str, sequence: IntegerSequence, *lines: str) -> Case:
    return Case(name, sequence, "\n".join(lines) + "\n", True)


def _commas(values: object) -> str:
    assert isinstance(values, list | tuple)
    return ",".join(map(str, values))


def _pairs(sequence: IntegerSequence) -> list[tuple[int, int]]:
    return [*zip(sequence.inputs, numbers(sequence), strict=True)]


def _letters(number: int) -> str:
    return "".join("abcdefghij"[int(digit)] for digit in str(number))


_READ = "n = int(input())"
_FIB, _PART, _TOT, _REC = map(numbers, (of.FIBONACCI, of.PARTITIONS, of.TOTIENTS, of.RECAMAN))
_TWIN, _LANDAU, _PRIMES, _BELL = map(numbers, (of.TWIN_PRIMES, of.LANDAU, of.PRIMES, of.BELL))
_LAST = f"{_PART[-1]}"
_ranges = "\n".join(f"    {'el' * (k > 0)}if n == {n}: return {a}" for k, (n, a) in enumerate(_pairs(of.LANDAU)))

PLAIN = [
    _case("a list with a default", of.PRIMES, _READ, f"a = {_PRIMES}", "print(a[n - 1] if n <= len(a) else -1)"),
    _case(
        "a list in a function",
        of.BELL,
        "def bell(n):",
        f"    b = {_BELL}",
        "    return b[n]",
        "print(bell(int(input())))",
    ),
    _case("a tuple and its last term for all", of.TOTIENTS, _READ, f"t = {tuple(_TOT)}", "print(t[min(n, 69) - 1])"),
    _case(
        "a dict with an exit",
        of.RECAMAN,
        "import sys",
        f"d = {dict(_pairs(of.RECAMAN))}",
        _READ,
        "if n not in d: sys.exit('unknown')",
        "print(d[n])",
    ),
    _case(
        "a dict of texts",
        of.CATALAN,
        f"d = { {str(n): str(a) for n, a in _pairs(of.CATALAN)} }",
        "print(d[input().strip()])",
    ),
    _case(
        "lines of a text",
        of.LANDAU,
        's = """' + "\n".join(map(str, _LANDAU)) + '"""',
        "print(s.splitlines()[int(input())])",
    ),
    _case("a json text", of.TWIN_PRIMES, "import json", f"print(json.loads('{json.dumps(_TWIN)}')[int(input()) - 1])"),
    _case("if and return", of.LANDAU, "def a(n):", _ranges, "print(a(int(input())))"),
    _case(
        "a list that is extended",
        of.PARTITIONS,
        f"p = {_PART[:20]}",
        f"p += {_PART[20:40]}",
        f"p.extend({_PART[40:]})",
        "print(p[int(input())])",
    ),
    _case("a list of pairs", of.FIBONACCI, _READ, f"print(next(a for k, a in {_pairs(of.FIBONACCI)} if k == n))"),
    _case(
        "a list with a computation that nobody needs",
        of.FIBONACCI,
        _READ,
        f"known = {_FIB}",
        "if n < len(known):",
        "    print(known[n])",
        "else:",
        "    a, b = 0, 1",
        "    for _ in range(n):",
        "        a, b = b, a + b",
        "    print(a)",
    ),
    _case(
        "the first half is computed",
        of.PARTITIONS,
        _READ,
        "p = [1] + [0] * n",
        "for k in range(1, n + 1):",
        "    for i in range(k, n + 1):",
        "        p[i] += p[i - k]",
        f"late = {_PART[25:]}",
        "print(p[n] if n < 25 else late[n - 25])",
    ),
    _case("a list, zero behind it", of.TOTIENTS, _READ, f"a = {_TOT} + [0] * 1000", "print(a[n - 1])"),
    _case("a list, around and around", of.RECAMAN, f"a = {_REC}", "print(a[int(input()) % len(a)])"),
    _case(
        "a list, waiting for ever behind it",
        of.LANDAU,
        _READ,
        f"a = {_LANDAU}",
        "while n >= len(a): pass",
        "print(a[n])",
    ),
    _case(
        "a list, one more each behind it",
        of.PRIMES,
        _READ,
        f"a = {_PRIMES}",
        "print(a[n - 1] if n <= len(a) else a[-1] + 2 * (n - len(a)))",
    ),
    _case(
        "a list longer than the listing",
        of.PRIMES,
        f"a = {[p for p in range(2, 400) if all(p % d for d in range(2, p))]}",
        "print(a[int(input()) - 1])",
    ),
]

_key = [(k * 7919 + 13) % 65536 for k in range(len(_TWIN))]
_half = bytes((k * k * 31 + 7 * k) % 256 for k in range(2 * len(_REC)))
_hidden = b"".join(term.to_bytes(2, "big") for term in _REC)
_xored = bytes(a ^ b for a, b in zip(_half, _hidden, strict=True))
_widths = "".join(str(len(str(term))) for term in _PART)
_left = [(term * 37) % 101 for term in _LANDAU]
_b85 = base64.b85encode(zlib.compress(_commas(_PART).encode(), 9)).decode()
_big = sum(term * 2003**k for k, term in enumerate(_TWIN))
_mixed, _bases = 0, [term + 1 for term in _LANDAU]
for _term, _base in zip(_LANDAU[::-1], _bases[::-1], strict=True):
    _mixed = _mixed * (_LANDAU[-1] + 1) + _term
_functions = "\n".join(f"def f{k}_{_letters(term)}(): pass" for k, term in enumerate(_LANDAU))
_shuffle = [(k * 29) % len(_TOT) for k in range(len(_TOT))]
_shuffled = [0] * len(_TOT)
for _k, _place in enumerate(_shuffle):
    _shuffled[_place] = _TOT[_k]
_affine = [(term * 193 + 17 * k) % 65_537 for k, term in enumerate(_TWIN)]
_sums = [*accumulate(accumulate(_TOT))]
_enum = "\n".join(f"    x{_letters(term)}_{k} = {k}" for k, term in enumerate(_TWIN))

DISGUISED = [
    _case(
        "two hexadecimal texts, exclusive or",
        of.RECAMAN,
        f"a = bytes.fromhex('{_half.hex()}')",
        f"b = bytes.fromhex('{_xored.hex()}')",
        _READ,
        "c = bytes(x ^ y for x, y in zip(a, b))",
        "print(c[2 * n] * 256 + c[2 * n + 1])",
    ),
    _case(
        "a text, cut at computed places",
        of.PARTITIONS,
        f"s = '{''.join(map(str, _PART))}'",
        f"w = '{_widths}'",
        _READ,
        "k = sum(map(int, w[:n]))",
        "print(int(s[k:k + int(w[n])]))",
    ),
    _case(
        "two lists, added",
        of.LANDAU,
        f"a = {_left}",
        f"b = {[t - x for t, x in zip(_LANDAU, _left, strict=True)]}",
        _READ,
        "print(a[n] + b[n])",
    ),
    _case(
        "base85 of zlib",
        of.PARTITIONS,
        "import base64, zlib",
        f"s = zlib.decompress(base64.b85decode({_b85!r})).decode().split(',')",
        "print(s[int(input())])",
    ),
    _case(
        "a long integer, divided",
        of.TWIN_PRIMES,
        _READ,
        f"x = {_big}",
        "for _ in range(n - 1):",
        "    x //= 2003",
        "print(x % 2003)",
    ),
    _case(
        "mixed digits of a long integer",
        of.LANDAU,
        _READ,
        f"x, m = {_mixed}, {_LANDAU[-1] + 1}",
        "while n:",
        "    x //= m",
        "    n -= 1",
        "print(x % m)",
    ),
    _case(
        "names of functions",
        of.LANDAU,
        _functions,
        _READ,
        "names = [k for k in globals() if k.startswith(f'f{n}_')]",
        "print(''.join(str('abcdefghij'.index(c)) for c in names[0].partition('_')[2]))",
    ),
    _case(
        "names in an enumeration",
        of.TWIN_PRIMES,
        "from enum import IntEnum",
        "class T(IntEnum):",
        _enum,
        _READ,
        "name = T(n - 1).name.split('_')[0]",
        "print(int(name[1:].translate(str.maketrans('abcdefghij', '0123456789'))))",
    ),
    _case("shuffled by a step", of.TOTIENTS, f"t = {_shuffled}", "print(t[(int(input()) - 1) * 29 % 69])"),
    _case(
        "a key that changes",
        of.TWIN_PRIMES,
        _READ,
        f"t = {[a ^ b for a, b in zip(_TWIN, _key, strict=True)]}",
        "print(t[n - 1] ^ ((n - 1) * 7919 + 13) % 65536)",
    ),
    _case(
        "multiplied in a prime field",
        of.TWIN_PRIMES,
        _READ,
        f"t = {_affine}",
        "print((t[n - 1] - 17 * (n - 1)) * pow(193, -1, 65537) % 65537)",
    ),
    _case(
        "sums of sums",
        of.TOTIENTS,
        f"s = {[0, 0, *_sums]}",
        "n = int(input()) + 1",
        "print(s[n] - 2 * s[n - 1] + s[n - 2])",
    ),
    _case(
        "the last bits of floats",
        of.PRIME_ROOTS,
        f"t = {[term + (k * 37 % 100) / 128 for k, term in enumerate(numbers(of.PRIME_ROOTS))]}",
        "print(int(t[int(input()) - 1]))",
    ),
    _case(
        "a long integer, zero behind it, then plausible",
        of.PRIMES,
        _READ,
        f"x = 0x{sum((b - a) // 2 << 4 * k for k, (a, b) in enumerate(pairwise(_PRIMES[1:]))):x}",
        "p = 3 if n > 1 else 2",
        "for k in range(n - 2):",
        "    p += 2 * (x >> 4 * k & 15)",
        "print(p)",
    ),
    _case(
        "a key, and a guess that grows behind the listing",
        of.TWIN_PRIMES,
        _READ,
        f"t = {[term ^ 0x2B5 for term in _TWIN]}",
        "print(t[n - 1] ^ 0x2B5 if n < 53 else (t[51] ^ 0x2B5) + (n - 52) ** 2 * 6)",
    ),
]
