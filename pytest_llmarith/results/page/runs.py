"""The provenance of the runs of a page."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_llmarith.records import RunSummary, as_dict
from pytest_llmarith.results.completeness import all_answered, answered_count, duplicates
from pytest_llmarith.results.formatting import sanitize
from pytest_llmarith.results.keys import USUAL_NAME, label_of
from pytest_llmarith.results.series import PageRun

_LONGEST_FACT = 2_000


@dataclass(frozen=True, slots=True)
class Provenance:
    """The facts of a run by name. `complete` is None if the number of selected trials is unknown."""

    name: str
    status: str
    complete: bool | None
    facts: Sequence[tuple[str, str]]


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
