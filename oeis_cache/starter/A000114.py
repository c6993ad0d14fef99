"""The number of cusps of the modular curve X(n)."""


def cusps(n: int) -> int:
    result, rest, p = n * n, n, 2
    while rest > 1:
        if rest % p == 0:
            result -= result // (p * p)
            while rest % p == 0:
                rest //= p
        p += 1
    return result if n == 2 else result // 2


print(cusps(int(input())))
