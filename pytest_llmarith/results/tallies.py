"""Counts trials: outcomes, costs, times, sizes of errors, reasons, repeats.

Only numbers of each record are kept.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal, localcontext
from operator import attrgetter
from statistics import median
from typing import Any, NamedTuple, get_args

from pytest_llmarith import summaries
from pytest_llmarith.records import NumberDetails, Record, Usage
from pytest_llmarith.results.percentages import (
    clustered_percentage,
    overall_percentage,
    percentage,
)
from pytest_llmarith.statistics.intervals import in_percent
from pytest_llmarith.statistics.means import quantile_of_sorted
from pytest_llmarith.statistics.shares import Cell, Cluster, pass_at
from pytest_llmarith.types import INVALID_GRADE, Outcome

MOST_REASONS = 50  # messages of providers may all differ
LONGEST_REASON = 300
OTHER_REASONS = "other reasons"

_MEASURED = tuple(outcome for outcome in Outcome if outcome is not Outcome.UNANSWERED)
# For sums and medians of exact numbers: 4,096 digits are enough for any answer, and no
# exponent overflows.
_WIDE = Context(prec=4096, rounding=ROUND_HALF_EVEN, Emax=MAX_EMAX, Emin=MIN_EMIN)
_FEW = Context(prec=6, Emax=MAX_EMAX, Emin=MIN_EMIN)

_KINDS: tuple[summaries.AmountKind, ...] = get_args(summaries.AmountKind)
_amounts_in = attrgetter(*_KINDS)


class Outcomes(Counter[Outcome]):
    """Trials by outcome."""

    @property
    def measured(self) -> int:
        """Trials with a reply."""
        return self.total() - self[Outcome.UNANSWERED]


def percentages_of(cells: Collection[Outcomes]) -> summaries.Percentages:
    """The percentage of each outcome over all cells."""
    found: summaries.Percentages = {}
    for outcome in _MEASURED:
        counted = []
        for cell in cells:
            counted.append(Cell(cell[outcome], cell.measured, cell.total()))
        found[outcome] = overall_percentage(counted)
    return found


class Tally:
    """The trials of a cell or another group: outcomes, costs, and sizes of errors."""

    def __init__(self, parts: Iterable[Tally] = ()) -> None:
        self.outcomes = Outcomes()
        self.replies: list[tuple[float | None, ...]] = []  # their amounts, by `_KINDS`
        self.errors: list[NumberDetails] = []  # of deviates
        for part in parts:
            self.outcomes.update(part.outcomes)
            self.replies += part.replies
            self.errors += part.errors

    def add(self, record: Record) -> None:
        """Count one record."""
        self.outcomes[record.outcome] += 1
        for reply in replies_of(record):
            self.replies.append(_amounts_in(reply))
        if record.outcome is Outcome.DEVIATE and record.number:
            self.errors.append(record.number)

    @property
    def average_absolute_error(self) -> str | None:
        """The mean of the absolute errors."""
        known = _decimals(error.absolute_error for error in self.errors)
        if not known:
            return None
        with localcontext(_WIDE):
            return _text(sum(known, Decimal(0)) / len(known))

    def spending(self) -> summaries.Spending:
        """The amounts of all replies by kind; None if a kind is unknown for all."""
        spending: summaries.Spending = {}
        for place, kind in enumerate(_KINDS):
            spending[kind] = amounts_of(kind, [one[place] for one in self.replies])
        return spending

    def error_sizes(self) -> summaries.ErrorSizes:
        """The sizes of errors of deviates."""
        relative = _decimals(error.relative_error for error in self.errors)
        leading = [error.leading_digits for error in self.errors]
        with localcontext(_WIDE):
            return summaries.ErrorSizes(
                median_relative_error=_text(median(relative)) if relative else None,
                median_leading_digits=float(median(leading)) if leading else None,
                other_length=sum(error.has_other_length for error in self.errors),
            )

    def cells(self) -> dict[str, Any]:
        """The fields of `summaries.Cells`."""
        correct, measured = self.outcomes[Outcome.CORRECT], self.outcomes.measured
        fields: dict[str, Any] = {}
        for outcome in Outcome:
            fields[str(outcome)] = self.outcomes[outcome]
        fields["measured"] = measured
        fields["correct_percentage"] = percentage(correct, measured)
        fields["spending"] = self.spending()
        fields["error_sizes"] = self.error_sizes()
        return fields


def _decimals(texts: Iterable[str | None]) -> list[Decimal]:
    """The known numbers."""
    return [Decimal(text) for text in texts if text is not None]


def amounts_of(
    kind: summaries.AmountKind, values: Sequence[float | None]
) -> summaries.Amounts | None:
    """The known amounts of one kind; their sum is exact. None if all are unknown."""
    known = sorted(float(value) for value in values if value is not None)
    if not known:
        return None
    total = Decimal(0)
    with localcontext(_WIDE):
        for value in known:
            total += Decimal(repr(value))
    whole = int(total) if kind.endswith("tokens") else float(total)
    p90 = quantile_of_sorted(known, 90)
    return summaries.Amounts(whole, median(known), p90, len(known))


def _text(number: Decimal) -> str:
    """A number with few digits, such as `0.00125`, `1200` or `4.82351e+21`."""
    short = number.normalize(_FEW)
    if -_FEW.prec <= short.adjusted() < _FEW.prec:
        return f"{short:f}"
    return f"{short:g}"


def replies_of(record: Record) -> Iterator[Usage]:
    """Every reply of a trial, or its usage if the reply is not in the record.

    A search has several.
    """
    if record.search and record.search.trail:
        for step in record.search.trail:
            reply = step.reply or step.usage
            if reply is not None:
                yield reply
    elif record.reply:
        yield record.reply


def reasons_of(counts: Counter[str]) -> dict[str, int]:
    """Why trials have no answer, the most frequent reasons first; after `MOST_REASONS`
    the others together.

    A task that returns no grade does so for many problems: all of them are one reason,
    with the first problem.
    """
    invalid = sorted(reason for reason in counts if reason.startswith(INVALID_GRADE))
    if invalid:
        counts = counts.copy()
        for reason in invalid[1:]:
            counts[invalid[0]] += counts.pop(reason)
    ordered = sorted(counts.items(), key=lambda counted: (-counted[1], counted[0]))
    found = dict(ordered[:MOST_REASONS])
    others = sum(count for _, count in ordered[MOST_REASONS:])
    if others:
        found[OTHER_REASONS] = others
    return found


class _Trial(NamedTuple):
    answer: int | None  # equal for equal answers; None without one
    outcome: Outcome

    @property
    def correct(self) -> bool:
        return self.outcome is Outcome.CORRECT


_Repeats = dict[int, _Trial]  # the trials of one problem by the number of the repeat
Place = tuple[str, int | None]  # variant (empty if there is none) and depth


class RepeatCounts:
    """Counts the records of one model, task and condition."""

    def __init__(self) -> None:
        self._k = 1
        self._places: dict[Place, dict[int, _Repeats]] = {}  # then by problem

    def add(self, record: Record) -> None:
        """Count one record. An unanswered one counts only for the number of repeats."""
        self._k = max(self._k, record.repeat + 1)
        if record.outcome != Outcome.UNANSWERED:
            place = record.problem.variant or "", record.problem.depth
            problems = self._places.setdefault(place, {})
            trial = _Trial(_answer(record), record.outcome)
            problems.setdefault(problem_of(record), {})[record.repeat] = trial

    def _at(self, places: Iterable[Place]) -> list[_Repeats]:
        """The trials of each problem at these places together."""
        found: dict[int, _Repeats] = {}
        for place in places:
            for problem, repeats in self._places.get(place, {}).items():
                found.setdefault(problem, {}).update(repeats)
        return list(found.values())

    def clusters(
        self, places: Iterable[Place], outcome: Outcome = Outcome.CORRECT
    ) -> list[Cluster]:
        """The trials of each problem at these places, and how many have this outcome;
        none if every problem was asked once.
        """
        clusters = []
        for repeats in self._at(places) if self._k > 1 else ():
            some = sum(trial.outcome is outcome for trial in repeats.values())
            clusters.append(Cluster(some, len(repeats)))
        return clusters

    def result(self) -> summaries.Repeats | None:
        """The figures for a summary; None if every problem was asked once."""
        if self._k == 1:
            return None
        problems = self._at(self._places)
        several = agreeing = right = 0
        clusters = []
        for repeats in problems:
            correct = sum(trial.correct for trial in repeats.values())
            clusters.append(Cluster(correct, len(repeats)))
            right += _majority_is_correct(repeats)
            if len(repeats) > 1:
                several += 1
                agreeing += _agree(repeats)
        pass_at_k = pass_at(self._k, clusters)
        if pass_at_k is not None:
            pass_at_k = in_percent(pass_at_k)
        return summaries.Repeats(
            k=self._k,
            problems=len(problems),
            consistency=percentage(agreeing, several),
            pass_at_1=clustered_percentage(clusters),
            pass_at_k=pass_at_k,
            majority=percentage(right, len(problems)),
        )


def problem_of(record: Record) -> int:
    """A hash of the problem.

    Problems of two variants with the same inputs and answer are one.
    """
    problem = record.problem
    text = json.dumps([problem.inputs, problem.expected], sort_keys=True)
    return hash((record.task, text, problem.trial))


def _answer(record: Record) -> int | None:
    """A hash of a number without trailing zeros, of the output of a program, or of
    another answer as text.
    """
    if record.program:
        printed = [term.got for term in record.program.terms]
        if not printed:
            return None
        return hash((record.outcome == Outcome.CHEAT, *printed))
    text = record.answer_text
    if text is None:
        return None
    if record.reading is not None and "." in text:
        text = text.rstrip("0").rstrip(".")
    return hash(text)


def _agree(repeats: _Repeats) -> bool:
    """Whether all repeats have the same answer; a repeat without an answer agrees with
    none.
    """
    answers = {trial.answer for trial in repeats.values()}
    return len(answers) == 1 and None not in answers


def _majority_is_correct(repeats: _Repeats) -> bool:
    """Whether the most frequent answer is correct; in a tie, that of the earliest
    repeat.
    """
    votes = Counter[int]()
    correct: set[int] = set()
    for _, trial in sorted(repeats.items()):
        if trial.answer is not None:
            votes[trial.answer] += 1
            if trial.correct:
                correct.add(trial.answer)
    if not votes:
        return False
    [(answer, _)] = votes.most_common(1)
    return answer in correct
