"""The n-th Fibonacci number, by doubling the index."""


def fibonacci_pair(n: int) -> tuple[int, int]:
    """F(n) and F(n + 1)."""
    if n == 0:
        return 0, 1
    a, b = fibonacci_pair(n // 2)
    even, odd = a * (2 * b - a), a * a + b * b
    return (odd, even + odd) if n % 2 else (even, odd)


print(fibonacci_pair(int(input()))[0])
