"""The summary of a run: fed record by record while the run goes on, `summary.json` at its end."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_llmarith.records import FORMAT, Record, Run, RunSummary
from pytest_llmarith.reports.counting.order import place_of
from pytest_llmarith.reports.counting.results import Result
from pytest_llmarith.reports.keys import Key, key_of
from pytest_llmarith.results.compare_rows import OfCondition, effects
from pytest_llmarith.values import Outcome


class Summary:
    """Counts records, each question once; giving it one record per item is the caller's part."""

    def __init__(self) -> None:
        self._results: dict[Key, Result] = {}

    def add(self, record: Record) -> None:
        """Count one record, in constant time; nothing of it is kept but numbers."""
        key = key_of(record)
        if key not in self._results:
            self._results[key] = Result(record)
        self._results[key].add(record)

    def of_run(self, run: Run, selected: Mapping[Key, int] | None = None, date: str | None = None) -> RunSummary:
        """The summary of the run.

        `selected` says how many trials of each model, task and condition were to be run, where that is known. `date`
        is the day of a run that does not know when it began.
        """
        results = {key: self._results[key] for key in self._ordered(run)}
        answered = sum(result.outcomes.measured for result in results.values())
        unanswered = sum(result.outcomes.count(Outcome.UNANSWERED) for result in results.values())
        duplicates = sum(result.duplicates for result in results.values())
        day = run.started_at[: len("2026-11-22")] if run.started_at else date
        found, alike = effects(
            OfCondition(one.model, one.task, one.condition, one.asked_questions) for one in results.values()
        )
        return RunSummary(
            format=FORMAT,
            run=run,
            answered=answered,
            unanswered=unanswered,
            duplicates=duplicates,
            complete=unanswered == 0 and answered + duplicates == run.selected and not run.partial,
            results=[result.part(day, (selected or {}).get(key)) for key, result in results.items()],
            effects=found,
            same_words=alike,
        )

    def _ordered(self, run: Run) -> list[Key]:
        conditions = {key: result.condition for key, result in self._results.items()}
        return sorted(self._results, key=place_of(run, conditions, (model for model, *_ in self._results)))
