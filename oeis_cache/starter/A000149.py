"""The integer part of e^n."""

from decimal import Decimal, getcontext

n = int(input())
getcontext().prec = n // 2 + 30
print(int(Decimal(n).exp()))
