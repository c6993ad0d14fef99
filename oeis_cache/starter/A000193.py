"""The natural logarithm of n, rounded."""

from math import log

print(round(log(int(input()))))
