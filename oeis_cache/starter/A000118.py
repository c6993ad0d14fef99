"""Representations of n as four squares:

Jacobi's eight times the divisors that four does not divide.
"""

n = int(input())
print(8 * sum(d for d in range(1, n + 1) if n % d == 0 and d % 4) if n else 1)
