"""The n-th Bell number, by the triangle whose rows begin with the last entry of the row
before.
"""

from itertools import accumulate


def bell(n: int) -> int:
    row = [1]
    for _ in range(n):
        row = list(accumulate(row, initial=row[-1]))
    return row[0]


print(bell(int(input())))
