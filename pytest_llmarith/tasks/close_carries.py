"""Why sums fail: accuracy by close carries, of which each may fail on its own.

AI-rithmetic (Bie et al. 2026, arXiv 2602.10416) finds the accuracy (1 - p)^n of sums
with n close carries. Its definition of these was not at hand; ours is a column whose
digits add up to 9, so that the carry that it receives decides whether it carries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, zip_longest

from pytest_llmarith.figures.estimates import (
    Field,
    Figure,
    Leaf,
    Measure,
    TaskFigures,
    Trial,
    View,
)
from pytest_llmarith.figures.own_measures import guarded
from pytest_llmarith.figures.shares import percentages, share_with
from pytest_llmarith.statistics.intervals import in_percent
from pytest_llmarith.statistics.proportions import Cluster
from pytest_llmarith.statistics.steps import step_failure
from pytest_llmarith.types import Outcome

_BY = "close carries"


def close_carries(int1: str, int2: str) -> int:
    """The columns of a sum, without the last one, whose digits add up to 9."""
    columns = zip_longest(reversed(int1), reversed(int2), fillvalue="0")
    return sum(int(one) + int(other) == 9 for one, other in islice(columns, 1, None))


class CloseCarryCounter(dict[int, Cluster]):
    """The first repeats of sums, and the right ones of them, by close carries."""

    def add(self, trial: Trial) -> None:
        record = trial.record
        if record.outcome is not Outcome.UNANSWERED and record.repeat == 0:
            inputs = record.problem.inputs
            number = close_carries(inputs["int1"], inputs["int2"])
            right, trials = self.get(number, (0, 0))
            right += record.outcome is Outcome.CORRECT
            self[number] = Cluster(right, trials + 1)


def _answers(leaves: Sequence[Leaf]) -> dict[int, Cluster]:
    found: dict[int, list[Cluster]] = {}
    for leaf in leaves:
        for number, one in leaf.counted.items():
            found.setdefault(number, []).append(one)
    return {number: Cluster.of(found[number]) for number in sorted(found)}


def _observed(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    for number, (right, trials) in _answers(leaves).items():
        yield from percentages([Figure(right, n=trials, by=_BY, at=str(number))])


def _fitted(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    answers = _answers(leaves)
    found = step_failure(answers)
    if found:
        for number, one in answers.items():
            share = in_percent(found.share(number))
            yield Figure(share, n=one.trials, by=_BY, at=str(number))


def _failure(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    answers = _answers(leaves)
    found = step_failure(answers)
    if found:
        n = Cluster.of(one for number, one in answers.items() if number).trials
        method = "likelihood ratio"
        yield share_with(found.interval, found.chance, n, method=method)


def _fit(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    found = step_failure(_answers(leaves))
    if found is None:
        return
    if found.fit is None:
        yield Figure("too few to test")
        return
    p, degrees = found.fit
    yield Figure(p, method="chi squared")
    yield Figure(degrees, by="statistic", at="df")


_MEASURES = (
    Measure(
        "close_carries",
        "close carries",
        "%",
        "correct sums by the number of their columns whose digits add up to 9, so that "
        "the carry that they receive decides whether they carry",
        CloseCarryCounter,
        _observed,
    ),
    Measure(
        "close_carries_fitted",
        "fitted %",
        "%",
        "accuracy (1 - p)^n of sums with n close carries",
        CloseCarryCounter,
        _fitted,
    ),
    Measure(
        "close_carry_failure",
        "failure at a close carry %",
        "%",
        "likeliest chance p that a close carry fails, by the accuracy (1 - p)^n of sums "
        "with n of them, 1 or more",
        CloseCarryCounter,
        _failure,
    ),
    Measure(
        "close_carry_fit",
        "fit",
        "",
        "p of the test of fit of the accuracy (1 - p)^n, and its degrees of freedom",
        CloseCarryCounter,
        _fit,
    ),
)
FIGURES = TaskFigures(
    measures=[replace(guarded(one), in_table=False) for one in _MEASURES],
    views=[
        View(
            "failure at close carries",
            "model",
            [
                Field(
                    "chance p %",
                    "that a close carry fails, if a sum with n of them is right with "
                    "probability (1 - p)^n",
                    "{close_carry_failure}",
                ),
                Field(
                    "p of fit",
                    "of the test of fit; small if accuracy does not follow this law",
                    "{close_carry_fit}",
                ),
                Field("df", "degrees of freedom of the test", "{close_carry_fit:df}"),
            ],
        ),
        View(
            "correct sums by close carries",
            "close_carries",
            [
                Field("correct %", "correct sums", "{close_carries}"),
                Field("fitted %", "by (1 - p)^n", "{close_carries_fitted}"),
            ],
        ),
    ],
)
