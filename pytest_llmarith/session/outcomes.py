"""The outcome of a trial in pytest's reports: letter, word, colour, properties, and the record.

Every pytest run loads this module. A report holds the record as JSON text, because xdist transports neither enums nor
lone surrogates, which a reply may contain.
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

CRASHED = "???"  # the `when` that xdist sets for an item whose worker died
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


class ReportedOutcome(NamedTuple):
    """The part of a record that stays on its report; pytest keeps every report to the end, and records may be large."""

    outcome: Outcome
    raised: str | None


def record_on(report: pytest.TestReport) -> Record | ReportedOutcome | None:
    """The record on a report, or the part that stays."""
    carried: str | Record | ReportedOutcome | None = getattr(report, _REPORT_ATTRIBUTE, None)
    if isinstance(carried, str):
        from pytest_llmarith.records import decode_record

        return decode_record(carried)
    return carried


def unpack_record(report: pytest.TestReport) -> Record | None:
    """Decode the record of a report in the controller, once for all readers."""
    record = record_on(report)
    if record is None or isinstance(record, ReportedOutcome):
        return None
    setattr(report, _REPORT_ATTRIBUTE, record)
    return record


def put_record(report: pytest.TestReport, record: Record) -> None:
    """Put a record on a report."""
    from pytest_llmarith.records import encode

    setattr(report, _REPORT_ATTRIBUTE, encode(record))


def drop_record(report: pytest.TestReport) -> None:
    """Replace the record on a report by its outcome."""
    if record := record_on(report):
        setattr(report, _REPORT_ATTRIBUTE, ReportedOutcome(record.outcome, record.raised))


def attach(report: pytest.TestReport, item: pytest.Item, strict: bool) -> None:
    """Put an item's record on the report of its call; with `strict`, fail all except correct ones.

    The item loses its record after teardown, as pytest keeps every item to the end.
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
    """Category, letter and word of a report with a record; None for pytest's own.

    A test that failed for another reason after grading, or whose task raised, stays pytest's failed.
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
    """Short facts about a trial for pytest's reports, such as JUnit XML; unknown ones are left out."""
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
    return f"got {_shortened(record.answer_text)}, expected {_shortened(expected)}"


def _shortened(text: str | None) -> str:
    """An answer shortened for a message."""
    text = text or ""
    if len(text) <= _LONGEST_ANSWER:
        return text
    return f"{text[:_END]}...{text[-_END:]} ({len(text):,} characters)"
