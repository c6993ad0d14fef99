"""Two to the power of the n-th Fibonacci number."""

a, b = 1, 2
for _ in range(int(input())):
    a, b = b, a * b
print(a)
