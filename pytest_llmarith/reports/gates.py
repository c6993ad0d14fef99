"""Gates: the least that a model has to reach. Compared exactly, on counts.

It does not know pytest's exit status, nor the option that a gate comes from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import count

from pytest_llmarith.records import Result
from pytest_llmarith.reports.answered import wanted_of
from pytest_llmarith.reports.keys import Key, key_of
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

    `models` without a result fail it too, and so does what is unanswered or was `selected` and has no result, as where
    all its items were skipped.
    """
    lines = (line for gate in gates for line in _failures(gate, results, models, selected))
    return list(dict.fromkeys(lines))


def _failures(
    gate: Gate, all_results: Sequence[Result], models: Sequence[str], selected: Sequence[Key]
) -> Iterator[str]:
    results = [result for result in all_results if gate.task in (None, result.task)]
    if not results:
        yield _nothing_at_all(gate, all_results)
        return
    for model in dict.fromkeys([*models, *(result.model for result in all_results)]):
        of_model = [result for result in results if result.model == model]
        if not of_model:
            yield f"{', '.join(filter(None, (model, gate.task)))}: nothing was measured, {gate.percent} % is asked for"
        for result in of_model:
            if reason := _why(gate, result):
                yield f"{_whose(key_of(result))}: {reason}"
    yield from _unmeasured(gate, results, selected)


def _unmeasured(gate: Gate, results: Iterable[Result], selected: Iterable[Key]) -> Iterator[str]:
    """Tasks and conditions without a result, of models that have others: of those without any it was said."""
    known = {key_of(result) for result in results}
    models = {model for model, *_ in known}
    for key in sorted(set(selected) - known):
        if key[0] in models and gate.task in (None, key[1]):
            yield f"{_whose(key)}: nothing was measured, {gate.percent} % is asked for"


def _whose(key: Key) -> str:
    """The model and the task, and the condition, by which alone results of a task may differ."""
    return ", ".join(filter(None, key))


def _nothing_at_all(gate: Gate, results: Sequence[Result]) -> str:
    if gate.task is None or not results:
        return f"nothing was measured, {gate.percent} % is asked for"
    tasks = ", ".join(sorted({result.task for result in results}))
    return f"{gate.task}: no such task in this run, {gate.percent} % is asked for; there is {tasks}"


def _why(gate: Gate, result: Result) -> str | None:
    measured, correct = result.measured, result.outcomes.correct
    selected = wanted_of(result)
    if measured < selected:
        return f"{selected - measured} of {selected} unanswered, {gate.percent} % is asked for"
    if not measured:
        return f"nothing was measured, {gate.percent} % is asked for"
    if Fraction(100 * correct, measured) >= Fraction(gate.percent):
        return None
    return f"{_below(gate, correct, measured)} % correct is under {gate.percent} %"


def _below(gate: Gate, correct: int, measured: int) -> Decimal:
    """The percentage with as many decimals as it takes to be seen under the gate."""
    shown = (percent(correct, measured, decimals) for decimals in count(1))
    return next(rounded for rounded in shown if rounded < gate.percent)
