"""All trials of all runs for the trial browser: what they are filtered by in columns, everything else in blocks.

It does not know how a browser shows them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_llmarith.reports.page.runs import Run, Series, whose, word
from pytest_llmarith.reports.page.shelf import BLOCK, LONGEST, Shelf, packed
from pytest_llmarith.reports.page.trials import shown_trial
from pytest_llmarith.values import Outcome

NONE = -1  # in a column: this trial has none


class Words:
    """The words of one column, each of them numbered when it is met first."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._numbers = {text: number for number, text in enumerate(known)}

    def number(self, text: str | None) -> int:
        return NONE if text is None else self._numbers.setdefault(text, len(self._numbers))

    def shown(self) -> list[str]:
        """All of them, in the order of their numbers."""
        return [word(text) for text in self._numbers]


@dataclass(frozen=True, slots=True)
class Browser:
    """What stands in the page: choices for its filters, `index` and `blocks` as packed text."""

    count: int
    series: Sequence[str]
    variants: Sequence[str]
    depths: Sequence[int]
    outcomes: Sequence[str]
    classes: Sequence[str]
    reasons: Sequence[str]
    longest: int
    index: str
    blocks: Sequence[str]

    @property
    def choices(self) -> Sequence[tuple[str, str, Sequence[str | int]]]:
        """The filters: name, label, and what each may be set to."""
        return (
            ("model", "Model", self.series),
            ("variant", "Variant or set", self.variants),
            ("depth", "Depth or digits", self.depths),
            ("outcome", "Outcome", self.outcomes),
            ("class", "Class of error", self.classes),
            ("reason", "Why no answer", self.reasons),
        )

    @property
    def squeezed(self) -> bool:
        """Whether texts had to be cut shorter than is usual, for there are so many."""
        return self.longest < LONGEST


def browser(runs: Sequence[Run], series: Sequence[Series]) -> Browser:
    """Read every record once."""
    shelf, columns = Shelf(), _Columns(series)
    for number, run in enumerate(runs):
        for record in run.records():
            columns.add(number, record)
            shelf.add(shown_trial(record))
    blocks = shelf.blocks()
    return Browser(
        count=len(columns.depth),
        series=[one.label for one in series],
        variants=columns.variants.shown(),
        depths=sorted(set(columns.depth) - {NONE}),
        outcomes=columns.outcomes.shown(),
        classes=columns.classes.shown(),
        reasons=columns.reasons.shown(),
        longest=shelf.longest,
        index=packed(columns.as_dict()).decode("ascii"),
        blocks=blocks,
    )


class _Columns:
    """What trials are filtered by, as numbers."""

    def __init__(self, series: Iterable[Series]) -> None:
        self._numbers = {one.whose: one.number for one in series}
        self._labels = [one.label for one in series]
        self.variants, self.outcomes, self.classes, self.reasons = Words(), Words(Outcome), Words(), Words()
        self.model: list[int] = []
        self.variant: list[int] = []
        self.depth: list[int] = []
        self.outcome: list[int] = []
        self.error: list[int] = []
        self.reason: list[int] = []

    def add(self, run: int, record: Mapping[str, Any]) -> None:
        problem, grade = record["problem"] or {}, record["grade"] or {}
        self.model.append(self._numbers[whose(run, record)])
        self.variant.append(self.variants.number(problem.get("variant") or problem.get("set") or record["task"]))
        self.depth.append(_depth(problem))
        self.outcome.append(self.outcomes.number(record["outcome"]))
        self.error.append(self.classes.number(grade.get("error_class")))
        self.reason.append(self.reasons.number(_reason(record)))

    def as_dict(self) -> dict[str, Any]:
        return {
            "block": BLOCK,
            "words": {
                "model": self._labels,
                "variant": self.variants.shown(),
                "outcome": self.outcomes.shown(),
                "class": self.classes.shown(),
                "reason": self.reasons.shown(),
            },
            "columns": {
                "model": self.model,
                "variant": self.variant,
                "depth": self.depth,
                "outcome": self.outcome,
                "class": self.error,
                "reason": self.reason,
            },
        }


def _reason(record: Mapping[str, Any]) -> str | None:
    """Why a reply holds no answer; what programs and outages say is different every time."""
    return str(record["reason"]) if record["outcome"] == Outcome.NAN else None


def _depth(problem: Mapping[str, Any]) -> int:
    """The digits of the operands, of addition of the longer one."""
    if "int1" in problem and "int2" in problem:
        return max(len(str(problem[operand]).lstrip("-")) for operand in ("int1", "int2"))
    depth = problem.get("depth")
    return depth if isinstance(depth, int) else NONE
