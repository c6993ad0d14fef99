"""Which questions of a run are answered, and whether its results pass the gates of the
user.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from pytest_llmarith.figures.estimates import Result
from pytest_llmarith.figures.scores import SCORE
from pytest_llmarith.results.keys import Key, key_of
from pytest_llmarith.statistics.proportions import percent
from pytest_llmarith.summaries import RunSummary

_PERCENT = re.compile(r"[0-9]{1,3}(\.[0-9]{1,6})?", re.ASCII)


def questions_of_run(summary: RunSummary) -> int | None:
    """How many different questions a run selected; None if that is unknown."""
    if summary.run.selected is None:
        return None
    return summary.run.selected - summary.duplicates


def is_complete(summary: RunSummary) -> bool:
    """Whether all selected questions are answered."""
    return summary.unanswered == 0 and summary.answered == questions_of_run(summary)


class Gate(NamedTuple):
    """At least `percent` correct of what was measured, in one task or in each.

    For a task with scores between 0 and 1, it is the mean score.
    """

    task: str | None
    percent: Decimal


def parse_gate(text: str) -> Gate:
    """Parse `[TASK:]PERCENT`. Raises ValueError with a message for the user."""
    task, colon, number = text.rpartition(":")
    task, number = task.strip(), number.strip().removesuffix("%").strip()
    if colon and not task:
        raise ValueError(
            f"{text!r} names no task before its colon; write 80 or arithmetic:80"
        )
    if not _PERCENT.fullmatch(number) or Decimal(number) > 100:
        raise ValueError(
            f"{text!r} has no percentage from 0 to 100; write 80 or arithmetic:80"
        )
    return Gate(task or None, Decimal(number))


def failed_gates(
    gates: Iterable[Gate], results: Sequence[Result], selected: Iterable[Key] = ()
) -> list[str]:
    """A line for every gate that a model, a task and a condition fail.

    A gate also fails for unanswered questions, and for `selected` results that do not
    exist, such as those of a task whose items were all skipped.
    """
    by_key: dict[Key, Result | None] = {}
    for result in results:
        by_key[key_of(result)] = result
    for key in sorted({*selected} - by_key.keys()):
        by_key[key] = None
    lines = []
    for gate in gates:
        gated = [key for key in by_key if gate.task in (None, key[1])]
        if not gated:
            gated = [("", gate.task or "", "")]
        for key in gated:
            why = _why(gate, by_key.get(key))
            if why is not None:
                whose = ", ".join(filter(None, key))
                lines.append(f"{whose}: {why}" if whose else why)
    return list(dict.fromkeys(lines))


def _why(gate: Gate, result: Result | None) -> str | None:
    """Why a result fails the gate, which may be missing; None if it passes."""
    required = f"{gate.percent} % is required"
    if result is None:
        return f"nothing was answered, {required}"
    measured = result.count("measured")
    selected = measured + result.count("unanswered")
    if result.facts.selected:
        selected = result.facts.selected - result.facts.duplicates
    if measured < selected:
        return f"{selected - measured} of {selected} unanswered, {required}"
    if not measured:
        return f"nothing was answered, {required}"
    score = _mean_score(result)
    if score is not None:
        if score >= gate.percent:
            return None
        return f"mean score {score} % is below {gate.percent} %"
    correct = result.count("correct")
    if Fraction(100 * correct, measured) >= Fraction(gate.percent):
        return None
    decimals = 1
    while percent(correct, measured, decimals) >= gate.percent:
        decimals += 1
    below = percent(correct, measured, decimals)
    return f"{below} % correct is below {gate.percent} %"


def _mean_score(result: Result) -> Decimal | None:
    """The mean score in percent, if a score is between 0 and 1."""
    score = result.get("score", SCORE)
    if score is None or score.value is None:
        return None
    for (by, _), one in result.all("score_by_rank").items():
        if by == SCORE and one.value not in (0, 1):
            return Decimal(str(score.value))
    return None
