"""The runs of a page: unique labels of their models, and their provenance."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_llmarith.records import Record, Result, RunModel, RunSummary, as_dict
from pytest_llmarith.results.completeness import all_answered, answered_count, duplicates
from pytest_llmarith.results.formatting import sanitize, sanitize_name
from pytest_llmarith.results.keys import USUAL_NAME, Keyed, differing, key_of, label_of, parameters_of

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


def _facts(summary: RunSummary, status: str) -> list[tuple[str, Any]]:
    """All facts in the order of the page; unknown ones are None."""
    run = summary.run
    parts = as_dict(run)
    conditions = [label_of(one) or USUAL_NAME for one in run.conditions or ()]
    isolation: Counter[str] = Counter()
    for one in (one for result in summary.results for one in result.sets):
        isolation.update(one.isolation)
    return [
        ("trials", status),
        *(("duplicates", line) for line in duplicates(summary)),
        ("from the store", f"{sum(result.stored for result in summary.results):,} replies"),
        ("started", run.started_at),
        ("finished", run.finished_at),
        ("seed", run.seed),
        ("signs", run.symbols),
        ("reading", run.reading),
        ("store", run.store),
        ("versions", run.versions),
        ("conditions", conditions if set(conditions) - {USUAL_NAME} else None),
        ("prompt_texts", run.prompt_texts),
        ("repeats", None if run.repeats in (None, 1) else f"every question {run.repeats} times"),
        ("git", run.git and f"{run.git['commit']}{', with changes that are not committed' * bool(run.git['dirty'])}"),
        *((f"model {_text(model.name)}", _model(model)) for model in run.models),
        ("sandbox", [f"{count:,} programs {level}" for level, count in sorted(isolation.items())]),
        ("asking", {name: count for name, count in (parts["asking"] or {}).items() if count}),
        ("stopped", run.stopped),
        ("partial", run.partial or None),
        ("strict", run.strict or None),
        ("shard", parts["shard"]),
        ("merged", parts["merged"]),
        ("limits", parts["limits"]),
        ("sequences", parts["oeis"]),
        ("searches", run.search),
        ("exit status", run.exit_status),
    ]


def _model(model: RunModel) -> str:
    """The target of a model, and what is sent in addition to prompts."""
    sent = (("parameters", model.params), ("address", model.api_base), ("system prompt", model.system_prompt))
    return "; ".join(
        [
            _text(model.target),
            *(["simulated"] if model.simulated else []),
            *(f"{name} {_text(value)}" for name, value in sent if value),
        ]
    )


_WORDS = {
    "announced": "questions",
    "announced_stored": "of them in the store",
    "answered": "replies over the network",
    "stored": "replies from the store",
    "failed": "without a reply",
    "retrying": "waiting for another attempt",
    "unsaved": "not saved in the store",
    "kept": "saved in the store",
    "judged": "replies of judges",
    "unpriced": "of unknown price",
    "cost_usd": "US dollars spent",
    "stored_usd": "US dollars that stored replies had cost",
    "lost": "requests that may have been billed without a reply",
    "lost_usd": "US dollars that these may have cost at most",
    "budget": "questions each at most",
    "api_base": "address",
    "params": "parameters",
}


def _text(value: Any) -> str:
    """A value in one printable line, a nested one as names and values; an unknown one is empty."""
    match value:
        case None:
            return ""
        case dict():
            known = {key: item for key, item in value.items() if item not in (None, "", [], {})}
            text = ", ".join(f"{_WORDS.get(key) or key.replace('_', ' ')} {_text(item)}" for key, item in known.items())
        case list():
            text = ", ".join(map(_text, value))
        case str():
            text = value
        case _:
            text = json.dumps(value)
    return sanitize(text, _LONGEST_FACT)
