"""Free trees on n vertices, from rooted ones by Otter's formula."""


def rooted_trees(n: int) -> list[int]:
    """The number of rooted trees on 0 to n vertices."""
    trees = [0, 1]
    weights = [0]
    for size in range(1, n):
        weights.append(sum(d * trees[d] for d in range(1, size + 1) if size % d == 0))
        trees.append(
            sum(weights[k] * trees[size - k + 1] for k in range(1, size + 1)) // size
        )
    return trees


def free_trees(n: int) -> int:
    if n == 0:
        return 1
    rooted = rooted_trees(n)
    pairs = sum(rooted[k] * rooted[n - k] for k in range(1, n))
    symmetric = rooted[n // 2] if n % 2 == 0 else 0
    return rooted[n] - (pairs - symmetric) // 2


print(free_trees(int(input())))
