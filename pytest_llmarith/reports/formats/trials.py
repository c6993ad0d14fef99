"""Records as rows of a table that a spreadsheet shows: a row per trial. It does not know how a table is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pytest_llmarith.records import Part, Record, as_text
from pytest_llmarith.reports.formats.spreadsheet import NO_ANSWER
from pytest_llmarith.reports.keys import label_of
from pytest_llmarith.values import Outcome

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
        problem, answer, grade, reply = record.problem, record.answer, record.grade, record.reply
        yield [
            *(run, record.nodeid, record.model, record.task, record.simulated),
            NO_ANSWER if record.outcome is Outcome.NAN else record.outcome,
            *(record.reason, record.reading, label_of(record.condition) or None, record.repeat),
            *(*_picked(problem, _OF_PROBLEM), *_picked(answer, _OF_ANSWER), *_picked(grade, _OF_GRADE)),
            _scores(record),
            *(*_picked(reply, (*_OF_REPLY, *_SAID)), record.prompt, *_picked(reply, _TEXTS)),
        ]


def _picked(part: Part | None, names: Iterable[str]) -> list[object]:
    """The values of some names; what is no single value is written as JSON."""
    values = (getattr(part, name, None) for name in names)
    return [as_text(value) if isinstance(value, dict | list) else value for value in values]


def _scores(record: Record) -> str | None:
    """Of a program, such as `0.5 s: 0.97, 4 s: 1`."""
    scores = record.oeis and record.oeis.scores
    return ", ".join(f"{limit} s: {score:g}" for limit, score in scores.items()) if scores else None
