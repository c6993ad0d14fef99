"""Ways to place n queens that do not attack each other, row by row, with sets of
columns as bits.
"""


def placements(n: int) -> int:
    board = (1 << n) - 1

    def below(columns: int, rising: int, falling: int) -> int:
        if columns == board:
            return 1
        ways = 0
        free = board & ~(columns | rising | falling)
        while free:
            queen = free & -free
            free ^= queen
            ways += below(
                columns | queen, (rising | queen) << 1, (falling | queen) >> 1
            )
        return ways

    return below(0, 0, 0)


print(placements(int(input())))
