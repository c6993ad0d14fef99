"""The length of a shortest Golomb ruler with n marks; marks and distances are the bits
of integers.
"""

from itertools import count


def fits(length: int, marks: int, distances: int, missing: int) -> bool:
    """Whether `missing` marks can follow; bit d of `marks` is a mark at distance d
    before the last one.
    """
    if missing == 0:
        return True
    room = length - missing * (missing + 1) // 2 + 1
    for step in range(1, room + 1):
        new = marks << step
        if not new & distances and fits(
            length - step, new | 1, distances | new, missing - 1
        ):
            return True
    return False


n = int(input())
print(next(length for length in count(n * (n - 1) // 2) if fits(length, 1, 0, n - 1)))
