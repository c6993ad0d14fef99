"""A trial's outcome in pytest's words: its letter, word, colour and properties, and the record on its report.

Every pytest run loads this module. A report carries the record as JSON text: xdist transports neither enums nor half a
surrogate pair, and a reply may hold anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

import pytest

from pytest_llmarith.session import RECORD

if TYPE_CHECKING:
    from pytest_llmarith.records import Record
    from pytest_llmarith.types import Outcome

CRASHED = "???"  # what xdist writes as `when` of an item whose worker died
_REPORT_ATTRIBUTE = "llmarith"
_LONGEST_ANSWER, _END = 100, 40
_LONGEST_PROPERTY = 200
_SHOWN: Mapping[str, tuple[str, Mapping[str, bool]]] = {
    "correct": ("C", {"green": True}),
    "deviate": ("d", {"yellow": True}),
    "nan": ("n", {"purple": True}),
    "cheat": ("h", {"red": True}),
    "unanswered": ("U", {"red": True, "bold": True}),
}


class Kept(NamedTuple):
    """What a report keeps of its record: pytest keeps every report to the end, and a record may be large."""

    outcome: Outcome
    raised: str | None


def record_on(report: pytest.TestReport) -> Record | Kept | None:
    """The record that a report carries, or what it keeps of it."""
    carried: str | Record | Kept | None = getattr(report, _REPORT_ATTRIBUTE, None)
    if isinstance(carried, str):
        from pytest_llmarith.records import decode_record

        return decode_record(carried)
    return carried


def unpack_record(report: pytest.TestReport) -> Record | None:
    """The record of a report that crosses to no other process, decoded once for all readers."""
    record = record_on(report)
    if record is None or isinstance(record, Kept):
        return None
    setattr(report, _REPORT_ATTRIBUTE, record)
    return record


def put_record(report: pytest.TestReport, record: Record) -> None:
    """Let a report carry a record."""
    from pytest_llmarith.records import encode

    setattr(report, _REPORT_ATTRIBUTE, encode(record))


def keep_outcome_only(report: pytest.TestReport) -> None:
    """Leave a report the outcome of its record."""
    if record := record_on(report):
        setattr(report, _REPORT_ATTRIBUTE, Kept(record.outcome, record.raised))


def attach(report: pytest.TestReport, item: pytest.Item, strict: bool) -> None:
    """Put an item's record on the report of its call; with `strict`, fail all but correct ones.

    After its teardown an item has no record: pytest keeps every item to the end.
    """
    if report.when == "teardown":
        del item.stash[RECORD]
    if report.when != "call":
        return
    record = item.stash[RECORD]
    put_record(report, record)
    if strict and report.passed and record.outcome != "correct":
        report.outcome = "failed"
        report.longrepr = f"{record.outcome}: {_why(record)} (--llm-strict)"


def status_of(report: pytest.TestReport) -> tuple[str, str, tuple[str, Mapping[str, bool]]] | None:
    """Category, letter and word of a report that carries a record; None leaves it to pytest.

    A test that failed for another reason after its question was graded stays pytest's failed, and so does one whose
    task could not grade it.
    """
    record = record_on(report)
    if record is None or report.when not in ("call", CRASHED):
        return None
    outcome = record.outcome
    if report.failed:
        strict = isinstance(report.longrepr, str) and report.longrepr.startswith(f"{outcome}: ")
        if not strict and (outcome != "unanswered" or record.raised is not None):
            return None
    letter, markup = _SHOWN[outcome]
    return outcome, letter, (outcome.upper(), markup)


def properties_of(record: Record) -> list[tuple[str, str]]:
    """A few short texts about a trial for pytest's own reports, such as JUnit XML; what is unknown is left out."""
    from pytest_llmarith.results.formatting import sanitize, sanitize_name

    cost = record.reply.cost_usd if record.reply else None
    facts = (
        ("outcome", record.outcome),
        ("reason", record.reason and sanitize(record.reason, _LONGEST_PROPERTY)),
        ("error_class", record.grade.error_class if record.grade else None),
        ("cost_usd", None if cost is None else format(Decimal(repr(cost)), "f")),  # without an exponent
        ("model", sanitize_name(record.model, _LONGEST_PROPERTY)),
        ("task", record.task),
    )
    return [(f"llmarith_{name}", str(text)) for name, text in facts if text is not None]


def _why(record: Record) -> str:
    from pytest_llmarith.records import as_text

    if record.reason:
        return record.reason
    expected = as_text(getattr(record.problem, "expected", None))
    return f"got {_ends(record.answer_text)}, expected {_ends(expected)}"


def _ends(text: str | None) -> str:
    """An answer short enough for a message."""
    text = text or ""
    if len(text) <= _LONGEST_ANSWER:
        return text
    return f"{text[:_END]}...{text[-_END:]} ({len(text):,} characters)"
