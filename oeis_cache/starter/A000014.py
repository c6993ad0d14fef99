"""Free trees on n vertices without a vertex of degree two: vertex-rooted minus
unsymmetric edge-rooted ones.
"""


def multisets(planted: list[int], size: int) -> list[int]:
    """Multisets of planted trees by their total number of vertices (the Euler
    transform).
    """
    weights = [
        sum(d * planted[d] for d in range(1, k + 1) if k % d == 0)
        for k in range(size + 1)
    ]
    counts = [1]
    for n in range(1, size + 1):
        counts.append(sum(weights[k] * counts[n - k] for k in range(1, n + 1)) // n)
    return counts


def trees(n: int) -> int:
    if n == 0:
        return 0
    # A planted tree hangs on an edge: its top vertex has any number of branches but
    # one.
    planted = [0]
    for size in range(n):
        planted.append(multisets(planted, size)[size] - planted[size])
    square = [
        sum(planted[i] * planted[k - i] for i in range(k + 1)) for k in range(n + 1)
    ]
    halves = [planted[k // 2] if k % 2 == 0 else 0 for k in range(n + 1)]
    rooted_at_vertex = (
        multisets(planted, n - 1)[n - 1] - (square[n - 1] + halves[n - 1]) // 2
    )
    return rooted_at_vertex - (square[n] - halves[n]) // 2


print(trees(int(input())))
