"""A trial's record on its item and on its report. Every pytest run imports this, so it imports nothing slow.

A report holds the record as JSON text: xdist transports neither enums nor half a surrogate pair, and a reply may hold
anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from pytest_llmarith.values import Outcome

if TYPE_CHECKING:
    from pytest_llmarith.records import Record

RECORD = pytest.StashKey["Record"]()
_REPORT_ATTRIBUTE = "llmarith"
CRASHED = "???"  # what xdist writes as `when` of an item whose worker died


class Kept(NamedTuple):
    """What a report keeps of its record: pytest keeps every report to the end, and a record may be large."""

    outcome: Outcome
    raised: str | None


def carries_record(report: pytest.TestReport) -> bool:
    """Whether a report carries a record, or has carried one."""
    return hasattr(report, _REPORT_ATTRIBUTE)


def record_of(report: pytest.TestReport) -> Record | Kept:
    """The record that a report carries, or what it keeps of it."""
    carried: str | Record | Kept = getattr(report, _REPORT_ATTRIBUTE)
    if isinstance(carried, str):
        from pytest_llmarith.records import decode_record

        return decode_record(carried)
    return carried


def put_record(report: pytest.TestReport, record: Record) -> None:
    """Let a report carry a record."""
    from pytest_llmarith.records import encode

    setattr(report, _REPORT_ATTRIBUTE, encode(record))


def unpack_record(report: pytest.TestReport) -> Record | None:
    """The record of a report that goes no further, decoded once for all who look at it."""
    if not carries_record(report):
        return None
    record = record_of(report)
    setattr(report, _REPORT_ATTRIBUTE, record)
    return None if isinstance(record, Kept) else record


def keep_outcome_only(report: pytest.TestReport) -> None:
    """Leave a report the outcome of its record."""
    if carries_record(report):
        record = record_of(report)
        setattr(report, _REPORT_ATTRIBUTE, Kept(record.outcome, record.raised))
