"""The summary of a run: fed record by record while the run goes on, `summary.json` at its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_llmarith.records import FORMAT, Effect, Record, Run, RunSummary, SameWords
from pytest_llmarith.reports.counting.effects import corrected, effect_of, same_words
from pytest_llmarith.reports.counting.order import place_of
from pytest_llmarith.reports.counting.results import Result
from pytest_llmarith.reports.keys import Key, key_of
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
        effects, alike = _beside_each_other(list(results.values()))
        return RunSummary(
            format=FORMAT,
            run=run,
            answered=answered,
            unanswered=unanswered,
            duplicates=duplicates,
            complete=unanswered == 0 and answered + duplicates == run.selected and not run.partial,
            results=[result.part(day, (selected or {}).get(key)) for key, result in results.items()],
            effects=effects,
            same_words=alike,
        )

    def _ordered(self, run: Run) -> list[Key]:
        conditions = {key: result.condition for key, result in self._results.items()}
        return sorted(self._results, key=place_of(run, conditions, (model for model, *_ in self._results)))


def _beside_each_other(results: Sequence[Result]) -> tuple[list[Effect], list[SameWords]]:
    """What the conditions of a model and a task do, where it was asked in several."""
    found: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        found.setdefault((result.model, result.task), []).append(result)
    effects, alike = list[Effect](), list[SameWords]()
    for first, *others in found.values():
        beside = first.put() if others else {}
        for other in others:
            problems = other.put()
            same = SameWords(other.model, other.task, other.condition, first.condition, same_words(beside, problems))
            if effect := effect_of(same, beside, problems):
                effects.append(effect)
            if same.problems:
                alike.append(same)
    return corrected(effects), alike
