"""The coefficient of q^n in the modular invariant j = E^3 / D."""


def product(a: list[int], b: list[int]) -> list[int]:
    return [sum(a[i] * b[k - i] for i in range(k + 1)) for k in range(len(a))]


def invariant(n: int) -> int:
    # The series of q * j, cut off behind the wanted term.
    size = n + 2
    eisenstein = [1] + [
        240 * sum(d**3 for d in range(1, m + 1) if m % d == 0) for m in range(1, size)
    ]
    series = product(product(eisenstein, eisenstein), eisenstein)
    for k in range(1, size):
        for _ in range(24):
            for i in range(k, size):
                series[i] += series[i - k]
    return series[-1]


print(invariant(int(input())))
