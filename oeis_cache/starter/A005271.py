"""Perfect matchings of the n-cube: even vertices are matched one by one, the sets of
matched odd ones are counted.
"""


def matchings(n: int) -> int:
    sets = {0: 1}
    for vertex in (v for v in range(2**n) if v.bit_count() % 2 == 0):
        partners = [1 << (vertex ^ 1 << axis) for axis in range(n)]
        after: dict[int, int] = {}
        for matched, ways in sets.items():
            for partner in partners:
                if not matched & partner:
                    after[matched | partner] = after.get(matched | partner, 0) + ways
        sets = after
    return sum(sets.values())


print(matchings(int(input())))
