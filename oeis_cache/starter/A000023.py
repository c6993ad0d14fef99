"""n! times the coefficient of x^n in exp(-2x) / (1 - x)."""


def term(n: int) -> int:
    value = power = 1
    for k in range(1, n + 1):
        power *= -2
        value = k * value + power
    return value


print(term(int(input())))
