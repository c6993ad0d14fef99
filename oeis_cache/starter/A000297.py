"""(n + 1)(n + 3)(n + 8) / 6, from n = -1 on."""

n = int(input())
print((n + 1) * (n + 3) * (n + 8) // 6)
