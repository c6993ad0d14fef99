"""The n-th digit of all powers of two written in a row."""

n = int(input())
power = 1
while n >= len(str(power)):
    n -= len(str(power))
    power *= 2
print(str(power)[n])
