"""Runs as they lie on disk, with what their summaries say. Nothing of it is believed before its shape was looked at.

It does not know what stands in their run logs, nor what is done with several of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from pytest_llmarith.reports.checks import check, is_count
from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.reports.keys import Key, key_of
from pytest_llmarith.reports.logs.lines import log_of
from pytest_llmarith.reports.logs.summaryshape import check_facts, is_result
from pytest_llmarith.reports.mistake import Mistake, name_of
from pytest_llmarith.values import BreakingProblem

SUMMARY = "summary.json"
SUMMARY_FORMAT = 1
_INTERRUPTED = 2  # pytest's exit status
_LONGEST_SUMMARY = 2**28
_LONGEST_CAUSE = 200


@dataclass(frozen=True, eq=False)
class Run:
    """A run that has ended: its log, what its summary says, and a digest of that."""

    log: Path
    facts: Mapping[str, Any]
    results: Mapping[Key, Mapping[str, Any]]
    counted: int
    digest: bytes

    @property
    def folder(self) -> Path:
        return self.log.parent

    @property
    def name(self) -> str:
        return name_of(self.folder)

    @property
    def shard(self) -> Mapping[str, Any] | None:
        shard: Mapping[str, Any] | None = self.facts.get("shard")
        return shard

    @property
    def selected(self) -> int | None:
        selected: int | None = self.facts.get("selected")
        return selected

    @property
    def has_programs(self) -> bool:
        return any(result.get("sets") for result in self.results.values())

    @property
    def has_searches(self) -> bool:
        return any(task == BreakingProblem.task for _, task, _ in self.results)

    @property
    def is_rerun(self) -> bool:
        """Whether it asked again what another run had not got (--lf)."""
        return bool(self.facts.get("partial")) and not self.facts.get("merged")

    @property
    def expected(self) -> int:
        """How many trials were to be run, as far as it is known: nobody announces those of a `model` fixture."""
        return max(self.selected or 0, (self.shard or {}).get("dealt") or 0)

    @property
    def unfinished(self) -> str | None:
        """Why it is not all that it was to be; None where it is."""
        if self.facts.get("partial") and self.facts.get("merged"):
            return "it was merged from a part of its runs"
        is_known = all(result["selected"] is not None for result in self.results.values())
        if self.counted >= self.expected and (is_known or not self._cut_short):
            return None
        return self._cut_short or "it ended early"

    @property
    def _cut_short(self) -> str | None:
        if self.facts.get("stopped"):
            return "it was stopped"
        return "it was interrupted" if self.facts.get("exit_status") == _INTERRUPTED else None

    @cached_property
    def order(self) -> tuple[Any, ...]:
        """Earlier runs come first, and runs of the same second in an order that is always the same."""
        index = self.shard["index"] if self.shard else 0
        return datetime.fromisoformat(self.facts["started_at"]), index, self.facts["id"], self.digest


def read_run(path: Path) -> Run:
    """The run in a folder; raises Mistake where it has not ended, or what stands there was not written by a run."""
    log = log_of(path)
    if (run := ended_run(log)) is None:
        raise Mistake(
            f"{name_of(log.parent)}: no {SUMMARY}, so it was killed or still runs; the same command finishes it, "
            "if need be with its replies taken by llmarith store import"
        )
    return run


def ended_run(log: Path, *, all_facts: bool = True) -> Run | None:
    """The run whose log this is, None where no summary stands beside it; raises Mistake where that is none.

    Summaries of earlier versions may lack facts: who can do without them asks for not `all_facts`.
    """
    summary = log.with_name(SUMMARY)
    if not summary.exists():
        return None
    try:
        if not summary.is_file():
            raise ValueError("not a regular file")
        with summary.open("rb") as file:
            content = file.read(_LONGEST_SUMMARY + 1)
        if len(content) > _LONGEST_SUMMARY:
            raise ValueError("too long")
        return _run(log, json.loads(content), sha256(content).digest(), all_facts)
    except OSError as fault:
        raise Mistake(f"{name_of(summary)}: cannot be read ({fault.strerror})") from fault
    except RecursionError as fault:
        raise Mistake(f"{name_of(summary)}: nested too deep; expected the summary of a run") from fault
    except ValueError as fault:  # what is no JSON or no UTF-8 among them
        cause = sanitize(str(fault), _LONGEST_CAUSE)
        raise Mistake(f"{name_of(summary)}: {cause}; expected the summary of a run") from fault


def _run(log: Path, summary: Any, digest: bytes, all_facts: bool) -> Run:
    check(isinstance(summary, dict), "not a JSON object")
    check(summary.get("format") == SUMMARY_FORMAT, f"the format is not {SUMMARY_FORMAT}")
    facts, results = summary.get("run"), summary.get("results")
    check_facts(facts, or_none=not all_facts)
    check(isinstance(results, list) and all(map(is_result, results)), "results is no list of results")
    counts = [summary.get("answered"), summary.get("unanswered"), summary.get("duplicates", 0)]
    check(all(map(is_count, counts)), "answered, unanswered or duplicates is no count")
    # The first summaries did not say what was selected of each model and task.
    keyed = {key_of(result): {"selected": None, **result} for result in results}
    return Run(log, facts, keyed, sum(counts), digest)
