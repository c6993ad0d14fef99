"""Runs that have ended, with what their summaries say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pytest_llmarith import records
from pytest_llmarith.records import Result, decode_summary
from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.reports.keys import Key, key_of
from pytest_llmarith.reports.logs.lines import log_of
from pytest_llmarith.reports.mistake import Mistake, name_of

SUMMARY = "summary.json"
_LONGEST_SUMMARY = 2**28
_LONGEST_CAUSE = 200


@dataclass(frozen=True, eq=False)
class Run:
    """A run that has ended: its log, what its summary says, and how many records that counts."""

    log: Path
    facts: records.Run
    results: Mapping[Key, Result]
    counted: int


def read_run(path: Path) -> Run:
    """The run in a folder; raises Mistake where it has not ended, or what stands there was not written by a run."""
    log = log_of(path)
    if (run := ended_run(log)) is None:
        raise Mistake(
            f"{name_of(log.parent)}: no {SUMMARY}, so it was killed or still runs; the same command finishes it, "
            "if need be with its replies taken by llmarith store import"
        )
    return run


def ended_run(log: Path) -> Run | None:
    """The run whose log this is, None if no summary is beside it; raises Mistake if that is not one."""
    file = log.with_name(SUMMARY)
    if not file.exists():
        return None
    try:
        if not file.is_file():
            raise ValueError("not a regular file")
        with file.open("rb") as opened:
            content = opened.read(_LONGEST_SUMMARY + 1)
        if len(content) > _LONGEST_SUMMARY:
            raise ValueError("too long")
        summary = decode_summary(content)
        if summary.run.started_at is None or summary.run.finished_at is None:
            raise ValueError("run.started_at or run.finished_at is null")
    except OSError as fault:
        raise Mistake(f"{name_of(file)}: cannot be read ({fault.strerror})") from fault
    except ValueError as fault:  # also what is not JSON or not UTF-8
        cause = sanitize(str(fault), _LONGEST_CAUSE)
        raise Mistake(f"{name_of(file)}: {cause}; expected the summary of a run") from fault
    results = {key_of(result): result for result in summary.results}
    counted = summary.answered + summary.unanswered + summary.duplicates
    return Run(log, summary.run, results, counted)
