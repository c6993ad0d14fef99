"""Records as rows of a table that a spreadsheet shows: a row per trial. It does not know how a table is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pytest_llmarith.reports.checks import object_in
from pytest_llmarith.reports.formats.spreadsheet import NO_ANSWER
from pytest_llmarith.reports.keys import condition_label
from pytest_llmarith.values import Outcome
from pytest_llmarith.values.answers import as_text

Record = Mapping[str, Any]

_OF_RECORD = ("model", "task", "simulated", "outcome", "reason", "reading")
_OF_PROBLEM = (
    *("variant", "depth", "set", "number", "label", "trial", "seed"),
    *("lhs", "rhs", "int1", "int2", "given", "expected"),
)
_OF_ANSWER = ("tolerant", "strict", "read")
_OF_GRADE = ("absolute_error", "relative_error", "rounded", "error_class", "digit_match", "dlength", "leading_digits")
_OF_REPLY = ("prompt_tokens", "completion_tokens", "reasoning_tokens", "cost_usd", "latency_s", "attempts", "stored")
_TEXTS = ("text", "reasoning")
_SAID = ("finish_reason", "served_model", "asked_at")

HEADERS = (
    *("run", "nodeid", *_OF_RECORD, "condition", "repeat", *_OF_PROBLEM),
    *(*_OF_ANSWER, *_OF_GRADE, "scores"),
    *(*_OF_REPLY, *_SAID, "prompt", *_TEXTS),
)


def rows_of(run: str, records: Iterable[Record]) -> Iterator[list[object]]:
    """The rows of a run. What a task does not have is left empty; the texts, which may be long, come last."""
    for record in records:
        if record["outcome"] == Outcome.NAN:
            record = {**record, "outcome": NO_ANSWER}
        problem, answer, grade, reply = (object_in(record, name) for name in ("problem", "answer", "grade", "reply"))
        yield [
            *(run, record.get("nodeid"), *_picked(record, _OF_RECORD), condition_label(record) or None),
            *(record.get("repeat"), *_picked(problem, _OF_PROBLEM)),
            *(*_picked(answer, _OF_ANSWER), *_picked(grade, _OF_GRADE), _scores(record)),
            *(*_picked(reply, (*_OF_REPLY, *_SAID)), record.get("prompt"), *_picked(reply, _TEXTS)),
        ]


def _picked(values: Record, names: Iterable[str]) -> list[object]:
    """The values of some names; what is no single value is written as JSON."""
    return [as_text(value) if isinstance(value := values.get(name), dict | list) else value for name in names]


def _scores(record: Record) -> str | None:
    """Of a program, such as `0.5 s: 0.97, 4 s: 1`."""
    scores = object_in(object_in(record, "oeis"), "scores")
    return ", ".join(f"{limit} s: {score:g}" for limit, score in scores.items()) if scores else None
