"""The trials in the trial browser: columns that they are filtered by, everything else in compressed blocks.

Base64 is all that the page holds of a reply: no character of it means anything to HTML. The page holds at most
`MOST_TRIALS`, wrong ones first, spread over the runs.
"""

from __future__ import annotations

import gzip
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from pytest_llmarith.records import AdditionProblem, ArithmeticProblem, Problem, Record, SearchProblem, SequenceProblem
from pytest_llmarith.reports.jsonfiles import encode
from pytest_llmarith.reports.keys import USUAL_NAME, label_of
from pytest_llmarith.reports.page.cutting import shortened
from pytest_llmarith.reports.page.runs import Run, Series, Whose, whose, word
from pytest_llmarith.reports.page.trails import error_class
from pytest_llmarith.reports.page.trials import shown_trial
from pytest_llmarith.values import Outcome

MOST_TRIALS = 5_000
MOST_BYTES = 60_000_000  # of all trials as JSON, before compression
BLOCK = 400  # trials: a browser opens one in some milliseconds
LONGEST = 20_000  # characters of a text
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
    """What stands in the page: choices for its filters, `index` and `blocks` as packed text.

    `count` trials are shown, `left_out` are not, of which `wrong_left_out` are not correct.
    """

    count: int
    left_out: int
    wrong_left_out: int
    choices: Sequence[Choice]
    index: str
    blocks: Sequence[str]


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
    """Each run gets an equal part of the room, and what short runs leave free the longer ones get."""
    outcomes = [Counter[Outcome]() for _ in runs]
    for counts, run in zip(outcomes, runs, strict=True):
        for result in run.summary().results:
            counts.update({outcome: getattr(result.outcomes, outcome) for outcome in Outcome})
    chosen: dict[int, list[_Shown]] = {}
    most, room = MOST_TRIALS, MOST_BYTES
    for number in sorted(range(len(runs)), key=lambda number: outcomes[number].total()):
        left = len(runs) - len(chosen)
        chosen[number] = _chosen(number, runs[number].records(), most // left, room // left)
        most -= len(chosen[number])
        room -= sum(len(one.text) for one in chosen[number])
    shown = [one for number in range(len(runs)) for one in chosen[number]]
    total = sum(one.total() for one in outcomes)
    wrong = total - sum(one[Outcome.CORRECT] for one in outcomes)
    columns = _Columns(series)
    for one in shown:
        columns.add(one)
    blocks = (shown[at : at + BLOCK] for at in range(0, len(shown), BLOCK))
    return Browser(
        count=len(shown),
        left_out=max(0, total - len(shown)),
        wrong_left_out=max(0, wrong - sum(not one.is_right for one in shown)),
        choices=list(columns.choices()),
        index=_packed(encode(columns.as_dict())),
        blocks=[_packed(b"[" + b",".join(one.text for one in block) + b"]") for block in blocks],
    )


class _Shown(NamedTuple):
    place: int
    is_right: bool
    whose: Whose
    words: Mapping[str, str | None]
    depth: int
    repeat: int
    text: bytes


def _chosen(run: int, records: Iterable[Record], most: int, room: int) -> list[_Shown]:
    """The first wrong trials, then the first right ones, as far as there is room; in the order of the run."""
    kept, free = {False: list[_Shown](), True: list[_Shown]()}, {False: room, True: room}
    for place, record in enumerate(records):
        is_right = record.outcome is Outcome.CORRECT
        if len(kept[is_right]) < most and free[is_right] > 0:
            text = encode(shortened(shown_trial(record), LONGEST))
            free[is_right] -= len(text)
            kept[is_right].append(_shown(place, run, record, text))
        elif not is_right:
            break  # the room is filled with wrong ones
    chosen = list[_Shown]()
    for one in chain(kept[False], kept[True]):
        room -= len(one.text)
        if len(chosen) < most and room >= 0:
            chosen.append(one)
    return sorted(chosen, key=lambda one: one.place)


def _shown(place: int, run: int, record: Record, text: bytes) -> _Shown:
    return _Shown(
        place=place,
        is_right=record.outcome is Outcome.CORRECT,
        whose=whose(run, record),
        words=_words_of(record),
        depth=_depth(record.problem),
        repeat=record.repeat,
        text=text,
    )


def _packed(text: bytes) -> str:
    """Compressed, in base64; the same for the same text, whenever it is packed."""
    return b64encode(gzip.compress(text, 6, mtime=0)).decode("ascii")


class _Columns:
    """What trials are filtered by, as numbers: of a word in its column, or such as they are."""

    def __init__(self, series: Iterable[Series]) -> None:
        self._numbers = {one.whose: one.number for one in series}
        self._labels = [one.label for one in series]
        self._words = {name: Words() for name in ("task", "condition", "variant", "class", "reason")}
        self._words["outcome"] = Words(Outcome)
        self._columns: dict[str, list[int]] = {name: [] for name in _LABELS}

    def add(self, shown: _Shown) -> None:
        for name, text in shown.words.items():
            self._columns[name].append(self._words[name].number(text))
        self._columns["model"].append(self._numbers[shown.whose])
        self._columns["depth"].append(shown.depth)
        self._columns["repeat"].append(shown.repeat)

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


def _words_of(record: Record) -> dict[str, str | None]:
    return {
        "task": record.task,
        "condition": label_of(record.condition) or USUAL_NAME,
        "variant": _variant(record),
        "outcome": record.outcome,
        "class": error_class(record),
        "reason": record.reason if record.outcome is Outcome.NAN else None,  # others are different every time
    }


def _variant(record: Record) -> str:
    match record.problem:
        case ArithmeticProblem(variant=variant) | SearchProblem(variant=variant):
            return variant
        case SequenceProblem(set=name):
            return name
    return record.task


def _depth(problem: Problem) -> int:
    """The digits of the operands, of addition of the longer one."""
    if isinstance(problem, AdditionProblem):
        return problem.digits
    return problem.depth if isinstance(problem, ArithmeticProblem) else NONE
