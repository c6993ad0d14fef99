"""Ways to divide n labelled things into five non-empty classes."""


def divisions(n: int, classes: int) -> int:
    counts = [1] + [0] * classes
    for _ in range(n):
        # A new thing founds a class, or joins one that is there.
        for k in range(classes, 0, -1):
            counts[k] = counts[k - 1] + k * counts[k]
        counts[0] = 0
    return counts[classes]


print(divisions(int(input()), 5))
