"""Permutations of n things that consist of three cycles."""


def with_cycles(n: int, cycles: int) -> int:
    counts = [1] + [0] * cycles
    for size in range(n):
        # A new thing opens a cycle of its own, or enters one behind any of the others.
        for k in range(cycles, 0, -1):
            counts[k] = counts[k - 1] + size * counts[k]
        counts[0] *= size
    return counts[cycles]


print(with_cycles(int(input()), 3))
