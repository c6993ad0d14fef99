"""Runs that have ended, with what their summaries say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from pytest_llmarith import records
from pytest_llmarith.records import Result, RunSummary, decode_summary
from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.reports.keys import Key, key_of
from pytest_llmarith.reports.logs.lines import log_of
from pytest_llmarith.reports.mistake import Mistake, name_of
from pytest_llmarith.values import BreakingProblem

SUMMARY = "summary.json"
_INTERRUPTED = 2  # pytest's exit status
_LONGEST_SUMMARY = 2**28
_LONGEST_CAUSE = 200


@dataclass(frozen=True, eq=False)
class Run:
    """A run that has ended: its log, what its summary says, and a digest of that."""

    log: Path
    summary: RunSummary
    digest: bytes

    @property
    def facts(self) -> records.Run:
        return self.summary.run

    @cached_property
    def results(self) -> Mapping[Key, Result]:
        return {key_of(result): result for result in self.summary.results}

    @property
    def counted(self) -> int:
        """How many records its log holds."""
        return self.summary.answered + self.summary.unanswered + self.summary.duplicates

    @property
    def folder(self) -> Path:
        return self.log.parent

    @property
    def name(self) -> str:
        return name_of(self.folder)

    @property
    def has_programs(self) -> bool:
        return any(result.sets for result in self.summary.results)

    @property
    def has_searches(self) -> bool:
        return any(result.task == BreakingProblem.task for result in self.summary.results)

    @property
    def is_rerun(self) -> bool:
        """Whether it asked again what another run had not got (--lf)."""
        return self.facts.partial and not self.facts.merged

    @property
    def expected(self) -> int:
        """How many trials were to be run, as far as it is known: nobody announces those of a `model` fixture."""
        return max(self.facts.selected or 0, (self.facts.shard and self.facts.shard.dealt) or 0)

    @property
    def unfinished(self) -> str | None:
        """Why it is not all that it was to be; None where it is."""
        if self.facts.partial and self.facts.merged:
            return "it was merged from a part of its runs"
        is_known = all(result.selected is not None for result in self.summary.results)
        if self.counted >= self.expected and (is_known or not self._cut_short):
            return None
        return self._cut_short or "it ended early"

    @property
    def _cut_short(self) -> str | None:
        if self.facts.stopped:
            return "it was stopped"
        return "it was interrupted" if self.facts.exit_status == _INTERRUPTED else None

    @cached_property
    def order(self) -> tuple[Any, ...]:
        """Earlier runs come first, and runs of the same second in an order that is always the same."""
        index = self.facts.shard.index if self.facts.shard else 0
        return datetime.fromisoformat(self.facts.started_at or ""), index, self.facts.id, self.digest


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
    return Run(log, summary, sha256(content).digest())
