"""Where the numbers come from: what was asked of whom, by which versions, and what is missing.

It does not know how it is laid out.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_llmarith.records import Run, RunModel, RunSummary, as_dict
from pytest_llmarith.reports.answered import all_answered, duplicates, of_wanted
from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.reports.keys import USUAL_NAME, label_of
from pytest_llmarith.reports.page.runs import Run as OpenedRun

_LONGEST = 2_000


@dataclass(frozen=True, slots=True)
class Provenance:
    """The facts of one run by name, and of its models; whether it is `whole` is None where nobody knows."""

    name: str
    status: str
    whole: bool | None
    facts: Sequence[tuple[str, str]]


def provenances(runs: Sequence[OpenedRun], summaries: Sequence[RunSummary]) -> list[Provenance]:
    """One per run."""
    return [
        Provenance(sanitize(run.name, 200), _status_of(run, summary), _whole(run, summary), list(_facts(run, summary)))
        for run, summary in zip(runs, summaries, strict=True)
    ]


def _whole(run: OpenedRun, summary: RunSummary) -> bool | None:
    if run.unfinished:
        return False
    if summary.unanswered == 0 and summary.run.selected is None:
        return None
    return summary.complete


def _status_of(run: OpenedRun, summary: RunSummary) -> str:
    """Of a run that has not ended that first: nobody knows how much it was to be."""
    return "; ".join(filter(None, (run.unfinished, _status(summary))))


def _status(summary: RunSummary) -> str:
    """How much of the run there is."""
    unanswered = summary.unanswered
    if summary.complete:
        return all_answered(summary.answered)
    return f"{of_wanted(summary)} answered" + (f", {unanswered:,} unanswered" if unanswered else "")


def _facts(of: OpenedRun, summary: RunSummary) -> Iterator[tuple[str, str]]:
    run = summary.run
    yield "trials", _status_of(of, summary)
    for line in duplicates(summary):
        yield "asked twice", line
    yield "from the store", f"{sum(result.stored for result in summary.results):,} replies"
    known = {name: value for name, value in as_dict(run).items() if value not in (None, "", [], {}, False)}
    for name, key in _NAMED:
        if key in known:
            yield name, _text(known[key])
    yield from _prompts(run)
    if run.git:
        yield "git", f"{run.git['commit']}{', with changes that are not committed' * bool(run.git['dirty'])}"
    for model in run.models:
        yield f"model {_text(model.name)}", _model(model)
    if levels := _levels(summary):
        yield "sandbox", levels
    if asking := {name: count for name, count in known.get("asking", {}).items() if count}:
        yield "asking", _text(asking)
    for name, key in _LAST:
        if key in known:
            yield name, _text(known[key])


def _prompts(run: Run) -> Iterator[tuple[str, str]]:
    """How questions were put, where that was not once and as usual."""
    labels = [label_of(one) or USUAL_NAME for one in run.conditions or ()]
    if any(label != USUAL_NAME for label in labels):
        yield "conditions", _text(labels)
    if told := _text(run.wordings or {}):
        yield "wordings", told
    if run.repeats not in (None, 1):
        yield "repeats", f"every question {run.repeats} times"


_NAMED = (
    ("started", "started_at"),
    ("finished", "finished_at"),
    ("seed", "seed"),
    ("signs", "symbols"),
    ("reading", "reading"),
    ("store", "store"),
    ("versions", "versions"),
)
_LAST = (
    ("stopped", "stopped"),
    ("partial", "partial"),
    ("strict", "strict"),
    ("shard", "shard"),
    ("merged", "merged"),
    ("limits", "limits"),
    ("sequences", "oeis"),
    ("searches", "search"),
    ("exit status", "exit_status"),
)


def _model(model: RunModel) -> str:
    """What was sent beside the prompts."""
    told = [_text(model.target or "")]
    if model.simulated:
        told.append("simulated")
    sent = (("parameters", model.params), ("address", model.api_base), ("system prompt", model.system_prompt))
    told += [f"{name} {_text(value)}" for name, value in sent if value]
    return "; ".join(told)


def _levels(summary: RunSummary) -> str:
    """How the programs were locked in."""
    levels: Counter[str] = Counter()
    for result in summary.results:
        for one in result.sets:
            levels.update(one.isolation)
    return ", ".join(f"{count:,} programs {sanitize(level, 40)}" for level, count in sorted(levels.items()))


def _worded(key: Any) -> str:
    return _WORDS.get(key) or str(key).replace("_", " ")


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
    """A value in one printable line, a nested one as names and values."""
    if isinstance(value, dict):
        known = (f"{_worded(key)} {_text(item)}" for key, item in value.items() if item not in (None, "", [], {}))
        return sanitize(", ".join(known), _LONGEST)
    if isinstance(value, list):
        return sanitize(", ".join(map(_text, value)), _LONGEST)
    return sanitize(value if isinstance(value, str) else json.dumps(value, default=str), _LONGEST)
