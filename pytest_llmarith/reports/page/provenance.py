"""Where the numbers come from: what was asked of whom, by which versions, and what is missing.

It does not know how it is laid out.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_llmarith.reports.answered import all_answered, duplicates, of_wanted
from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.reports.keys import USUAL_NAME, condition_label
from pytest_llmarith.reports.page.runs import Run

_LONGEST = 2_000

Facts = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Provenance:
    """The facts of one run by name, and of its models; whether it is `whole` is None where nobody knows."""

    name: str
    status: str
    whole: bool | None
    facts: Sequence[tuple[str, str]]


def provenances(runs: Sequence[Run], summaries: Sequence[Facts]) -> list[Provenance]:
    """One per run."""
    return [
        Provenance(sanitize(run.name, 200), _status_of(run, summary), _whole(run, summary), list(_facts(run, summary)))
        for run, summary in zip(runs, summaries, strict=True)
    ]


def _whole(run: Run, summary: Facts) -> bool | None:
    if run.unfinished:
        return False
    if summary["unanswered"] == 0 and summary["run"].get("selected") is None:
        return None
    return bool(summary["complete"])


def _status_of(run: Run, summary: Facts) -> str:
    """Of a run that has not ended that first: nobody knows how much it was to be."""
    return "; ".join(filter(None, (run.unfinished, _status(summary))))


def _status(summary: Facts) -> str:
    """How much of the run there is."""
    unanswered = summary["unanswered"]
    if summary["complete"]:
        return all_answered(summary["answered"])
    return f"{of_wanted(summary)} answered" + (f", {unanswered:,} unanswered" if unanswered else "")


def _facts(of: Run, summary: Facts) -> Iterator[tuple[str, str]]:
    run = summary["run"]
    yield "trials", _status_of(of, summary)
    for line in duplicates(summary):
        yield "asked twice", line
    yield "from the store", f"{sum(result['stored'] for result in summary['results']):,} replies"
    for name, key in _NAMED:
        if run.get(key) not in (None, "", [], {}):
            yield name, _text(run[key])
    yield from _manner(run)
    if git := run.get("git"):
        yield "git", _git(git)
    for model in run.get("models") or ():
        yield f"model {_text(model.get('name'))}", _model(model)
    if levels := _levels(summary):
        yield "sandbox", levels
    if asking := {name: count for name, count in (run.get("asking") or {}).items() if count}:
        yield "asking", _text(asking)
    for name, key in _LAST:
        if run.get(key) not in (None, "", [], {}, False):
            yield name, _text(run[key])


def _manner(run: Facts) -> Iterator[tuple[str, str]]:
    """How questions were put, where that was not once and as usual."""
    labels = [condition_label({"condition": one}) or USUAL_NAME for one in run.get("conditions") or ()]
    if any(label != USUAL_NAME for label in labels):
        yield "conditions", _text(labels)
    if told := _text(run.get("wordings") or {}):
        yield "wordings", told
    if (repeats := run.get("repeats")) not in (None, 1):
        yield "repeats", f"every question {_text(repeats)} times"


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


def _git(git: Facts) -> str:
    return f"{git.get('commit')}{', with changes that are not committed' if git.get('dirty') else ''}"


def _model(model: Facts) -> str:
    """What was sent beside the prompts."""
    told = [_text(model.get("target") or "")]
    if model.get("simulated"):
        told.append("simulated")
    told += [f"{_worded(key)} {_text(model[key])}" for key in _SENT if model.get(key)]
    return "; ".join(told)


_SENT = ("params", "api_base", "system_prompt")


def _levels(summary: Facts) -> str:
    """How the programs were locked in."""
    levels: Counter[str] = Counter()
    for result in summary["results"]:
        for one in result["sets"]:
            levels.update(one.get("isolation") or {})
    return ", ".join(f"{count:,} programs {sanitize(level, 40)}" for level, count in sorted(levels.items()))


def _worded(key: Any) -> str:
    return _WORDS.get(key) or str(key).replace("_", " ")


_WORDS = {
    "announced": "questions",
    "announced_stored": "of them in the store",
    "answered": "replies over the network",
    "stored": "replies from the store",
    "failed": "without a reply",
    "held": "waiting to set out",
    "retrying": "waiting for another attempt",
    "next_try_s": "seconds to the next attempt",
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
