"""Shares over cells and over clusters, and the depth up to which 90 % are correct."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from decimal import Decimal
from fractions import Fraction
from math import comb, fsum, log, sqrt
from typing import NamedTuple

from pytest_llmarith.statistics.intervals import (
    Interval,
    Z,
    score_interval,
    two_sided_t,
    wilson,
)

_NINETY_PERCENT = 0.9

_ADDED = 0.5  # clusters

_FEWEST_ANSWERS = 2  # of a cell, to estimate how much its answers vary


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


def clustered(clusters: Collection[Cluster]) -> tuple[float, Interval] | None:
    """The mean share of the clusters with its interval; None if there are none.

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
        return mean, score_interval(mean, len(clusters), Z)
    count, trials = len(clusters) + _ADDED, sum(each.trials for each in clusters)
    middle = (mean * len(clusters) + _ADDED / 2) / count
    spread = fsum((each.share - middle) ** 2 for each in clusters) + _ADDED / 2 * (
        middle**2 + (1 - middle) ** 2
    )
    error = spread / (count * (count - 1))
    independent = min(trials, max(len(clusters), middle * (1 - middle) / error))
    z = two_sided_t(len(clusters) - 1)
    return mean, score_interval(mean, independent, z)


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


class NinetyPercent(NamedTuple):
    """The depth up to which 90 % are correct; None if there is none."""

    shown: int | None
    possible: int | None


def ninety_percent_to(depths: Iterable[Depth]) -> NinetyPercent:
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
    return NinetyPercent(shown, possible)
