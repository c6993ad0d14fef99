"""The n-th menage number, by Touchard's formula."""

from math import comb, factorial


def menage(n: int) -> int:
    if n == 0:
        return 1
    return sum(
        (-1) ** k * 2 * n * comb(2 * n - k, k) // (2 * n - k) * factorial(n - k)
        for k in range(n + 1)
    )


print(menage(int(input())))
