"""The runs of a page: unique labels of their models, and their provenance."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_llmarith.records import Record, Result, RunSummary, as_dict
from pytest_llmarith.results.compare_rows import OfCondition
from pytest_llmarith.results.completeness import all_answered, answered_count, duplicates
from pytest_llmarith.results.formatting import sanitize, sanitize_name
from pytest_llmarith.results.keys import USUAL_NAME, Keyed, differing, key_of, label_of, parameters_of
from pytest_llmarith.results.questions import Question

LONGEST_LABEL = 60
_LONGEST_FACT = 2_000

SeriesKey = tuple[int, str, str]  # the number of a run on the page, a model, and the label of a condition
Results = Sequence[tuple[str, Result]]  # with the labels of their series, in the order of the page


@dataclass(frozen=True, slots=True)
class PageRun:
    """A run to show. `unfinished` is the remark about a run that has not ended; `records` are read once."""

    name: str
    summary: RunSummary
    records: Iterable[Record]
    asked: Sequence[OfCondition] = ()
    unfinished: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """The results of one model in one run and condition. Labels are unique within a page."""

    label: str
    key: SeriesKey
    results: Sequence[Result]  # one for each task
    unfinished: str = ""


@dataclass(frozen=True, slots=True)
class Provenance:
    """The facts of a run by name. `complete` is None if the number of selected trials is unknown."""

    name: str
    status: str
    complete: bool | None
    facts: Sequence[tuple[str, str]]


def short_name(text: str) -> str:
    """A name such as a model or a variant in the form that is shown, filtered by and linked to."""
    return sanitize_name(text, LONGEST_LABEL)


def series_key(run: int, one: Keyed) -> SeriesKey:
    """The series of a record or a result."""
    model, _, condition = key_of(one)
    return run, model, condition


def series_of(runs: Sequence[PageRun]) -> list[Series]:
    """The models of all runs, in the order of the runs.

    If a name occurs in several runs, its label has the parameters that differ, or the name of the run if none do.
    """
    found: dict[SeriesKey, list[Result]] = {}
    for number, run in enumerate(runs):
        for result in run.summary.results:
            found.setdefault(series_key(number, result), []).append(result)
    parameters = differing([(model, parameters_of(runs[run].summary.run, model)) for run, model, _ in found])
    names = [(model, condition, sent) for (_, model, condition), sent in zip(found, parameters, strict=True)]
    shared = {name for name, count in Counter(names).items() if count > 1}
    labels = [
        short_name(", ".join(filter(None, (*name, runs[key[0]].name if name in shared else ""))))
        for key, name in zip(found, names, strict=True)
    ]
    repeated = {label for label, count in Counter(labels).items() if count > 1}
    return [
        Series(f"{label} ({number})" if label in repeated else label, key, results, runs[key[0]].unfinished)
        for number, (label, (key, results)) in enumerate(zip(labels, found.items(), strict=True), 1)
    ]


def questions_of(runs: Sequence[PageRun], series: Sequence[Series], task: str) -> dict[str, list[Question]]:
    """The questions of one task by the label of their series."""
    labels = {one.key: one.label for one in series}
    return {
        labels[number, one.model, label_of(one.condition)]: list(one.questions)
        for number, run in enumerate(runs)
        for one in run.asked
        if one.task == task
    }


def provenance(run: PageRun) -> Provenance:
    """How much of a run is answered, its models, and all other facts."""
    summary = run.summary
    if summary.complete:
        status = all_answered(summary.answered)
    else:
        unanswered = f", {summary.unanswered:,} unanswered" if summary.unanswered else ""
        status = f"{answered_count(summary)} answered{unanswered}"
    status = "; ".join(filter(None, (run.unfinished, status)))
    complete: bool | None = summary.complete and not run.unfinished
    if not run.unfinished and summary.unanswered == 0 and summary.run.selected is None:
        complete = None
    facts = [(name, text) for name, value in _facts(summary, status) if (text := _text(value))]
    return Provenance(sanitize(run.name, 200), status, complete, facts)


def _facts(summary: RunSummary, status: str) -> Iterator[tuple[str, Any]]:
    """How much is answered, and the fields of `run` in summary.json; unknown ones are None."""
    run = summary.run
    yield "trials", status
    yield from (("duplicates", line) for line in duplicates(summary))
    yield "from the store", f"{sum(result.stored for result in summary.results):,} replies"
    fields = as_dict(run) | {"conditions": [label_of(one) or USUAL_NAME for one in run.conditions or ()]}
    fields["asking"] = {name: count for name, count in (fields["asking"] or {}).items() if count}
    yield from ((name.replace("_", " "), fields[name]) for name in fields if name not in ("id", "selected", "models"))
    yield from ((f"model {_text(model.name)}", as_dict(model)) for model in run.models)
    isolation = sum((Counter(one.isolation) for result in summary.results for one in result.sets), Counter[str]())
    yield "sandbox", [f"{count:,} programs {level}" for level, count in sorted(isolation.items())]


def _text(value: Any) -> str:
    """A value in one printable line, a nested one as names and values; an unknown one is empty."""
    match value:
        case None | False:
            return ""
        case dict():
            known = {key: text for key, item in value.items() if (text := _text(item))}
            text = ", ".join(f"{key.replace('_', ' ')} {text}" for key, text in known.items())
        case list():
            text = ", ".join(map(_text, value))
        case str():
            text = value
        case _:
            text = json.dumps(value)
    return sanitize(text, _LONGEST_FACT)
