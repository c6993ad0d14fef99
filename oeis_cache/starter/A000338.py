"""The coefficient of x^n in x^3 (5 - 2x)(1 - x^3) / (1 - x)^4."""

from itertools import accumulate


def coefficient(n: int) -> int:
    # (5 - 2x)(1 - x^3); each division by 1 - x is a running sum.
    series = [5, -2, 0, -5, 2] + [0] * n
    for _ in range(4):
        series = list(accumulate(series))
    return series[n - 3]


print(coefficient(int(input())))
