"""The n-th term of the look-and-say sequence."""

from itertools import groupby

term = "1"
for _ in range(int(input()) - 1):
    term = "".join(f"{len([*block])}{digit}" for digit, block in groupby(term))
print(term)
