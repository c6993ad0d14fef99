"""Shares over cells and over clusters, and the depth up to which 90 % are correct."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from decimal import Decimal
from fractions import Fraction
from math import comb, fsum, log, sqrt
from typing import NamedTuple

from pytest_llmarith.statistics.distributions import Z, two_sided_t
from pytest_llmarith.statistics.intervals import Interval, score_interval, wilson
from pytest_llmarith.statistics.means import squares_around

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
        successes, trials = 0, 0
        for more_successes, more_trials in clusters:
            successes += more_successes
            trials += more_trials
        return cls(successes, trials)


def percent(part: int, whole: int, decimals: int = 1) -> Decimal:
    """`part` of `whole` in percent, correctly rounded (half to even)."""
    exact = Decimal(100 * part) / Decimal(whole)
    return exact.quantize(Decimal(1).scaleb(-decimals))


def overall(cells: Collection[Cell]) -> Overall | None:
    """The share over cells, each weighted by how much was asked in it, from 0 to 1;
    None if nothing was answered.

    The interval is the stratified Wilson interval of Yan and Su (Statistics in
    Biopharmaceutical Research 2(3), 2010). Wilson's interval of all answers replaces it
    if that is narrower, if a cell has a single answer, or if the answers of each cell
    agree. If a cell has no answer, the ends are the shares with everything unanswered
    wrong, and right.
    """
    cells = [cell for cell in cells if cell.asked]
    asked: int | Fraction = 0
    answered = successes = 0
    for cell in cells:
        asked += cell.asked
        answered += cell.answered
        successes += cell.successes
    if not answered:
        return None
    if not all(cell.answered for cell in cells):
        unanswered = asked - answered
        low, high = successes / asked, (successes + unanswered) / asked
        return Overall(None, Interval(float(low), float(high)))
    right, squares = Fraction(), Fraction()
    for cell in cells:
        right += Fraction(cell.asked * cell.successes, cell.answered)
        squares += Fraction(cell.asked**2, cell.answered)
    share = right / asked
    effective = asked**2 / squares  # the sample size by Kish 1965, Survey Sampling
    plain = score_interval(float(share), float(effective))
    stratified = _stratified(cells, asked)
    if stratified is None or _width(plain) <= _width(stratified):
        return Overall(share, plain)
    return Overall(share, stratified)


def _width(interval: Interval) -> float:
    return interval.high - interval.low


def _stratified(cells: Collection[Cell], asked: int | Fraction) -> Interval | None:
    """The weighted means of the ends of the cells' intervals; None if a cell has a
    single answer, or if the answers of each cell agree.
    """
    errors, squares = [], []
    for cell in cells:
        if cell.answered < _FEWEST_ANSWERS:
            return None
        share = cell.successes / cell.answered
        error = float(cell.asked / asked) * sqrt(share * (1 - share) / cell.answered)
        errors.append(error)
        squares.append(error * error)
    if not any(errors):
        return None
    z = Z * sqrt(fsum(squares)) / fsum(errors)
    lows, highs = [], []
    for cell in cells:
        weight = float(cell.asked / asked)
        low, high = score_interval(cell.successes / cell.answered, cell.answered, z)
        lows.append(weight * low)
        highs.append(weight * high)
    return Interval(fsum(lows), min(1.0, fsum(highs)))


def clustered(clusters: Collection[Cluster]) -> tuple[float, Interval] | None:
    """The mean share of the clusters with its interval, from 0 to 1; None if there are
    none.

    The standard error is that of the clusters' means (Miller 2024, arXiv 2411.00640,
    section 2.2). It is converted into the number of independent trials that would have
    the same error, at least one per cluster and at most all trials. These get Wilson's
    interval, with Student's t as clusters may be few. If all clusters have the same
    share, it is Wilson's interval of one trial per cluster.
    """
    if not clusters:
        return None
    shares = []
    trials = 0
    for cluster in clusters:
        shares.append(cluster.share)
        trials += cluster.trials
    mean = fsum(shares) / len(shares)
    if len(set(shares)) == 1:
        return mean, score_interval(mean, len(shares))
    # Half a cluster is added, half of it right.
    count = len(shares) + _ADDED
    middle = (mean * len(shares) + _ADDED / 2) / count
    squares = squares_around(middle, shares)
    squares += _ADDED / 2 * (middle**2 + (1 - middle) ** 2)
    variance = squares / (count * (count - 1))
    independent = min(trials, max(len(shares), middle * (1 - middle) / variance))
    z = two_sided_t(len(shares) - 1)
    return mean, score_interval(mean, independent, z)


def pass_at(k: int, clusters: Collection[Cluster]) -> float | None:
    """The probability that one of `k` trials is correct, from 0 to 1, over clusters
    with `k` trials or more; None without any.

    This is the unbiased estimate of Chen et al. 2021, arXiv 2107.03374: `1 - C(n - c,
    k) / C(n, k)`.
    """
    found = []
    for successes, n in clusters:
        if n >= k:
            found.append(1 - comb(n - successes, k) / comb(n, k))
    if not found:
        return None
    return fsum(found) / len(found)


def kappa(both: int, first: int, second: int, neither: int) -> float | None:
    """The agreement of two raters beyond chance, from -1 to 1: Cohen's kappa (1960,
    Educational and Psychological Measurement 20, 37-46).

    The counts are of cases that both, only the first, only the second, and neither of
    them found. None if it is undefined: there is no case, or both raters give all cases
    the same verdict.
    """
    total = both + first + second + neither
    if total == 0:
        return None
    agreed = Fraction(both + neither, total)
    yes, also = Fraction(both + first, total), Fraction(both + second, total)
    chance = yes * also + (1 - yes) * (1 - also)
    if chance == 1:
        return None
    return float((agreed - chance) / (1 - chance))


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

    It is shown if the lower bound of Wilson's interval (1927) of all answers up to this
    depth is 90 % or more. The opposite is shown if the upper bound of all answers up to
    a depth, or of those at this depth alone, is below 90 %.
    """
    shown, possible = None, None
    correct = measured = 0
    for depth in sorted(depths):
        correct += depth.correct
        measured += depth.measured
        alone = wilson(depth.correct, depth.measured)
        together = wilson(correct, measured)
        if alone is None or together is None:
            continue
        if min(alone.high, together.high) < _NINETY_PERCENT:
            break
        possible = depth.depth
        if together.low >= _NINETY_PERCENT:
            shown = depth.depth
    return NinetyPercent(shown, possible)
