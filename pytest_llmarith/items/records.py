"""Where a trial's record travels: on the item, then on the report. Every pytest run loads this, so it is small."""

from __future__ import annotations

from typing import Any

import pytest

RECORD = pytest.StashKey[dict[str, Any]]()
# The attribute that carries a record on a report: plain builtins, so that it survives xdist's transport.
REPORT_ATTRIBUTE = "llmarith"
CRASHED = "???"  # what xdist writes as `when` of an item whose worker died


def record_of(report: pytest.TestReport) -> dict[str, Any] | None:
    """The record that a report carries."""
    return getattr(report, REPORT_ATTRIBUTE, None)
