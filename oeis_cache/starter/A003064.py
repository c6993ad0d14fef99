"""The least integer whose shortest addition chain has n additions."""

from itertools import count


def reaches(goal: int, chain: list[int], additions: int) -> bool:
    """Whether the chain can be continued to the goal, always with its last member:
    below 12509 that suffices.
    """
    last = chain[-1]
    if last == goal:
        return True
    if last << additions < goal:
        return False
    sums = (last + other for other in reversed(chain) if last + other <= goal)
    return any(reaches(goal, [*chain, total], additions - 1) for total in sums)


n = int(input())
print(
    next(goal for goal in count(2 ** (n // 2)) if not reaches(goal, [1], n - 1))
    if n
    else 1
)
