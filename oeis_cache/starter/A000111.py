"""The n-th zigzag number, by the triangle that is summed to and fro."""

from itertools import accumulate


def zigzag(n: int) -> int:
    row = [1]
    for _ in range(n):
        row = list(accumulate(reversed(row), initial=0))
    return row[-1]


print(zigzag(int(input())))
