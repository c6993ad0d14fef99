"""A trial's record on its item and on its report. Every pytest run imports this, so it imports nothing slow.

A report holds the record as JSON text: xdist transports neither enums nor half a surrogate pair, and a reply may hold
anything.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_llmarith.records import Record

RECORD = pytest.StashKey["Record"]()
_REPORT_ATTRIBUTE = "llmarith"
CRASHED = "???"  # what xdist writes as `when` of an item whose worker died


def record_of(report: pytest.TestReport) -> dict[str, Any] | None:
    """The record that a report carries."""
    carried = getattr(report, _REPORT_ATTRIBUTE, None)
    return json.loads(carried) if isinstance(carried, str) else carried


def put_record(report: pytest.TestReport, record: Record) -> None:
    """Let a report carry a record."""
    from pytest_llmarith.records import encode

    setattr(report, _REPORT_ATTRIBUTE, encode(record))


def keep_outcome_only(report: pytest.TestReport) -> None:
    """Leave a report its outcome alone: pytest keeps every report to the end, and a record may be large."""
    record = record_of(report)
    if record is not None:
        setattr(report, _REPORT_ATTRIBUTE, {"outcome": record["outcome"]})


def unpack_record(report: pytest.TestReport) -> dict[str, Any] | None:
    """The record of a report that goes no further, decoded once for all who look at it."""
    record = record_of(report)
    if record is not None:
        setattr(report, _REPORT_ATTRIBUTE, record)
    return record
