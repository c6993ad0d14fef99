"""Gates: percentages of correct answers that a model must reach, compared exactly."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import count

from pytest_llmarith.records import Result
from pytest_llmarith.results.completeness import questions_of_result
from pytest_llmarith.results.keys import Key, key_of
from pytest_llmarith.results.statistics import percent

_PERCENT = re.compile(r"[0-9]{1,3}(\.[0-9]{1,6})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Gate:
    """At least `percent` correct of what was measured, in one task or in each."""

    task: str | None
    percent: Decimal


def parse_gate(text: str) -> Gate:
    """Parse `[TASK:]PERCENT`. Raises ValueError with a message for the user."""
    task, colon, number = text.rpartition(":")
    task, number = task.strip(), number.strip().removesuffix("%").strip()
    if colon and not task:
        raise ValueError(f"{text!r} names no task before its colon; write 80 or arithmetic:80")
    if not _PERCENT.fullmatch(number) or Decimal(number) > 100:
        raise ValueError(f"{text!r} has no percentage from 0 to 100; write 80 or arithmetic:80")
    return Gate(task or None, Decimal(number))


def failed_gates(
    gates: Iterable[Gate], results: Sequence[Result], models: Sequence[str], selected: Sequence[Key] = ()
) -> list[str]:
    """A line for every gate that a model, a task and a condition fail.

    A gate also fails for `models` without a result, for unanswered questions, and for `selected` results that do not
    exist, such as those of a task whose items were all skipped.
    """
    return list(dict.fromkeys(line for gate in gates for line in _failures(gate, results, models, selected)))


def _failures(
    gate: Gate, all_results: Sequence[Result], models: Sequence[str], selected: Sequence[Key]
) -> Iterator[str]:
    nothing = f"nothing was measured, {gate.percent} % is required"
    results = [result for result in all_results if gate.task in (None, result.task)]
    if not results:
        tasks = ", ".join(sorted({result.task for result in all_results}))
        missing = f"{gate.task}: no such task in this run, {gate.percent} % is required; its tasks are {tasks}"
        yield missing if tasks else nothing
        return
    for model in dict.fromkeys([*models, *(result.model for result in all_results)]):
        of_model = [result for result in results if result.model == model]
        if not of_model:
            yield f"{', '.join(filter(None, (model, gate.task)))}: {nothing}"
        for result in of_model:
            if why := _why(gate, result):
                yield f"{', '.join(filter(None, key_of(result)))}: {why}"
    known = {key_of(result) for result in results}
    for key in sorted(set(selected) - known):
        model, task, _ = key
        if gate.task in (None, task) and any(one.model == model for one in results):  # the others are named above
            yield f"{', '.join(filter(None, key))}: {nothing}"


def _why(gate: Gate, result: Result) -> str | None:
    """Why a result fails the gate; None if it passes."""
    measured, correct, selected = result.measured, result.outcomes.correct, questions_of_result(result)
    if measured < selected:
        return f"{selected - measured} of {selected} unanswered, {gate.percent} % is required"
    if not measured:
        return f"nothing was measured, {gate.percent} % is required"
    if Fraction(100 * correct, measured) >= Fraction(gate.percent):
        return None
    shown = (percent(correct, measured, decimals) for decimals in count(1))
    below = next(rounded for rounded in shown if rounded < gate.percent)  # with as many decimals as necessary
    return f"{below} % correct is below {gate.percent} %"
