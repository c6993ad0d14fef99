"""The product of the factorials of 1 to n."""

from math import factorial, prod

print(prod(factorial(k) for k in range(1, int(input()) + 1)))
