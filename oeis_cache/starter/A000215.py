"""The n-th Fermat number."""

exponent = 2 ** int(input())
print(2**exponent + 1)
