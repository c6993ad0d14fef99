"""The greatest integer that is no sum of distinct n-th powers; the bits of an integer
are the sums there are.
"""


def last_gap(n: int) -> int:
    sums, root = 1, 1
    while True:
        sums |= sums << root**n
        root += 1
        power = root**n
        gap = (~sums & ((1 << power) - 1)).bit_length() - 1
        # Once an unbroken stretch is as long as the next power, every further power
        # makes it longer.
        stretch = (1 << power) - 1
        if (sums >> (gap + 1)) & stretch == stretch:
            return gap


print(last_gap(int(input())))
