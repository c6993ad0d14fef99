"""How a run was made: names and values, without keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

from pytest_llmarith.records import as_dict, as_text
from pytest_llmarith.report.remarks import (
    all_answered,
    answered_count,
    duplicates,
    when_asked,
)
from pytest_llmarith.report.series import PageRun
from pytest_llmarith.results.keys import condition_name
from pytest_llmarith.safe_text import sanitize
from pytest_llmarith.summaries import RunSummary
from pytest_llmarith.views import formatting
from pytest_llmarith.views.tasks import report_of

_LONGEST_VALUE = 2_000
_LONGEST_NAME = 200
_MIB = 2**20
_ELSEWHERE = ("id", "selected", "models", "conditions", "asking", "tasks", "git")


class Value(NamedTuple):
    """A value of a fact, with a name if the fact has several values, and the address
    to which it leads.
    """

    name: str
    text: str
    link: str = ""


class Fact(NamedTuple):
    """A name, and what it stands for."""

    name: str
    values: list[Value]


class Provenance(NamedTuple):
    """The facts of a run.

    `complete` is None if the number of selected trials is unknown.
    """

    name: str
    status: str
    complete: bool | None
    facts: list[Fact]


def provenance(run: PageRun, more: Iterable[tuple[str, Any]] = ()) -> Provenance:
    """How much of a run is answered, its models, and all other facts, below `more`."""
    summary = run.summary
    status = _status(run)
    facts = []
    for name, value in chain(more, _facts(summary, status)):
        values = list(_values(value))
        if values:
            shown = sanitize(name.replace("_", " "), _LONGEST_NAME)
            facts.append(Fact(shown, values))
    return Provenance(sanitize(run.name, _LONGEST_NAME), status, _complete(run), facts)


def _status(run: PageRun) -> str:
    summary = run.summary
    parts = [run.unfinished] if run.unfinished else []
    if summary.complete:
        parts.append(all_answered(summary.answered))
    else:
        answered = f"{answered_count(summary)} answered"
        if summary.unanswered:
            answered += f", {summary.unanswered:,} unanswered"
        parts.append(answered)
    return "; ".join(parts)


def _complete(run: PageRun) -> bool | None:
    if run.unfinished:
        return False
    if run.summary.unanswered == 0 and run.summary.run.selected is None:
        return None
    return run.summary.complete


def _facts(summary: RunSummary, status: str) -> Iterator[tuple[str, Any]]:
    """Each fact with its value; a value that is unknown is None."""
    run = summary.run
    yield "trials", status
    yield "duplicates", list(duplicates(summary))
    stored = sum(result.count("stored") for result in summary.results)
    yield "from the store", f"{stored:,} replies{when_asked(summary)}"
    yield from _models(summary)
    yield "conditions", [condition_name(one) for one in run.conditions or ()]
    for name, value in as_dict(run).items():
        if name not in _ELSEWHERE:
            yield name, value
    counts = as_dict(run).get("asking") or {}
    yield "requests", {name: count for name, count in counts.items() if count}
    shown = {result.task for result in summary.results}
    for name, facts in (run.tasks or {}).items():
        if name in shown:
            yield f"task {name}", facts
    for result in summary.results:
        yield from report_of(result.task).facts_of(result)
    git = run.git or {}
    source = {"commit": git.get("commit"), "uncommitted changes": git.get("dirty")}
    yield "source", source


def _models(summary: RunSummary) -> Iterator[tuple[str, Any]]:
    """What is sent to each model, and what the provider says it served."""
    known = {model.name: as_dict(model) for model in summary.run.models}
    for result in summary.results:
        known.setdefault(result.model, {})
    for name, sent in known.items():
        facts = {key: value for key, value in sent.items() if key != "name"}
        facts |= facts.pop("params", None) or {}
        facts["served"] = summary.served_models.get(name)
        yield f"model {name}", facts


def _values(value: Any, name: str = "") -> Iterator[Value]:
    """The values of a fact; those of nested ones have the names of all levels."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from _values(one, f"{name} {key}".strip())
        return
    text = _text(value, name)
    if text:
        shown = sanitize(_plain_name(name, value), _LONGEST_NAME)
        yield Value(shown, sanitize(text, _LONGEST_VALUE))


def _plain_name(name: str, value: Any) -> str:
    """A name as words, without the unit of a number."""
    if _is_number(value):
        for unit in ("_s", "_usd", "_bytes"):
            name = name.removesuffix(unit)
    return name.replace("_", " ")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(value: Any, name: str) -> str:
    """A value, a number with the unit that the end of its name tells; empty if it is
    unknown or `False`.

    The user names parameters, templates and system prompts, so texts may have such
    names, too.
    """
    if value is None or value is False:
        return ""
    if value is True:
        return "yes"
    if isinstance(value, list | tuple):
        texts = [_text(one, name) for one in value]
        return ", ".join(text for text in texts if text)
    if isinstance(value, Mapping):
        pairs = []
        for key, one in value.items():
            pairs.append(f"{_plain_name(key, one)} {_text(one, key)}")
        return ", ".join(pairs)
    if not _is_number(value):
        return as_text(value) or ""
    if name.endswith("_s"):
        return f"{value:g} s"
    if name.endswith("_bytes"):
        return f"{value / _MIB:,.0f} MiB"
    if name.endswith("_usd"):
        return formatting.dollars(value)
    return f"{value:,}" if isinstance(value, int) else str(value)
