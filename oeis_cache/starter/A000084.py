"""Series-parallel networks of n unlabelled edges: twice the unordered trees with n
leaves and no lone child.
"""


def networks(n: int) -> int:
    # trees[k]: the networks of k edges that are joined in series (as many as are joined
    # in parallel).
    trees, forests, weights = [0, 1], [1, 1], [0, 1]
    for size in range(2, n + 1):
        known = sum(d * trees[d] for d in range(1, size) if size % d == 0)
        trees.append(
            (sum(weights[k] * forests[size - k] for k in range(1, size)) + known)
            // size
        )
        weights.append(known + size * trees[size])
        forests.append(2 * trees[size])
    return forests[n]


print(networks(int(input())))
