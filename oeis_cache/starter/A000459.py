"""Arrangements of 1, 1, 2, 2, ..., n, n without a k at the k-th pair of places, by the
rook polynomial.
"""

from math import factorial


def arrangements(n: int) -> int:
    # (x^2 - 4x + 2)^n; in the end x^k stands for k! arrangements.
    polynomial = [1]
    for _ in range(n):
        wider = [0] * (len(polynomial) + 2)
        for k, value in enumerate(polynomial):
            wider[k] += 2 * value
            wider[k + 1] -= 4 * value
            wider[k + 2] += value
        polynomial = wider
    return sum(value * factorial(k) for k, value in enumerate(polynomial)) // 2**n


print(arrangements(int(input())))
