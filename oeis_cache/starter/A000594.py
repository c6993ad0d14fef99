"""Ramanujan's tau of n: a coefficient of q times the product of all (1 - q^k)^24."""


def tau(n: int) -> int:
    series = [1] + [0] * (n - 1)
    for k in range(1, n):
        for _ in range(24):
            for i in range(n - 1, k - 1, -1):
                series[i] -= series[i - k]
    return series[-1]


print(tau(int(input())))
