"""The greatest number of 5-subsets of an n-set that pairwise share at most one
element.
"""

from itertools import combinations


def bound(n: int) -> int:
    """No more subsets than this: k of them meet in at most k(k - 1)/2 elements, spread
    as evenly as can be.
    """
    k = 0
    while True:
        each, more = divmod(5 * (k + 1), n)
        if n * each * (each - 1) // 2 + more * each > k * (k + 1) // 2:
            return k
        k += 1


def packing(n: int) -> int:
    goal = bound(n)

    def best(chosen: int, candidates: list[int]) -> int:
        most = chosen
        for at, subset in enumerate(candidates):
            if most == goal or chosen + len(candidates) - at <= most:
                break
            rest = [
                other
                for other in candidates[at + 1 :]
                if (other & subset).bit_count() < 2
            ]
            most = max(most, best(chosen + 1, rest))
        return most

    return best(
        0,
        [
            sum(1 << element for element in subset)
            for subset in combinations(range(n), 5)
        ],
    )


print(packing(int(input())))
