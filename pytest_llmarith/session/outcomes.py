"""What a run keeps on pytest's objects: settings on the config, the record of a trial on item and report.

Reports show the outcome of a trial by letter, word, colour and properties. Every pytest run loads this module. A report
holds the record as JSON text, because xdist transports neither enums nor lone surrogates, which a reply may contain.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import pytest

if TYPE_CHECKING:
    from pytest_llmarith.records import Record
    from pytest_llmarith.settings import Settings
    from pytest_llmarith.types import Failure, Outcome, Question, Reply

# The key in xdist's `workerinput` of options that the controller passes to workers, which parse the command line anew.
OPTIONS_INPUT = "llmarith_options"
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

# On an item: the record of its trial, and its settings of pytest-timeout.
RECORD: pytest.StashKey[Record] = pytest.StashKey()
TIMER = pytest.StashKey[Any]()
_SETTINGS: pytest.StashKey[Settings] = pytest.StashKey()


class BrokerClient(Protocol):
    """The access of this process to the broker: `RunBroker`, or the connection of a worker."""

    def ask_and_wait(self, question: Question) -> Reply | Failure: ...

    def report_program(self, what: str | None) -> None:
        """Report which program is running; None when it has ended."""


BROKER_CLIENT: pytest.StashKey[BrokerClient] = pytest.StashKey()


def settings_of(config: pytest.Config) -> Settings:
    """The settings of the run, parsed on first use. Raises pytest.UsageError."""
    if _SETTINGS not in config.stash:
        from pytest_llmarith.settings import parse_settings

        config.stash[_SETTINGS] = parse_settings(config)
    return config.stash[_SETTINGS]


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
    cost = record.reply.cost_usd if record.reply else None
    facts = (
        ("outcome", record.outcome),
        ("reason", record.reason),
        ("error_class", record.grade.error_class if record.grade else None),
        ("cost_usd", None if cost is None else format(Decimal(repr(cost)), "f")),  # without an exponent
        ("model", record.model),
        ("task", record.task),
    )
    return [(f"llmarith_{name}", _transportable(str(value))) for name, value in facts if value is not None]


def _transportable(text: str) -> str:
    """The beginning of a text, in the characters that xdist transports."""
    return text[:_LONGEST_PROPERTY].encode("utf-8", "backslashreplace").decode()[:_LONGEST_PROPERTY]


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
