"""Two-coloured bracelets of n beads, by Burnside's lemma."""

from math import gcd


def bracelets(n: int) -> int:
    if n == 0:
        return 1
    turns = sum(2 ** gcd(n, turn) for turn in range(n))
    flips = n * 2 ** ((n + 1) // 2) if n % 2 else n // 2 * 3 * 2 ** (n // 2)
    return (turns + flips) // (2 * n)


print(bracelets(int(input())))
