"""n written greedily in the places 1, 8, 27, 64, ..."""


def in_cubes(n: int) -> str:
    base = 1
    while (base + 1) ** 3 <= n:
        base += 1
    digits = ""
    for root in range(base, 0, -1):
        digit, n = divmod(n, root**3)
        digits += str(digit)
    return digits


print(in_cubes(int(input())))
