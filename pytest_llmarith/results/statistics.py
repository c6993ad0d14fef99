"""Percentages, means and quantiles with their 95 % intervals, and the depth up to which
90 % are correct.

scipy and statsmodels have most of these formulas, but take more than 100 MB of disk;
each formula here is a few lines. The tests compare them with published examples.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from math import atan, comb, cos, erfc, fsum, log, pi, sin, sqrt, tan
from random import Random
from typing import NamedTuple

from pytest_llmarith.summaries import (
    NinetyPercentTo,
    Outcomes,
    Percentage,
)

# standard errors to either side of the mean that hold 95 % of a normal distribution
Z = 1.9599639845400536
_NINETY_PERCENT = 0.9
_RESAMPLES, _TAIL = 2_000, 50  # draws, and those beyond either end of the interval
# degrees of freedom from which Student's t is close to the normal distribution
_MANY = 1_000
_HALVINGS = 60
_DECIMALS = 4  # of a percentage in a summary
_FEWEST_DRAWN = 10  # values of a bootstrap
_ADDED = 0.5  # clusters
_FEWEST_ANSWERS = 2  # of a cell, to estimate how much its answers vary


class Interval(NamedTuple):
    """The ends of an interval: of a share from 0 to 1, or of a difference of two shares
    from -1 to 1.
    """

    low: float
    high: float


class Cell(NamedTuple):
    """Trials of one variant at one depth: correct, answered and asked, which is the
    weight of the cell.
    """

    successes: int
    answered: int
    asked: int | Fraction


class Overall(NamedTuple):
    """A share over cells.

    If a cell has no answer, `share` is None and the interval holds every possible
    result.
    """

    share: Fraction | None
    interval: Interval


class Cluster(NamedTuple):
    """Correlated trials, such as the repeats of one problem: correct ones, and all of
    them (at least one).
    """

    successes: int
    trials: int

    @property
    def share(self) -> float:
        return self.successes / self.trials

    @classmethod
    def of(cls, clusters: Iterable[tuple[int, int]]) -> Cluster:
        """All trials of some clusters together."""
        successes, trials = (
            sum(counts) for counts in zip((0, 0), *clusters, strict=True)
        )
        return cls(successes, trials)


def percent(part: int, whole: int, decimals: int = 1) -> Decimal:
    """`part` of `whole` in percent, correctly rounded (half to even)."""
    return (Decimal(100 * part) / Decimal(whole)).quantize(Decimal(1).scaleb(-decimals))


def wilson(successes: int, n: int) -> Interval | None:
    """Wilson's score interval of a proportion (1927); None if `n` is 0."""
    return score_interval(successes / n, n, Z) if n else None


def score_interval(share: float, n: float, z: float) -> Interval:
    """Wilson's interval with `z` standard errors to either side; `n` may be a
    fraction.
    """
    wing = z * z / n
    middle = (share + wing / 2) / (1 + wing)
    half = sqrt(wing * (share * (1 - share) + wing / 4)) / (1 + wing)
    # For 0 and 1 the exact end is the share itself; floats are off in the last digit.
    low = 0.0 if share == 0 else max(0.0, min(middle - half, share))
    high = 1.0 if share == 1 else min(1.0, max(middle + half, share))
    return Interval(low, high)


def overall(cells: Collection[Cell]) -> Overall | None:
    """The share over cells, each weighted by how much was asked in it; None if nothing
    was answered.

    The interval is the stratified Wilson interval of Yan and Su (Statistics in
    Biopharmaceutical Research 2(3), 2010). Wilson's interval of all answers replaces it
    if that is narrower, if a cell has a single answer, or if the answers of each cell
    agree. If a cell has no answer, the ends are the shares with everything unanswered
    wrong, and right.
    """
    cells = [cell for cell in cells if cell.asked]
    asked, answered = (
        sum(cell.asked for cell in cells),
        sum(cell.answered for cell in cells),
    )
    if not answered:
        return None
    if not all(cell.answered for cell in cells):
        successes = sum(cell.successes for cell in cells)
        return Overall(
            None,
            Interval(
                float(successes / asked), float((successes + asked - answered) / asked)
            ),
        )
    share = (
        sum(
            (Fraction(cell.asked * cell.successes, cell.answered) for cell in cells),
            Fraction(),
        )
        / asked
    )
    # Kish's effective sample size.
    effective = asked**2 / sum(Fraction(cell.asked**2, cell.answered) for cell in cells)
    plain = score_interval(float(share), float(effective), Z)
    stratified = _stratified(cells, asked)
    return Overall(
        share,
        min((plain, stratified), key=lambda interval: interval.high - interval.low),
    )


def _stratified(cells: Collection[Cell], asked: int | Fraction) -> Interval:
    """The weighted means of the ends of the cells' intervals."""
    shares = [
        (float(cell.asked / asked), cell.successes / cell.answered, cell.answered)
        for cell in cells
    ]
    errors = [
        weight * sqrt(share * (1 - share) / answers)
        for weight, share, answers in shares
    ]
    if not any(errors) or min(cell.answered for cell in cells) < _FEWEST_ANSWERS:
        return Interval(0.0, 1.0)
    z = Z * sqrt(fsum(error * error for error in errors)) / fsum(errors)
    intervals = [
        (weight, score_interval(share, answers, z)) for weight, share, answers in shares
    ]
    low, high = (
        fsum(weight * interval[end] for weight, interval in intervals) for end in (0, 1)
    )
    return Interval(low, min(1.0, high))


def clustered_percentage(clusters: Collection[Cluster]) -> Percentage | None:
    """The mean share of the clusters in percent; None if there are none.

    The standard error is that of the clusters' means (Miller 2024, arXiv 2411.00640,
    section 2.2). It is converted into the number of independent trials that would have
    the same error, at least one per cluster and at most all trials. These get Wilson's
    interval, with Student's t as clusters may be few. If all clusters have the same
    share, it is Wilson's interval of one trial per cluster.
    """
    if not clusters:
        return None
    mean = fsum(each.share for each in clusters) / len(clusters)
    if len({each.share for each in clusters}) == 1:
        return share_with(score_interval(mean, len(clusters), Z), mean)
    count, trials = len(clusters) + _ADDED, sum(each.trials for each in clusters)
    middle = (mean * len(clusters) + _ADDED / 2) / count
    spread = fsum((each.share - middle) ** 2 for each in clusters) + _ADDED / 2 * (
        middle**2 + (1 - middle) ** 2
    )
    error = spread / (count * (count - 1))
    independent = min(trials, max(len(clusters), middle * (1 - middle) / error))
    return share_with(
        score_interval(mean, independent, two_sided_t(len(clusters) - 1)), mean
    )


def pass_at(k: int, clusters: Collection[Cluster]) -> float | None:
    """The probability that one of `k` trials is correct, over clusters with `k` trials
    or more; None without any.

    This is the unbiased estimate of Chen et al. 2021, arXiv 2107.03374: `1 - C(n - c,
    k) / C(n, k)`.
    """
    found = [
        1 - comb(n - successes, k) / comb(n, k) for successes, n in clusters if n >= k
    ]
    return fsum(found) / len(found) if found else None


def bootstrap_mean(values: Sequence[float]) -> Interval | None:
    """The percentile interval of a mean over 2,000 draws (Efron and Tibshirani 1993,
    chapter 13).

    None if all values are equal, or if there are fewer than ten, of which the interval
    would be too narrow. The same values in the same order give the same interval.
    """
    if len(set(values)) == 1 or len(values) < _FEWEST_DRAWN:
        return None
    draw = Random(0)
    drawn = sorted(
        fsum(draw.choices(values, k=len(values))) / len(values)
        for _ in range(_RESAMPLES)
    )
    return Interval(drawn[_TAIL], drawn[-1 - _TAIL])


def kappa(both: int, first: int, second: int, neither: int) -> float | None:
    """Cohen's kappa (1960): the agreement of two judges beyond chance, from -1 to 1.

    The counts are of cases that both, only the first, only the second, and neither of
    them found. None if it is undefined: there is no case, or both judges give all cases
    the same verdict.
    """
    total = both + first + second + neither
    if total == 0:
        return None
    agreed = Fraction(both + neither, total)
    yes, also = Fraction(both + first, total), Fraction(both + second, total)
    chance = yes * also + (1 - yes) * (1 - also)
    return None if chance == 1 else float((agreed - chance) / (1 - chance))


class Depth(NamedTuple):
    """The trials at one depth, or at neighbouring ones up to it."""

    depth: int
    correct: int
    measured: int

    @property
    def share(self) -> float:
        return self.correct / self.measured

    @property
    def log_odds(self) -> float:
        """With half a right and half a wrong answer more, so that it is finite."""
        return log((self.correct + 0.5) / (self.measured - self.correct + 0.5))

    def excess(self, share: float) -> float:
        """How many more answers are right than with this probability."""
        return self.correct - share * self.measured


def ninety_percent_to(depths: Iterable[Depth]) -> NinetyPercentTo:
    """The largest depth up to which at least 90 % of the answers are shown to be
    correct, or may be.

    It is shown if Wilson's lower bound of all answers up to this depth is 90 % or more.
    The opposite is shown if the upper bound of all answers up to a depth, or of those
    at this depth alone, is below 90 %.
    """
    shown, possible, correct, measured = None, None, 0, 0
    for depth in sorted(depths):
        correct, measured = correct + depth.correct, measured + depth.measured
        alone, together = (
            wilson(depth.correct, depth.measured),
            wilson(correct, measured),
        )
        if alone is None or together is None:
            continue
        if min(alone.high, together.high) < _NINETY_PERCENT:
            break
        possible = depth.depth
        if together.low >= _NINETY_PERCENT:
            shown = depth.depth
    return NinetyPercentTo(shown, possible)


def quantile_of_sorted(ordered: Sequence[float], percentile: int) -> float:
    """The value that this percentage of one or more values does not exceed.

    This is type 7 of Hyndman and Fan (1996), as in R, numpy and spreadsheets.
    """
    place, rest = divmod((len(ordered) - 1) * percentile, 100)
    if rest == 0:
        return float(ordered[place])
    low, high = ordered[place], ordered[place + 1]
    return min(high, low + (high - low) * (rest / 100))


@cache
def two_sided_t(degrees: int) -> float:
    """The same as `Z` for Student's t: 12.7 for one degree of freedom, 1.96 for
    many.
    """
    if degrees > _MANY:
        return Z + (Z**3 + Z) / (4 * degrees)  # Abramowitz and Stegun 1964, 26.7.5
    low, high = 0.0, pi / 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, degrees) < 0.95 else (low, middle)
    return sqrt(degrees) * tan(low)


def two_sided_p(errors: float, degrees: int) -> float:
    """The two-sided p of a difference of this many standard errors, by Student's t."""
    if degrees > _MANY:
        normal = (
            errors * (1 - 1 / (4 * degrees)) / sqrt(1 + errors**2 / (2 * degrees))
        )  # the same, 26.7.8
        return erfc(normal / sqrt(2))
    return max(0.0, 1 - _within(atan(errors / sqrt(degrees)), degrees))


def _within(angle: float, degrees: int) -> float:
    """The probability that |t| is below `sqrt(degrees) * tan(angle)` (the same, 26.7.3
    and 26.7.4).
    """
    odd = degrees % 2
    factor = cos(angle) if odd else 1.0
    total = factor if degrees > 1 else 0.0
    for power in range(2 + odd, degrees - 1, 2):
        factor *= cos(angle) ** 2 * (power - 1) / power
        total += factor
    return (angle + sin(angle) * total) * 2 / pi if odd else sin(angle) * total


# --- in percent, as in a summary ------------------------------------------------------


def percentage(part: int, whole: int) -> Percentage | None:
    """A proportion with Wilson's interval; None if nothing was measured."""
    if (interval := wilson(part, whole)) is None:
        return None
    return Percentage(
        float(percent(part, whole, _DECIMALS)), *map(in_percent, interval)
    )


def overall_percentage(cells: Collection[Cell]) -> Percentage | None:
    """The percentage of all cells with its interval.

    If a cell has no answer, it has bounds and no percentage.
    """
    if (found := overall(cells)) is None:
        return None
    exact = None if found.share is None else float(round(100 * found.share, _DECIMALS))
    return Percentage(exact, *map(in_percent, found.interval))


def correct_percentage(cells: Iterable[Outcomes]) -> Percentage | None:
    """The percentage of correct trials over cells of a summary."""
    return overall_percentage(
        [
            Cell(cell.correct, cell.answered, cell.answered + cell.unanswered)
            for cell in cells
        ]
    )


def share_with(interval: Interval | None, share: float) -> Percentage:
    """A share with a given interval, which may be unknown."""
    return Percentage(
        in_percent(share), *(map(in_percent, interval) if interval else (None, None))
    )


def in_percent(share: float) -> float:
    """A share from 0 to 1 in percent, with the precision of a summary."""
    return round(100 * share, _DECIMALS)
