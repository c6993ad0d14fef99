"""Monotone Boolean functions of n variables, from pairs of such functions of n - 2
variables.
"""


def monotone(n: int) -> list[int]:
    """All monotone functions of n variables, as the bits of their tables of values."""
    functions = [0, 1]
    for k in range(n):
        functions = [
            low | high << (1 << k)
            for low in functions
            for high in functions
            if low & high == low
        ]
    return functions


def dedekind(n: int) -> int:
    if n < 2:
        return len(monotone(n))
    functions = monotone(n - 2)
    below = {f: sum(g & f == g for g in functions) for f in functions}
    above = {f: sum(g & f == f for g in functions) for f in functions}
    # The values with one of the two further variables set are f and g: none set lies
    # below both, both set above.
    return sum(below[f & g] * above[f | g] for f in functions for g in functions)


print(dedekind(int(input())))
