"""A share over cells that a run fixes beforehand, such as variants and depths."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from math import fsum, sqrt
from typing import NamedTuple

from pytest_llmarith.reports.statistics.intervals import Interval, score_interval, two_sided_z

_FEWEST_ANSWERS = 2  # that say anything about how the answers of a cell vary


class Cell(NamedTuple):
    """How many trials of a cell succeeded, how many were answered, and how many were asked."""

    successes: int
    answered: int
    asked: int


class Overall(NamedTuple):
    """A share with its 95 % interval; without a share the ends are bounds for every outcome of what is unanswered."""

    share: Fraction | None
    interval: Interval


def overall(cells: Collection[Cell]) -> Overall | None:
    """The share of all cells, each weighted by its part of what was asked; None where nothing was answered.

    The interval is the stratified Wilson interval of Yan and Su (Statistics in Biopharmaceutical Research 2(3), 2010),
    or Wilson's of all answers where that one is narrower, as it holds the truth of fixed cells too. It is Wilson's also
    where a cell has a single answer, and where the answers of no cell differ. If a cell was asked and has no answer,
    there is no share: the bounds take all that is unanswered for failures, and for successes.
    """
    cells = [cell for cell in cells if cell.asked]
    asked, answered = sum(cell.asked for cell in cells), sum(cell.answered for cell in cells)
    if not answered:
        return None
    if not all(cell.answered for cell in cells):
        successes = sum(cell.successes for cell in cells)
        return Overall(None, Interval(successes / asked, (successes + asked - answered) / asked))
    share = sum((Fraction(cell.asked * cell.successes, cell.answered) for cell in cells), Fraction()) / asked
    plain, stratified = _plain(cells, asked, share), _stratified(cells, asked)
    return Overall(share, min((plain, stratified), key=lambda interval: interval.high - interval.low))


def _plain(cells: Collection[Cell], asked: int, share: Fraction) -> Interval:
    """Wilson's, of as many answers as say as much where cells lack a different part of theirs (Kish's formula)."""
    answers = asked**2 / sum(Fraction(cell.asked**2, cell.answered) for cell in cells)
    return score_interval(float(share), float(answers), two_sided_z())


def _stratified(cells: Collection[Cell], asked: int) -> Interval:
    """The weighted ends of the cells' intervals, each with fewer standard errors than the whole has."""
    shares = [(cell.asked / asked, cell.successes / cell.answered, cell.answered) for cell in cells]
    errors = [weight * sqrt(share * (1 - share) / answers) for weight, share, answers in shares]
    if not any(errors) or min(cell.answered for cell in cells) < _FEWEST_ANSWERS:
        return Interval(0.0, 1.0)
    z = two_sided_z() * sqrt(fsum(error * error for error in errors)) / fsum(errors)
    intervals = [(weight, score_interval(share, answers, z)) for weight, share, answers in shares]
    low, high = (fsum(weight * interval[end] for weight, interval in intervals) for end in (0, 1))
    return Interval(low, min(1.0, high))
