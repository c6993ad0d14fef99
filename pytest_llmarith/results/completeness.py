"""Which questions and cells of a run are answered, and whether its results pass the
gates of the user.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import count
from typing import NamedTuple

from pytest_llmarith.results.formatting import percent_of, sanitize_name, with_interval
from pytest_llmarith.results.keys import Key, key_of, variant_order
from pytest_llmarith.results.percentages import percentage
from pytest_llmarith.statistics.shares import percent
from pytest_llmarith.summaries import (
    Result,
    RunSummary,
)
from pytest_llmarith.types import NanReason, Outcome

_MOST_NAMED = 4  # variants
_LONGEST_NAME = 30
_PERCENT = re.compile(r"[0-9]{1,3}(\.[0-9]{1,6})?", re.ASCII)

_Cell = tuple[str, int | None]  # a variant at a depth, or one without depths


def questions_of_run(summary: RunSummary) -> int | None:
    """How many different questions a run selected; None if that is unknown."""
    return (
        None
        if summary.run.selected is None
        else summary.run.selected - summary.duplicates
    )


def questions_of_result(result: Result) -> int:
    """The same for one result; if it is unknown, the number of questions that it
    has.
    """
    if result.selected:
        return result.selected - result.duplicates
    return result.measured + result.outcomes.unanswered


def is_complete(summary: RunSummary) -> bool:
    """Whether all selected questions are answered."""
    return summary.unanswered == 0 and summary.answered == questions_of_run(summary)


def all_answered(count: int) -> str:
    """The remark about a complete run."""
    return "1 of 1 answered" if count == 1 else f"all {count:,} answered"


def answered_count(summary: RunSummary) -> str:
    """How many questions are answered, and of how many, if that is known."""
    answered, known = summary.answered, questions_of_run(summary)
    return f"{answered:,}" if known is None else f"{answered:,} of {known:,}"


def incomplete(result: Result) -> str:
    """The remark about a result that lacks answers, else empty."""
    measured, all_of_it = result.measured, questions_of_result(result)
    return f"incomplete, {measured:,} of {all_of_it:,}" if measured < all_of_it else ""


def bounded(result: Result) -> str:
    """The remark about a result with bounds instead of percentages, as a cell has no
    reply; else empty.
    """
    correct = result.percentages[Outcome.CORRECT]
    if (
        correct is None
        or correct.percent is not None
        or correct.low is None
        or correct.high is None
    ):
        return ""
    bounds = f"{correct.low:.1f} to {correct.high:.1f} %"
    return (
        f"no reply for a variant at some depth: {bounds} are correct, depending on "
        f"the missing replies"
    )


def truncated(result: Result, replies: str = "") -> str:
    """How many replies are truncated, and the percentage correct with and without them;
    empty if none is.
    """
    count = (
        0 if result.breaking_points else result.nan_reasons.get(NanReason.TRUNCATED, 0)
    )
    others = with_interval(percentage(result.outcomes.correct, result.measured - count))
    correct = (
        f"{percent_of(result.percentages[Outcome.CORRECT])} % correct with "
        f"them, {others} % without"
    )
    return (
        f"{count:,} of {result.measured:,}{replies} truncated: {correct}"
        if count
        else ""
    )


def duplicates(summary: RunSummary) -> list[str]:
    """A line about items that ask the question of another item, if there are any."""
    count = summary.duplicates
    if not count:
        return []
    items = "1 item" if count == 1 else f"{count:,} items"
    return [
        f"{items} asked the same question as another item: they share one request and "
        f"count as one trial"
    ]


def missing_cells(results: Sequence[Result]) -> list[str]:
    """The remark about each result that lacks cells, such as `lacks 18 of 72 cells ...:
    int_mul`, else empty.

    Only results with the same cells can be ranked: a run of easy cells has a high
    percentage.
    """
    found: dict[str, set[_Cell]] = {}
    for result in results:
        found.setdefault(result.task, set()).update(_answered(result))
    return [
        _lacks(found[result.task], found[result.task] - set(_answered(result)))
        for result in results
    ]


def _answered(result: Result) -> Iterator[_Cell]:
    """Its cells, and its variants without depths."""
    yield from ((cell.variant, cell.depth) for cell in result.grid if cell.measured)
    yield from (
        (one.variant, None)
        for one in result.variants
        if not one.ninety_percent_to and one.measured
    )


def _lacks(cells: set[_Cell], missing: set[_Cell]) -> str:
    if not missing:
        return ""
    names = sorted({name for name, _ in missing}, key=variant_order)
    shown = ", ".join(
        sanitize_name(name, _LONGEST_NAME) for name in names[:_MOST_NAMED]
    )
    more = ", ..." * (len(names) > _MOST_NAMED)
    return (
        f"lacks {len(missing):,} of {len(cells):,} cells that others have: "
        f"{shown}{more}"
    )


# --- gates ----------------------------------------------------------------------------


class Gate(NamedTuple):
    """At least `percent` correct of what was measured, in one task or in each."""

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
    by_key = {key_of(result): result for result in results}
    keys = [*by_key, *sorted({*selected} - by_key.keys())]
    lines = []
    for gate in gates:
        gated = [key for key in keys if gate.task in (None, key[1])] or [
            ("", gate.task or "", "")
        ]
        for key in gated:
            why = (
                _why(gate, by_key[key])
                if key in by_key
                else f"nothing was answered, {gate.percent} % is required"
            )
            lines += (
                [": ".join(filter(None, (", ".join(filter(None, key)), why)))]
                if why
                else []
            )
    return list(dict.fromkeys(lines))


def _why(gate: Gate, result: Result) -> str | None:
    """Why a result fails the gate; None if it passes."""
    measured, correct, selected = (
        result.measured,
        result.outcomes.correct,
        questions_of_result(result),
    )
    if measured < selected:
        return (
            f"{selected - measured} of {selected} unanswered, {gate.percent} % is "
            f"required"
        )
    if not measured:
        return f"nothing was answered, {gate.percent} % is required"
    if Fraction(100 * correct, measured) >= Fraction(gate.percent):
        return None
    shown = (percent(correct, measured, decimals) for decimals in count(1))
    below = next(
        rounded for rounded in shown if rounded < gate.percent
    )  # with as many decimals as necessary
    return f"{below} % correct is below {gate.percent} %"
