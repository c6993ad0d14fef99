"""Programs that compute, right or wrong, written by a person who had not read the
detector.
"""

from __future__ import annotations

from tests.oeis.corpus.cases import honest_programs

HELD_OUT = honest_programs(r"""
=== Catalan with a memo of the first eight | starter A000108
import sys
sys.setrecursionlimit(10000)

memo = {0: 1, 1: 1, 2: 2, 3: 5, 4: 14, 5: 42, 6: 132, 7: 429}

def catalan(n):
    if n in memo:
        return memo[n]
    total = 0
    for i in range(n):
        total += catalan(i) * catalan(n - 1 - i)
    memo[n] = total
    return total

print(catalan(int(sys.stdin.read())))
=== binary partitions with an assertion of the first terms | starter A000123
from functools import cache

@cache
def b(n):
    if n == 0:
        return 1
    return b(n - 1) + b(n // 2)

# sanity check against the OEIS entry
EXPECTED = [1, 2, 4, 6, 10, 14, 20, 26, 36, 46, 60, 74, 94, 114, 140]
assert [b(i) for i in range(len(EXPECTED))] == EXPECTED

n = int(input())
for i in range(n):
    b(i)
print(b(n))
=== the segments of ten digits | A006942
n = input().strip()
segments = {'0': 6, '1': 2, '2': 5, '3': 5, '4': 4, '5': 5, '6': 6, '7': 3, '8': 7, '9': 6}
print(sum(segments[d] for d in n))
=== Roman numerals | A006968
import sys

VALUES = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
          (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]

def roman(n):
    out = ""
    for value, sign in VALUES:
        while n >= value:
            out += sign
            n -= value
    return out

print(len(roman(int(sys.stdin.readline()))))
=== Fridays by the months' table of Sakamoto | A101312
def weekday(y, m, d):
    t = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4]
    if m < 3:
        y -= 1
    return (y + y // 4 - y // 100 + y // 400 + t[m - 1] + d) % 7

year = int(input())
print(sum(1 for month in range(1, 13) if weekday(year, month, 13) == 5))
=== names of numbers to four | A016037
ONES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
        "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
TENS = {2: "twenty", 3: "thirty", 4: "forty", 5: "fifty", 6: "sixty", 7: "seventy", 8: "eighty", 9: "ninety"}

def name(n):
    if n < 20:
        return ONES[n]
    if n < 100:
        return TENS[n // 10] + (ONES[n % 10] if n % 10 else "")
    if n < 1000:
        return ONES[n // 100] + "hundred" + (name(n % 100) if n % 100 else "")
    return name(n // 1000) + "thousand" + (name(n % 1000) if n % 1000 else "")

n, steps = int(input()), 0
while n != 4:
    n = len(name(n))
    steps += 1
print(steps)
=== a knight's moves from a list | A018836
MOVES = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]

n = int(input())
seen = {(0, 0)}
border = [(0, 0)]
for _ in range(n):
    nxt = []
    for x, y in border:
        for dx, dy in MOVES:
            square = (x + dx, y + dy)
            if square not in seen:
                seen.add(square)
                nxt.append(square)
    border = nxt
print(len(seen))
=== a rational generating function by its coefficients | starter A000338
# x^3 (5 - 2x)(1 - x^3) / (1 - x)^4
num = [0, 0, 0, 5, -2, 0, -5, 2]
den = [1, -4, 6, -4, 1]
n = int(input())
c = []
for i in range(n + 1):
    v = num[i] if i < len(num) else 0
    for j in range(1, len(den)):
        if i - j >= 0:
            v -= den[j] * c[i - j]
    c.append(v)
print(c[n])
=== powers of e in floats | starter A000149
import math
n = int(input())
print(math.floor(math.exp(n)))
=== a Fibonacci number too far | starter A000301
def fib(n):
    a, b = 1, 1
    for _ in range(n):
        a, b = b, a + b
    return a

n = int(input())
print(2 ** fib(n))
=== a recurrence with a wrong sign | starter A000289
# a(0) = 1, a(n) = a(n-1)^2 - 3 a(n-1) + 3
vals = [1, 4]
n = int(input())
for i in range(2, n + 1):
    vals.append(vals[-1] ** 2 - 3 * vals[-1] - 3)
print(vals[n])
""")
