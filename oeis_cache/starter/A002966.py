"""Ways to write 1 as a sum of n unit fractions with denominators in ascending order."""


def ways(numerator: int, denominator: int, parts: int, least: int) -> int:
    """The ways for numerator / denominator with denominators from `least` on."""
    if parts == 1:
        return denominator % numerator == 0 and denominator // numerator >= least
    total = 0
    first = max(least, denominator // numerator + 1)
    for d in range(first, parts * denominator // numerator + 1):
        total += ways(numerator * d - denominator, denominator * d, parts - 1, d)
    return total


print(int(ways(1, 1, int(input()), 1)))
