"""The n-th index m whose Fibonacci number ends with the digits of m."""


def nth_index(n: int) -> int:
    m, a, b = 0, 0, 1
    while True:
        n -= a % 10 ** len(str(m)) == m
        if n == 0:
            return m
        m, a, b = m + 1, b, a + b


print(nth_index(int(input())))
