"""The n-th tangent number."""


def tangent_number(n: int) -> int:
    row = [0, 1] + [0] * n
    for k in range(2, n + 1):
        row[k] = (k - 1) * row[k - 1]
    for k in range(2, n + 1):
        for j in range(k, n + 1):
            row[j] = (j - k) * row[j - 1] + (j - k + 2) * row[j]
    return row[n]


print(tangent_number(int(input())))
