"""Where a trial's record travels: on the item, then on the report. Every pytest run loads this, so it is small.

On a report a record is JSON text. xdist's transport takes neither numbers of our own kinds nor half a surrogate pair,
and a reply may hold anything: what does not cross would end the session.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

RECORD = pytest.StashKey[dict[str, Any]]()
_REPORT_ATTRIBUTE = "llmarith"
CRASHED = "???"  # what xdist writes as `when` of an item whose worker died


def record_of(report: pytest.TestReport) -> dict[str, Any] | None:
    """The record that a report carries."""
    carried = getattr(report, _REPORT_ATTRIBUTE, None)
    return json.loads(carried) if isinstance(carried, str) else carried


def put_record(report: pytest.TestReport, record: dict[str, Any]) -> None:
    """Let a report carry a record, to wherever it goes."""
    setattr(report, _REPORT_ATTRIBUTE, json.dumps(record, allow_nan=False))


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
