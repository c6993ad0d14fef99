"""The trial table: the details of each trial, embedded in the page as compressed data.

It has at most `MOST_TRIALS` trials, wrong ones first, in equal parts of the runs.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import starmap
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from pytest_llmarith import records
from pytest_llmarith.records import Record
from pytest_llmarith.report.page.trial_details import Pieces, ShownTrial, shown_trial
from pytest_llmarith.report.series import PageRun, Series, SeriesKey, series_key
from pytest_llmarith.types import ErrorClass, Outcome

MOST_TRIALS = 5_000
LONGEST_TEXT = 20_000  # characters
# The value of the filter of outcomes for all others than correct.
NOT_CORRECT = "not correct"

_LONGEST_EXAMPLE = 70  # characters of its question, and of its answer
_EXAMPLES = 3  # of a class
_GZIP = 31  # the format, for zlib

_FILTERS = {
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
_ONLY_IF_SEVERAL = ("task", "condition", "repeat")
_IN_ORDER = ("repeat", "depth")


class Filter(NamedTuple):
    """A filter above the table: its name in addresses, its label, and its values."""

    name: str
    label: str
    values: Sequence[str | int]


class Example(NamedTuple):
    """A wrong answer, digit by digit."""

    model: str
    question: str
    answer: Pieces
    expected: Pieces


class TrialTable(NamedTuple):
    """`embedded` trials are in the page, `left_out` are not, of which `wrong_left_out`
    are not correct.

    `data` is the base64 of compressed JSON, a list of trials. `examples` are some of
    the wrong ones, by class.
    """

    embedded: int
    left_out: int
    wrong_left_out: int
    filters: Sequence[Filter]
    data: str
    examples: Mapping[str, Sequence[Example]]


class _Embedded(NamedTuple):
    """A trial with its position in the run, the values of its filters, and its details
    as JSON.
    """

    place: int
    by: Mapping[str, str | int | None]
    json: bytes
    example: Example | None


def trial_table(runs: Sequence[PageRun], series: Sequence[Series]) -> TrialTable:
    """Choose and pack trials."""
    trials = _chosen(runs, series)
    everything = wrong = 0
    for run in runs:
        everything += run.summary.answered + run.summary.unanswered
        correct = sum(one.count("correct") for one in run.summary.results)
        wrong += run.summary.answered + run.summary.unanswered - correct
    for trial in trials:
        if trial.by["outcome"] != Outcome.CORRECT:
            wrong -= 1
    return TrialTable(
        embedded=len(trials),
        left_out=max(0, everything - len(trials)),
        wrong_left_out=max(0, wrong),
        filters=list(_filters(trials)),
        data=_packed(trials),
        examples=_examples(trials),
    )


def _packed(trials: Iterable[_Embedded]) -> str:
    """In pieces: the text of all trials is not made."""
    packer = zlib.compressobj(6, wbits=_GZIP)
    packed, before = [packer.compress(b"[")], b""
    for trial in trials:
        packed.append(packer.compress(before + trial.json))
        before = b","
    packed.append(packer.compress(b"]") + packer.flush())
    return b64encode(b"".join(packed)).decode()


# --- the choice -----------------------------------------------------------------------


def _chosen(runs: Sequence[PageRun], series: Sequence[Series]) -> list[_Embedded]:
    """Each run gets an equal part of the space; longer runs get what shorter ones
    leave.
    """
    labels = {one.key: one.label for one in series}
    totals = [run.summary.answered + run.summary.unanswered for run in runs]
    chosen: dict[int, list[_Embedded]] = {}
    space = MOST_TRIALS
    for number in sorted(range(len(runs)), key=totals.__getitem__):
        most = space // (len(runs) - len(chosen))
        chosen[number] = _of_run(runs[number].records, number, labels, most)
        space -= len(chosen[number])
    trials = []
    for number in range(len(runs)):
        trials += chosen[number]
    return trials


def _of_run(
    run: Iterable[Record], number: int, labels: Mapping[SeriesKey, str], most: int
) -> list[_Embedded]:
    """The first wrong trials, then the first correct ones; in the order of the run."""

    examples = Counter[tuple[Any, Any]]()

    def embedded(place: int, record: Record) -> _Embedded:
        trial = shown_trial(record, labels[series_key(number, record)])
        example = _example(trial)
        if example is not None:
            kind = trial.by["class"], example.model
            examples[kind] += 1
            if examples[kind] > _EXAMPLES:
                example = None  # is not shown
        return _Embedded(place, trial.by, _json(trial), example)

    wrong: list[_Embedded] = []
    right: list[tuple[int, Record]] = []  # made when it is known that they are shown
    for place, record in enumerate(run):
        if len(wrong) == most:
            break
        if record.outcome is not Outcome.CORRECT:
            wrong.append(embedded(place, record))
            del right[most - len(wrong) :]
        elif len(wrong) + len(right) < most:
            right.append((place, record))
    return sorted([*wrong, *starmap(embedded, right)], key=attrgetter("place"))


def _json(trial: ShownTrial) -> bytes:
    """The known details of a trial, as ASCII."""
    known = {}
    for name, value in records.as_dict(trial).items():
        if value not in (None, "", []):
            known[name] = value
    text = json.dumps(known, allow_nan=False)
    if len(text) > LONGEST_TEXT:
        text = json.dumps(truncate(known, LONGEST_TEXT), allow_nan=False)
    return text.encode("ascii")


def truncate(value: Any, longest: int) -> Any:
    """A JSON value with the middle of long texts left out:

    `{"cut": [beginning, end, length]}`.

    `longest` characters are kept, a quarter of them from the end.
    """
    match value:
        case str() if len(value) > longest:
            end = longest // 4
            beginning = value[: longest - end]
            return {"cut": [beginning, value[len(value) - end :], len(value)]}
        case dict():
            return {key: truncate(item, longest) for key, item in value.items()}
        case list() | tuple():
            return [truncate(item, longest) for item in value]
        case _:
            return value


# --- filters and examples -------------------------------------------------------------


def _filters(trials: Sequence[_Embedded]) -> Iterator[Filter]:
    """The filters with values; some only if there is something to choose."""
    for name, label in _FILTERS.items():
        known = dict.fromkeys(trial.by[name] for trial in trials)
        values = [value for value in known if value is not None]
        if name == "outcome" and set(values) != {Outcome.CORRECT}:
            values.insert(0, NOT_CORRECT)
        if name in _IN_ORDER:
            values.sort()
        if len(values) > 1 or name not in _ONLY_IF_SEVERAL:
            yield Filter(name, label, values)


def _example(trial: ShownTrial) -> Example | None:
    """A wrong number in a class of errors; None if it is too long to be shown beside
    others.
    """
    if trial.by["class"] is None or trial.parts or not trial.compared:
        return None
    question = trial.question or ""
    answer, expected = trial.compared
    length = sum(len(text) for text, _ in answer)  # the expected one is as long
    if max(len(question), length) > _LONGEST_EXAMPLE:
        return None
    return Example(str(trial.by["model"]), question, answer, expected)


def _examples(trials: Iterable[_Embedded]) -> dict[str, list[Example]]:
    """The first examples of each class, of as many models as possible."""
    found: dict[str, list[tuple[int, Example]]] = {}
    before = Counter[tuple[str, str]]()
    for trial in trials:
        example = trial.example
        if example is not None:
            name = str(trial.by["class"])
            earlier = before[name, example.model]
            found.setdefault(name, []).append((earlier, example))
            before[name, example.model] += 1
    first = {}
    for name in ErrorClass:
        if name in found:
            examples = sorted(found[name], key=itemgetter(0))[:_EXAMPLES]
            first[str(name)] = [example for _, example in examples]
    return first
