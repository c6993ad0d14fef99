"""The number of partitions of n, by Euler's recurrence over the pentagonal numbers."""


def partitions(n: int) -> int:
    counts = [1]
    for m in range(1, n + 1):
        total, k, sign = 0, 1, 1
        while (pentagonal := k * (3 * k - 1) // 2) <= m:
            total += sign * counts[m - pentagonal]
            if pentagonal + k <= m:
                total += sign * counts[m - pentagonal - k]
            k, sign = k + 1, -sign
        counts.append(total)
    return counts[n]


print(partitions(int(input())))
