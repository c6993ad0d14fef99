"""Writes `report.html`: the page of one or several runs, in one file that loads nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from pytest_llmarith.files import replace_file
from pytest_llmarith.records import Record, RunSummary
from pytest_llmarith.results.compare_rows import OfCondition
from pytest_llmarith.results.formatting import sanitize
from pytest_llmarith.results.series import PageRun

__all__ = ["FILE_NAME", "PageRun", "write_page", "write_run_page"]

FILE_NAME = "report.html"
_LONGEST_REASON = 300


def write_page(runs: Sequence[PageRun], target: Path) -> None:
    """Write the page of these runs atomically. Raises OSError."""
    from pytest_llmarith.results.page.document import page_of  # imports Jinja2

    replace_file(target, page_of(runs))


def write_run_page(folder: Path, summary: RunSummary, records: Iterable[Record], asked: Sequence[OfCondition]) -> str:
    """Write the page of a run that has ended; returns a line with its path, or with the reason why it failed."""
    try:
        write_page([PageRun(folder.name, summary, records, asked)], folder / FILE_NAME)
    except (Exception, KeyboardInterrupt) as error:  # the JSON report is still to be written
        return sanitize(f"report.html was not written: {type(error).__name__}: {error}", _LONGEST_REASON)
    return f"page: {folder / FILE_NAME}"
