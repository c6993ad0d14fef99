"""A trial's outcome in pytest's words: the record on the report, its letter, its colour, and what fails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import pytest

from pytest_llmarith.items.records import CRASHED, RECORD, put_record, record_of
from pytest_llmarith.records import Record, as_text
from pytest_llmarith.values import Outcome

_LONGEST, _END = 100, 40


class Shown(NamedTuple):
    """How an outcome looks in the progress line and with `-v`."""

    letter: str
    markup: Mapping[str, bool]


_SHOWN: Mapping[Outcome, Shown] = {
    Outcome.CORRECT: Shown("C", {"green": True}),
    Outcome.DEVIATE: Shown("d", {"yellow": True}),
    Outcome.NAN: Shown("n", {"purple": True}),
    Outcome.CHEAT: Shown("h", {"red": True}),
    Outcome.UNANSWERED: Shown("U", {"red": True, "bold": True}),
}


def attach(report: pytest.TestReport, item: pytest.Item, strict: bool) -> None:
    """Put an item's record on the report of its call; with `strict`, fail all but correct ones.

    After its teardown an item has none: pytest keeps every item to the end.
    """
    if report.when == "teardown":
        del item.stash[RECORD]
    if report.when != "call":
        return
    record = item.stash[RECORD]
    put_record(report, record)
    if strict and report.passed and record.outcome is not Outcome.CORRECT:
        report.outcome = "failed"
        report.longrepr = f"{record.outcome}: {_why(record)} (--llm-strict)"


def status_of(report: pytest.TestReport) -> tuple[str, str, tuple[str, Mapping[str, bool]]] | None:
    """Category, letter and word of a report that carries a record; None leaves it to pytest.

    A test that failed for a reason of its own after its question was graded stays pytest's failed, and so does one
    whose task could not grade it.
    """
    record = record_of(report)
    if report.when not in ("call", CRASHED):
        return None
    outcome = record.outcome
    if (
        report.failed
        and (outcome is not Outcome.UNANSWERED or record.raised is not None)
        and not _failed_by_strict(report, outcome)
    ):
        return None
    letter, markup = _SHOWN[outcome]
    return outcome, letter, (outcome.upper(), markup)


def _failed_by_strict(report: pytest.TestReport, outcome: str) -> bool:
    return isinstance(report.longrepr, str) and report.longrepr.startswith(f"{outcome}: ")


def _why(record: Record) -> str:
    if record.reason:
        return record.reason
    expected = as_text(getattr(record.problem, "expected", None))
    return f"got {_ends(record.answer_text or '')}, expected {_ends(expected or '')}"


def _ends(text: str) -> str:
    """An answer short enough for a message, which pytest keeps and writes into its reports: it has any length."""
    return text if len(text) <= _LONGEST else f"{text[:_END]}...{text[-_END:]} ({len(text):,} characters)"
