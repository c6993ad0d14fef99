"""What a run keeps on pytest's objects: settings on the config, the record of a trial on item and report.

Reports show the outcome of a trial by letter, word, colour and properties. Every pytest run loads this module. A report
holds the record as JSON text, because xdist transports neither enums nor lone surrogates, which a reply may contain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_llmarith.records import Record
    from pytest_llmarith.settings import Settings
    from pytest_llmarith.types import Failure, Question, Reply

# The key in xdist's `workerinput` of options that the controller passes to workers, which parse the command line anew.
OPTIONS_INPUT = "llmarith_options"
CRASHED = "???"  # the `when` that xdist sets for an item whose worker died
_RECORD_ATTRIBUTE, _OUTCOME_ATTRIBUTE = "llmarith", "llmarith_outcome"
_LONGEST_TEXT = 200
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
# On the config: the settings, and the function that asks a question, directly or through the controller.
_SETTINGS: pytest.StashKey[Settings] = pytest.StashKey()
ASK: pytest.StashKey[Callable[[Question], Reply | Failure]] = pytest.StashKey()


def settings_of(config: pytest.Config) -> Settings:
    """The settings of the run, parsed on first use. Raises pytest.UsageError."""
    if _SETTINGS not in config.stash:
        from pytest_llmarith.settings import parse_settings

        config.stash[_SETTINGS] = parse_settings(config)
    return config.stash[_SETTINGS]


def put_record(report: pytest.TestReport, record: Record) -> None:
    """Put a record on a report, and apart from it what stays to the end: pytest keeps every report."""
    from pytest_llmarith.records import encode

    setattr(report, _RECORD_ATTRIBUTE, encode(record))
    setattr(report, _OUTCOME_ATTRIBUTE, (str(record.outcome), record.raised is not None))


def has_record(report: pytest.TestReport) -> bool:
    return hasattr(report, _RECORD_ATTRIBUTE)


def take_record(report: pytest.TestReport) -> Record | None:
    """Remove the record from a report."""
    from pytest_llmarith.records import decode_record

    text = vars(report).pop(_RECORD_ATTRIBUTE, None)
    return None if text is None else decode_record(text)


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
    if report.when not in ("call", CRASHED) or not hasattr(report, _OUTCOME_ATTRIBUTE):
        return None
    outcome, has_raised = getattr(report, _OUTCOME_ATTRIBUTE)
    if report.failed:
        strict = isinstance(report.longrepr, str) and report.longrepr.startswith(f"{outcome}: ")
        if not strict and (outcome != "unanswered" or has_raised):
            return None
    letter, markup = _SHOWN[outcome]
    return outcome, letter, (outcome.upper(), markup)


def properties_of(record: Record) -> list[tuple[str, str]]:
    """Short facts about a trial for pytest's reports, such as JUnit XML; unknown ones are left out."""
    from pytest_llmarith.results.formatting import sanitize

    cost = record.reply.cost_usd if record.reply else None
    facts = (
        ("outcome", record.outcome),
        ("reason", record.reason),
        ("error_class", record.grade.error_class if record.grade else None),
        ("cost_usd", None if cost is None else format(Decimal(repr(cost)), "f")),  # without an exponent
        ("model", record.model),
        ("task", record.task),
    )
    return [(f"llmarith_{name}", sanitize(str(value), _LONGEST_TEXT)) for name, value in facts if value is not None]


def _why(record: Record) -> str:
    from pytest_llmarith.records import as_text
    from pytest_llmarith.results.formatting import sanitize

    expected = as_text(getattr(record.problem, "expected", None))
    return sanitize(record.reason or f"got {record.answer_text}, expected {expected}", _LONGEST_TEXT)
