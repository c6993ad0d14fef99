"""Permutations of n things with floor(n(n - 1) / 4) inversions."""


def kendall_mann(n: int) -> int:
    counts = [1]
    for size in range(2, n + 1):
        # The new largest thing adds 0 to size - 1 inversions.
        wider = [0] * (len(counts) + size - 1)
        for inversions, ways in enumerate(counts):
            for more in range(size):
                wider[inversions + more] += ways
        counts = wider
    return counts[n * (n - 1) // 4]


print(kendall_mann(int(input())))
