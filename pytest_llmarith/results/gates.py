"""Gates: the percentages of correct answers that a model has to reach, compared exactly."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import count

from pytest_llmarith.records import Result
from pytest_llmarith.results.completeness import wanted_of
from pytest_llmarith.results.keys import Key, key_of
from pytest_llmarith.results.statistics import percent

_PERCENT = re.compile(r"[0-9]{1,3}(\.[0-9]{1,6})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Gate:
    """At least `percent` correct of what was measured, in one task or in each."""

    task: str | None
    percent: Decimal


def parse_gate(text: str) -> Gate:
    """The gate that `[TASK:]PERCENT` describes; raises ValueError with a message for people."""
    task, colon, number = text.rpartition(":")
    task, number = task.strip(), number.strip().removesuffix("%").strip()
    if colon and not task:
        raise ValueError(f"{text!r} names no task before its colon; write 80 or arithmetic:80")
    if not _PERCENT.fullmatch(number) or Decimal(number) > 100:
        raise ValueError(f"{text!r} holds no percentage from 0 to 100; write 80 or arithmetic:80")
    return Gate(task or None, Decimal(number))


def failed_gates(
    gates: Iterable[Gate], results: Sequence[Result], models: Sequence[str], selected: Sequence[Key] = ()
) -> list[str]:
    """A line for every gate that a model, a task and a condition fail.

    `models` without a result fail it too, and so does what is unanswered, or was `selected` and has no result, such as
    a task whose items were all skipped.
    """
    return list(dict.fromkeys(line for gate in gates for line in _failures(gate, results, models, selected)))


def _failures(
    gate: Gate, all_results: Sequence[Result], models: Sequence[str], selected: Sequence[Key]
) -> Iterator[str]:
    nothing = f"nothing was measured, {gate.percent} % is asked for"
    results = [result for result in all_results if gate.task in (None, result.task)]
    if not results:
        tasks = ", ".join(sorted({result.task for result in all_results}))
        missing = f"{gate.task}: no such task in this run, {gate.percent} % is asked for; there is {tasks}"
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
    """Why a result fails the gate; None if it does not."""
    measured, correct, selected = result.measured, result.outcomes.correct, wanted_of(result)
    if measured < selected:
        return f"{selected - measured} of {selected} unanswered, {gate.percent} % is asked for"
    if not measured:
        return f"nothing was measured, {gate.percent} % is asked for"
    if Fraction(100 * correct, measured) >= Fraction(gate.percent):
        return None
    shown = (percent(correct, measured, decimals) for decimals in count(1))
    below = next(rounded for rounded in shown if rounded < gate.percent)  # with as many decimals as that takes
    return f"{below} % correct is under {gate.percent} %"
