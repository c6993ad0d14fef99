"""Permutations of 1..n with exactly two rising runs of two or more elements."""


def two_long_runs(n: int) -> int:
    none, one, two = 1, 0, 0
    for size in range(2, n + 1):
        # The largest element either lengthens or replaces a run, or makes a long one of
        # a single element.
        one, two = 3 * one + (size - 1) * none, 5 * two + (size - 3) * one
    return two


print(two_long_runs(int(input())))
