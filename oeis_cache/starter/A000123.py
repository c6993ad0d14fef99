"""Partitions of 2n into powers of two."""


def binary_partitions(n: int) -> int:
    counts = [1]
    for k in range(1, n + 1):
        counts.append(counts[k - 1] + counts[k // 2])
    return counts[n]


print(binary_partitions(int(input())))
