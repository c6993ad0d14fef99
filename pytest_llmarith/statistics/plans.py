"""How many questions show a difference between two shares."""

from __future__ import annotations

from bisect import bisect_left
from math import ceil, sqrt
from statistics import NormalDist

from pytest_llmarith.statistics.pairs import POWER, SIGNIFICANT, mcnemar_power

_ROUND_PAIRS = [2**exponent for exponent in range(3, 18)]


def paired_questions(
    discordant: float, difference: float, tests: int = 1
) -> int | None:
    """The fewest pairs with which McNemar's exact test finds the difference with 80 %
    power; None beyond 131,072.

    It is the first of so many `tests` that are corrected together.
    """

    def power(pairs: int) -> float:
        return mcnemar_power(pairs, discordant, difference, tests)

    most = next((pairs for pairs in _ROUND_PAIRS if power(pairs) >= POWER), None)
    return most and bisect_left(range(most), POWER, lo=most // 2, key=power)


def unpaired_questions(accuracy: float, difference: float, tests: int = 1) -> int:
    """The trials of each model, if they are asked different questions: the normal
    approximation for two shares.
    """
    half = difference / 2
    middle = min(max(accuracy, half), 1 - half)
    first, second = middle - half, middle + half
    errors = NormalDist().inv_cdf(1 - SIGNIFICANT / tests / 2) * sqrt(
        2 * middle * (1 - middle)
    )
    errors += NormalDist().inv_cdf(POWER) * sqrt(
        first * (1 - first) + second * (1 - second)
    )
    return ceil((errors / difference) ** 2)
