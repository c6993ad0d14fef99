"""The least N such that two colours on 1..N always leave n of one colour in arithmetic
progression.
"""


def longest(n: int, colours: tuple[int, int], length: int) -> int:
    """How far a colouring can go on; the bits of `colours` are the integers so far, the
    last one at bit 0.
    """
    best = length
    for mine, other in (colours, colours[::-1]) if length else (colours,):
        steps = range(1, length // max(n - 1, 1) + 1)
        if n > 1 and not any(
            all(mine >> (k * d - 1) & 1 for k in range(1, n)) for d in steps
        ):
            best = max(best, longest(n, (mine << 1 | 1, other << 1), length + 1))
    return best


print(longest(int(input()), (0, 0), 0) + 1)
