"""Held-out programs about digits, words, calendars and boards, some of which need tables of constants."""

from __future__ import annotations

from pytest_llmarith.values import IntegerSequence
from tests.oeis.judges.judged.cases import Case
from tests.oeis.judges.judged_held_out import sequences as of


def _case(name: str, sequence: IntegerSequence, program: str) -> Case:
    return Case(name, sequence, program.lstrip("\n"), False)


DIGITS = [
    _case(
        "the segments of ten digits",
        of.SEGMENTS,
        """
n = input().strip()
segments = {'0': 6, '1': 2, '2': 5, '3': 5, '4': 4, '5': 5, '6': 6, '7': 3, '8': 7, '9': 6}
print(sum(segments[d] for d in n))
""",
    ),
    _case(
        "Roman numerals",
        of.ROMAN,
        """
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
""",
    ),
    _case(
        "Fridays by the months' table of Sakamoto",
        of.FRIDAYS,
        """
def weekday(y, m, d):
    t = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4]
    if m < 3:
        y -= 1
    return (y + y // 4 - y // 100 + y // 400 + t[m - 1] + d) % 7

year = int(input())
print(sum(1 for month in range(1, 13) if weekday(year, month, 13) == 5))
""",
    ),
    _case(
        "names of numbers to four",
        of.STEPS_TO_FOUR,
        """
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
""",
    ),
    _case(
        "a knight's moves from a list",
        of.KNIGHT,
        """
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
""",
    ),
    _case(
        "the lengths of the months by their names",
        of.MONTHS,
        """
import sys

DAYS = {"Jan": 31, "Feb": 28, "Mar": 31, "Apr": 30, "May": 31, "Jun": 30,
        "Jul": 31, "Aug": 31, "Sep": 30, "Oct": 31, "Nov": 30, "Dec": 31}

def leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)

n = int(sys.stdin.read()) - 1
year, month = 1998 + n // 12, list(DAYS)[n % 12]
print(29 if month == "Feb" and leap(year) else DAYS[month])
""",
    ),
    _case(
        "digits of e as decimals",
        of.E_DIGITS,
        """
from decimal import Decimal, getcontext

n = int(input())
getcontext().prec = n + 30
e = Decimal(0)
term = Decimal(1)
k = 0
while term > Decimal(10) ** -(n + 20):
    e += term
    k += 1
    term /= k
digits = str(e).replace(".", "")
print(digits[n - 1])
""",
    ),
    _case(
        "the continued fraction of e from a fraction",
        of.E_CONTINUED,
        """
from fractions import Fraction

n = int(input())
terms = 4 * n + 40
p, q = 0, 1
f = 1
x = Fraction(1)
for k in range(terms, 0, -1):
    x = 1 + x / k
for _ in range(n - 1):
    a = x.numerator // x.denominator
    x = 1 / (x - a)
print(x.numerator // x.denominator)
""",
    ),
    _case(
        "periods of continued fractions of roots",
        of.ROOT_PERIODS,
        """
from math import isqrt

def period(n):
    a0 = isqrt(n)
    if a0 * a0 == n:
        return 0
    seen = {}
    m, d, a, i = 0, 1, a0, 0
    while (m, d, a) not in seen:
        seen[m, d, a] = i
        m = d * a - m
        d = (n - m * m) // d
        a = (a0 + m) // d
        i += 1
    return i - seen[m, d, a]

print(period(int(input())))
""",
    ),
    _case(
        "the Fibonacci word by replacement",
        of.FIBONACCI_WORD,
        """
RULES = str.maketrans({"0": "01", "1": "0"})
n = int(input())
word = "0"
while len(word) <= n:
    word = word.translate(RULES)
print(word[n])
""",
    ),
    _case(
        "superfactorials that start from a list of factorials",
        of.starter("A000178"),
        """
SMALL = [1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880, 3628800]

def factorial(n):
    if n < len(SMALL):
        return SMALL[n]
    f = SMALL[-1]
    for i in range(len(SMALL), n + 1):
        f *= i
    return f

n = int(input())
result = 1
for k in range(1, n + 1):
    result *= factorial(k)
print(result)
""",
    ),
    _case(
        "squares of digits in a dict",
        of.starter("A000216"),
        """
import sys
SQ = {"0": 0, "1": 1, "2": 4, "3": 9, "4": 16, "5": 25, "6": 36, "7": 49, "8": 64, "9": 81}
n = int(sys.stdin.read())
a = 2
for _ in range(n - 1):
    a = sum(SQ[c] for c in str(a))
print(a)
""",
    ),
    _case(
        "powers of two in one text",
        of.starter("A000455"),
        """
n = int(input())
s = ""
k = 0
while len(s) <= n + 1:
    s += str(2 ** k)
    k += 1
print(s[n])
""",
    ),
    _case(
        "look and say by a regular expression",
        of.starter("A005150"),
        """
import re
n = int(input())
s = "1"
for _ in range(n - 1):
    s = re.sub(r"(.)\\1*", lambda m: str(len(m.group(0))) + m.group(1), s)
print(s)
""",
    ),
    _case(
        "Tribonacci by powers of a matrix",
        of.TRIBONACCI,
        """
def matmul(A, B):
    return [[sum(a * b for a, b in zip(row, col)) for col in zip(*B)] for row in A]

def matpow(M, e):
    R = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    while e:
        if e & 1:
            R = matmul(R, M)
        M = matmul(M, M)
        e >>= 1
    return R

M = [[1, 1, 1], [1, 0, 0], [0, 1, 0]]
n = int(input())
print(matpow(M, n)[1][2] if n < 2 else matpow(M, n - 2)[0][0])
""",
    ),
    _case(
        "a rational generating function by its coefficients",
        of.starter("A000338"),
        """
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
""",
    ),
]
