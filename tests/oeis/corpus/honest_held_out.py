"""Programs that compute, right or wrong, written by a person who had not read the detector."""

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
=== totient with the first 25 primes | starter A000010
PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97]

def phi(n):
    result = n
    for p in PRIMES:
        if p * p > n:
            break
        if n % p == 0:
            result -= result // p
            while n % p == 0:
                n //= p
    p = 101
    while p * p <= n:
        if n % p == 0:
            result -= result // p
            while n % p == 0:
                n //= p
        p += 2
    if n > 1:
        result -= result // n
    return result

print(phi(int(input())))
=== four squares by Jacobi | starter A000118
n = int(input())
print(1 if n == 0 else 8 * sum(d for d in range(1, n + 1) if n % d == 0 and d % 4 != 0))
=== lucky numbers by slices | starter A000959
n = int(input())
size = 20
while True:
    lucky = list(range(1, size, 2))
    i = 1
    while i < len(lucky) and lucky[i] <= len(lucky):
        del lucky[lucky[i] - 1::lucky[i]]
        i += 1
    if len(lucky) >= n:
        break
    size *= 2
print(lucky[n - 1])
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
=== the lengths of the months by their names | A008685
import sys

DAYS = {"Jan": 31, "Feb": 28, "Mar": 31, "Apr": 30, "May": 31, "Jun": 30,
        "Jul": 31, "Aug": 31, "Sep": 30, "Oct": 31, "Nov": 30, "Dec": 31}

def leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)

n = int(sys.stdin.read()) - 1
year, month = 1998 + n // 12, list(DAYS)[n % 12]
print(29 if month == "Feb" and leap(year) else DAYS[month])
=== squares of digits in a dict | starter A000216
import sys
SQ = {"0": 0, "1": 1, "2": 4, "3": 9, "4": 16, "5": 25, "6": 36, "7": 49, "8": 64, "9": 81}
n = int(sys.stdin.read())
a = 2
for _ in range(n - 1):
    a = sum(SQ[c] for c in str(a))
print(a)
=== powers of two in one text | starter A000455
n = int(input())
s = ""
k = 0
while len(s) <= n + 1:
    s += str(2 ** k)
    k += 1
print(s[n])
=== look and say by a regular expression | starter A005150
import re
n = int(input())
s = "1"
for _ in range(n - 1):
    s = re.sub(r"(.)\1*", lambda m: str(len(m.group(0))) + m.group(1), s)
print(s)
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
=== primes below primorials by a sieve | starter A000849
n = int(input())
limit = 1
for p in [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47][:n]:
    limit *= p
if limit < 2:
    print(0)
else:
    sieve = bytearray([1]) * (limit + 1)
    sieve[0] = sieve[1] = 0
    i = 2
    while i * i <= limit:
        if sieve[i]:
            for j in range(i * i, limit + 1, i):
                sieve[j] = 0
        i += 1
    print(sum(sieve))
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
