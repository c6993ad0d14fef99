"""The n-th term of the Kolakoski sequence, which lists the lengths of its own runs."""


def kolakoski(n: int) -> int:
    terms = [1, 2, 2]
    run = 2
    while len(terms) < n:
        terms += [3 - terms[-1]] * terms[run]
        run += 1
    return terms[n - 1]


print(kolakoski(int(input())))
