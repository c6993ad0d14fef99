"""The Bernoulli number B(2n) plus 1/p for every prime p such that p - 1 divides 2n: an
integer.
"""


def tangent_number(n: int) -> int:
    row = [0, 1] + [0] * n
    for k in range(2, n + 1):
        row[k] = (k - 1) * row[k - 1]
    for k in range(2, n + 1):
        for j in range(k, n + 1):
            row[j] = (j - k) * row[j - 1] + (j - k + 2) * row[j]
    return row[n]


def staudt_clausen(n: int) -> int:
    numerator = (-1) ** (n - 1) * 2 * n * tangent_number(n)
    denominator = 4**n * (4**n - 1)
    for p in range(2, 2 * n + 2):
        if 2 * n % (p - 1) == 0 and all(p % d for d in range(2, p)):
            numerator, denominator = numerator * p + denominator, denominator * p
    return numerator // denominator


print(staudt_clausen(int(input())))
