"""Counts trials: outcomes, costs, times, sizes of errors, reasons, repeats.

Only numbers of each record are kept.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal, localcontext
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

_KINDS: tuple[summaries.Kind, ...] = get_args(summaries.Kind)


class Outcomes(Counter[Outcome]):
    """Trials by outcome."""

    @property
    def measured(self) -> int:
        """Trials with a reply."""
        return self.total() - self[Outcome.UNANSWERED]


def percentages_of(cells: Collection[Outcomes]) -> summaries.Percentages:
    """The percentage of each outcome over all cells."""
    return {
        outcome: overall_percentage(
            [Cell(cell[outcome], cell.measured, cell.total()) for cell in cells]
        )
        for outcome in _MEASURED
    }


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
        self.replies += (
            tuple(getattr(reply, kind) for kind in _KINDS)
            for reply in replies_of(record)
        )
        if record.outcome is Outcome.DEVIATE and record.number:
            self.errors.append(record.number)

    @property
    def average_absolute_error(self) -> str | None:
        """The mean of the absolute errors."""
        known = [
            Decimal(error.absolute_error)
            for error in self.errors
            if error.absolute_error is not None
        ]
        with localcontext(_WIDE):
            return _text(sum(known, Decimal(0)) / len(known)) if known else None

    def spending(self) -> summaries.Spending:
        """The amounts of all replies by kind; None if a kind is unknown for all."""
        return {
            kind: amounts_of(kind, [one[at] for one in self.replies])
            for at, kind in enumerate(_KINDS)
        }

    def error_sizes(self) -> summaries.ErrorSizes:
        """The sizes of errors of deviates."""
        relative = [
            Decimal(one.relative_error)
            for one in self.errors
            if one.relative_error is not None
        ]
        leading = [error.leading_digits for error in self.errors]
        with localcontext(_WIDE):
            return summaries.ErrorSizes(
                median_relative_error=_text(median(relative)) if relative else None,
                median_leading_digits=float(median(leading)) if leading else None,
                other_length=sum(error.has_other_length for error in self.errors),
            )

    def counts(self) -> dict[str, Any]:
        """The fields of `summaries.Outcomes`, and others of `summaries.Cells`."""
        return {str(outcome): self.outcomes[outcome] for outcome in Outcome} | {
            "measured": self.outcomes.measured,
            "correct_percentage": percentage(
                self.outcomes[Outcome.CORRECT], self.outcomes.measured
            ),
            "spending": self.spending(),
        }

    def cells(self) -> dict[str, Any]:
        """The fields of `summaries.Cells`."""
        return self.counts() | {"error_sizes": self.error_sizes()}


def amounts_of(
    kind: summaries.Kind, values: Sequence[float | None]
) -> summaries.Amounts | None:
    """The known amounts of one kind; their sum is exact. None if all are unknown."""
    known = sorted(float(value) for value in values if value is not None)
    if not known:
        return None
    with localcontext(_WIDE):
        total = sum((Decimal(repr(value)) for value in known), Decimal(0))
    whole = int(total) if kind.endswith("tokens") else float(total)
    return summaries.Amounts(
        whole, median(known), quantile_of_sorted(known, 90), len(known)
    )


def _text(number: Decimal) -> str:
    """A number with few digits, such as `0.00125`, `1200` or `4.82351e+21`."""
    short = number.normalize(_FEW)
    return format(short, "f" if -_FEW.prec <= short.adjusted() < _FEW.prec else "g")


def replies_of(record: Record) -> Iterator[Usage]:
    """Every reply of a trial, or its usage if the reply is not in the record.

    A search has several.
    """
    if record.search and record.search.trail:
        yield from filter(
            None, (step.reply or step.usage for step in record.search.trail)
        )
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
        total = counts.total()
        counts = Counter(
            {reason: count for reason, count in counts.items() if reason not in invalid}
        )
        counts[invalid[0]] = total - counts.total()
    found = sorted(counts.items(), key=lambda counted: (-counted[1], counted[0]))
    others = sum(count for _, count in found[MOST_REASONS:])
    return dict(found[:MOST_REASONS]) | ({OTHER_REASONS: others} if others else {})


class _Trial(NamedTuple):
    answer: int | None  # equal for equal answers; None without one
    correct: bool


_Repeats = Mapping[int, _Trial]  # the trials of one problem by the number of the repeat


class RepeatCounts:
    """Counts the records of one model, task and condition."""

    def __init__(self) -> None:
        self._k = 1
        self._problems: dict[int, dict[int, _Trial]] = {}

    def add(self, record: Record) -> None:
        """Count one record. An unanswered one counts only for the number of repeats."""
        self._k = max(self._k, record.repeat + 1)
        if record.outcome != Outcome.UNANSWERED:
            trial = _Trial(_answer(record), record.outcome == Outcome.CORRECT)
            self._problems.setdefault(problem_of(record), {})[record.repeat] = trial

    def result(self) -> summaries.Repeats | None:
        """The figures for a summary; None if every problem was asked once."""
        if self._k == 1:
            return None
        problems = self._problems.values()
        several = [each for each in problems if len(each) > 1]
        clusters = [
            Cluster(sum(trial.correct for trial in each.values()), len(each))
            for each in problems
        ]
        pass_at_k = pass_at(self._k, clusters)
        return summaries.Repeats(
            k=self._k,
            problems=len(problems),
            consistency=percentage(sum(map(_agree, several)), len(several)),
            pass_at_1=clustered_percentage(clusters),
            pass_at_k=None if pass_at_k is None else in_percent(pass_at_k),
            majority=percentage(
                sum(map(_majority_is_correct, problems)), len(problems)
            ),
        )


def problem_of(record: Record) -> int:
    """A hash of the problem.

    Problems of two variants with the same inputs and answer are one.
    """
    problem = record.problem
    return hash(
        (
            record.task,
            json.dumps([problem.inputs, problem.expected], sort_keys=True),
            problem.trial,
        )
    )


def _answer(record: Record) -> int | None:
    """A hash of a number without trailing zeros, of the output of a program, or of
    another answer as text.
    """
    if record.program:
        printed = [term.got for term in record.program.terms]
        return hash((record.outcome == Outcome.CHEAT, *printed)) if printed else None
    text = record.answer_text
    if text is not None and record.reading is not None and "." in text:
        text = text.rstrip("0").rstrip(".")
    return None if text is None else hash(text)


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
    trials: Collection[_Trial] = [
        trial for _, trial in sorted(repeats.items()) if trial.answer is not None
    ]
    votes = Counter(trial.answer for trial in trials)
    return bool(votes) and any(
        one.correct for one in trials if one.answer == votes.most_common(1)[0][0]
    )
