"""Counts records into the summary of a run."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_llmarith import records
from pytest_llmarith.figures.count import ResultCounter
from pytest_llmarith.records import Record
from pytest_llmarith.results.families import effects, model_differences
from pytest_llmarith.results.keys import Key, key_of, result_order
from pytest_llmarith.results.questions import AskedQuestions, Questions
from pytest_llmarith.results.stored import StoredReplies
from pytest_llmarith.summaries import Run, RunSummary


class Summary:
    """Counts records, each question once. Only numbers of a record are kept."""

    def __init__(self, systems: Mapping[str, str | None] | None = None) -> None:
        """`systems` has the texts of system prompts by name, if questions are compared
        with those of other runs.
        """
        self._systems = systems
        self._results: dict[Key, tuple[ResultCounter, Questions]] = {}
        self._stored_replies = StoredReplies()

    def asked(self) -> list[AskedQuestions]:
        """The questions of each model, task and condition."""
        return [self._asked(key) for key in self._results]

    def _asked(self, key: Key) -> AskedQuestions:
        one, questions = self._results[key]
        return AskedQuestions(one.model, one.task, one.condition, questions)

    def add(self, record: Record) -> None:
        """Count one record. There is one per item."""
        key = key_of(record)
        if key not in self._results:
            self._results[key] = ResultCounter(record), Questions(self._systems)
        counter, questions = self._results[key]
        if counter.add(record):
            questions.add(record)
        self._stored_replies.add(record.model, record.replies)

    def of_run(
        self,
        run: Run,
        selected: Mapping[Key, int] | None = None,
        date: str | None = None,
    ) -> RunSummary:
        """The summary of the run.

        `selected` says how many trials of each model, task and condition were selected,
        if that is known. `date` is the day of a run without a start time.
        """
        day = run.started_at[: len("2026-11-22")] if run.started_at else date
        answered = unanswered = duplicates = 0
        results, asked = [], []
        for key in result_order(run, self._results):
            counter, _ = self._results[key]
            result = counter.result(day, (selected or {}).get(key))
            answered += result.count("measured")
            unanswered += result.count("unanswered")
            duplicates += result.facts.duplicates
            results.append(result)
            asked.append(self._asked(key))
        is_complete = unanswered == 0 and answered + duplicates == run.selected
        baseline = run.baseline
        if baseline is None:
            baseline = asked[0].model if asked else ""
        return RunSummary(
            format=records.FORMAT,
            run=run,
            answered=answered,
            unanswered=unanswered,
            duplicates=duplicates,
            complete=is_complete and not run.partial,
            results=results,
            differences=model_differences(asked, baseline) + effects(asked),
            stored_days=self._stored_replies.days(),
            served_changes=self._stored_replies.changes(),
            served_models=self._stored_replies.served(),
            other_tiers=self._stored_replies.other_tiers(),
        )
