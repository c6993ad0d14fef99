"""Writes the page of a finished run; a failure becomes one line of text, never an exception."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pytest_llmarith.records import Record, RunSummary
from pytest_llmarith.reports.harmless import sanitize

_LONGEST_REASON = 300


def write_run_page(folder: Path, summary: RunSummary, records: Iterable[Record]) -> str:
    """Write `report.html`; returns where it is, or why that was not possible."""
    try:
        from pytest_llmarith.reports.page.document import FILE_NAME, write_page
        from pytest_llmarith.reports.page.runs import RunAtHand

        write_page([RunAtHand(folder, summary, records)], folder / FILE_NAME)
    except (Exception, KeyboardInterrupt) as error:  # the run has been paid for, and its JSON report is yet to come
        return sanitize(f"report.html was not written: {type(error).__name__}: {error}", _LONGEST_REASON)
    return f"to look at: {folder / FILE_NAME}"
