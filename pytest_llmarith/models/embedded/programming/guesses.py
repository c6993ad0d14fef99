"""What a simulated model writes for a sequence that it does not remember: a program for one that it knows.

A word of the name decides, where it has one that sounds like a known sequence. So a guess is right now and then.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from types import MappingProxyType

from pytest_llmarith.models.embedded.programming.memory import Memory

GUESSES: Mapping[str, str] = MappingProxyType(
    {
        "prime": """\
def is_prime(k):
    return k > 1 and all(k % d for d in range(2, int(k**0.5) + 1))

n = int(input())
k = 1
for _ in range(n):
    k += 1
    while not is_prime(k):
        k += 1
print(k)
""",
        "fibonacci": """\
n = int(input())
a, b = 0, 1
for _ in range(n):
    a, b = b, a + b
print(a)
""",
        "partition": """\
n = int(input())
ways = [1] + [0] * max(n, 0)
for part in range(1, n + 1):
    for total in range(part, n + 1):
        ways[total] += ways[total - part]
print(ways[n])
""",
        "divisor": """\
n = int(input())
print(sum(1 for d in range(1, n + 1) if n % d == 0))
""",
        "sum": """\
n = int(input())
print(sum(d for d in range(1, n + 1) if n % d == 0))
""",
        "coprime": """\
from math import gcd

n = int(input())
print(sum(1 for k in range(1, n + 1) if gcd(k, n) == 1))
""",
        "square": """\
n = int(input())
print(n * n)
""",
        "triang": """\
n = int(input())
print(n * (n + 1) // 2)
""",
        "factorial": """\
from math import factorial

n = int(input())
print(factorial(n))
""",
        "catalan": """\
from math import comb

n = int(input())
print(comb(2 * n, n) // (n + 1))
""",
        "tree": """\
n = int(input())
row = [1]
for _ in range(n):
    following = [row[-1]]
    for value in row:
        following.append(following[-1] + value)
    row = following
print(row[0])
""",
        "binary": """\
n = int(input())
print(bin(n).count("1"))
""",
        "power": """\
n = int(input())
print(2**n)
""",
        "digit": """\
n = int(input())
print(sum(int(digit) for digit in str(abs(n))))
""",
        "expansion": """\
from math import pi

n = int(input())
print(int(pi * 10**n) % 10)
""",
        "number": """\
n = int(input())
print(n)
""",
    }
)
_ATTENTION = 0.7  # how often a word of the name is heeded
_MADE_UP_TERMS = 12


def guess(draw: Random, name: str) -> Memory:
    """A program that may be for this sequence; the terms that go with it are made up, for whoever wants a table."""
    heard = [program for word, program in GUESSES.items() if word in name.lower()]
    heedless = not heard or draw.random() > _ATTENTION
    program = draw.choice(list(GUESSES.values())) if heedless else heard[0]
    return Memory(program, _made_up(draw), offset=draw.choice([0, 1]))


def _made_up(draw: Random) -> tuple[str, ...]:
    terms = [1, draw.randint(1, 4)]
    while len(terms) < _MADE_UP_TERMS:
        terms.append(terms[-1] + draw.choice([terms[-2], len(terms), 1]))
    return tuple(map(str, terms))
