"""Latin squares of order n with the first row and the first column in order."""


def squares(n: int) -> int:
    symbols = (1 << n) - 1
    in_row = [1 << k for k in range(n)]
    in_column = [1 << k for k in range(n)]

    def fill(cell: int) -> int:
        if cell == n * n:
            return 1
        row, column = divmod(cell, n)
        if column == 0:
            return fill(cell + 1)
        ways = 0
        free = symbols & ~(in_row[row] | in_column[column])
        while free:
            symbol = free & -free
            free ^= symbol
            in_row[row] |= symbol
            in_column[column] |= symbol
            ways += fill(cell + 1)
            in_row[row] ^= symbol
            in_column[column] ^= symbol
        return ways

    return fill(n)


print(squares(int(input())))
