"""Two-coloured rings of n beads up to rotation, reflection and exchange of colours, by
Burnside's lemma.
"""

from math import gcd


def rings(n: int) -> int:
    if n == 0:
        return 1
    fixed = 0
    for turn in range(n):
        cycles = gcd(n, turn)
        # An exchange of colours needs cycles of even length, and allows the same
        # colourings then.
        fixed += 2**cycles * (1 if n // cycles % 2 else 2)
    if n % 2:
        fixed += n * 2 ** ((n + 1) // 2)
    else:
        fixed += n // 2 * (2 ** (n // 2 + 1) + 2 * 2 ** (n // 2))
    return fixed // (4 * n)


print(rings(int(input())))
