"""All trials of all runs for the trial browser: what they are filtered by in columns, everything else in blocks.

It does not know how a browser shows them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_llmarith.reports.keys import USUAL_NAME, condition_label
from pytest_llmarith.reports.page.runs import Run, Series, whose, word
from pytest_llmarith.reports.page.shelf import BLOCK, LONGEST, Shelf, packed
from pytest_llmarith.reports.page.trails import error_class
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
class Choice:
    """A filter: its name in addresses, its label, and what it may be set to."""

    name: str
    label: str
    words: Sequence[str | int]


@dataclass(frozen=True, slots=True)
class Browser:
    """What stands in the page: choices for its filters, `index` and `blocks` as packed text."""

    count: int
    choices: Sequence[Choice]
    longest: int
    index: str
    blocks: Sequence[str]

    @property
    def squeezed(self) -> bool:
        """Whether texts had to be cut shorter than is usual, for there are so many."""
        return self.longest < LONGEST


_LABELS = {
    "model": "Model",
    "task": "Task",
    "condition": "Condition",
    "repeat": "Repeat",
    "variant": "Variant or set",
    "depth": "Depth or digits",
    "outcome": "Outcome",
    "class": "Class of error",
    "reason": "Why no answer",
}
_WHERE_SEVERAL = {"task", "condition", "repeat"}  # with one of them, most runs, there is nothing to choose


def browser(runs: Sequence[Run], series: Sequence[Series]) -> Browser:
    """Read every record once."""
    shelf, columns = Shelf(), _Columns(series)
    for number, run in enumerate(runs):
        for record in run.records():
            columns.add(number, record)
            shelf.add(shown_trial(record))
    blocks = shelf.blocks()
    return Browser(
        count=columns.count,
        choices=list(columns.choices()),
        longest=shelf.longest,
        index=packed(columns.as_dict()).decode("ascii"),
        blocks=blocks,
    )


class _Columns:
    """What trials are filtered by, as numbers: of a word in its column, or such as they are."""

    def __init__(self, series: Iterable[Series]) -> None:
        self._numbers = {one.whose: one.number for one in series}
        self._labels = [one.label for one in series]
        self._words = {name: Words() for name in ("task", "condition", "variant", "class", "reason")}
        self._words["outcome"] = Words(Outcome)
        self._columns: dict[str, list[int]] = {name: [] for name in _LABELS}

    @property
    def count(self) -> int:
        return len(self._columns["model"])

    def add(self, run: int, record: Mapping[str, Any]) -> None:
        for name, text in _words_of(record).items():
            self._columns[name].append(self._words[name].number(text))
        self._columns["model"].append(self._numbers[whose(run, record)])
        self._columns["depth"].append(_depth(record["problem"] or {}))
        self._columns["repeat"].append(record.get("repeat") or 0)

    def choices(self) -> Iterator[Choice]:
        """The filters that there is something to choose in."""
        words = self._shown()
        for name, label in _LABELS.items():
            found: Sequence[str | int] = words[name] if name in words else sorted({*self._columns[name]} - {NONE})
            if len(found) > 1 or name not in _WHERE_SEVERAL:
                yield Choice(name, label, found)

    def as_dict(self) -> dict[str, Any]:
        return {"block": BLOCK, "words": self._shown(), "columns": self._columns}

    def _shown(self) -> dict[str, list[str]]:
        return {"model": self._labels} | {name: words.shown() for name, words in self._words.items()}


def _words_of(record: Mapping[str, Any]) -> dict[str, str | None]:
    problem = record["problem"] or {}
    return {
        "task": record["task"],
        "condition": condition_label(record) or USUAL_NAME,
        "variant": problem.get("variant") or problem.get("set") or record["task"],
        "outcome": record["outcome"],
        "class": error_class(record),
        "reason": _reason(record),
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
