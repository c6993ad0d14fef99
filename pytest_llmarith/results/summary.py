"""Counts records into the summary of a run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Literal

from pytest_llmarith import records
from pytest_llmarith.figures.count import ResultCounter
from pytest_llmarith.figures.estimates import Trial
from pytest_llmarith.records import Record, Reply, Usage
from pytest_llmarith.results.effort import efforts
from pytest_llmarith.results.families import effects, model_differences
from pytest_llmarith.results.keys import Key, key_of, result_order
from pytest_llmarith.results.questions import AskedQuestions, Systems
from pytest_llmarith.summaries import Run, RunSummary, ServedChange

_MOST_NAMES = 5
_LONGEST_NAME = 200
_Field = Literal["served_model", "system_fingerprint"]


class Summary:
    """Counts records, each question once. Only numbers of a record are kept."""

    def __init__(self, systems: Systems | None = None) -> None:
        """`systems` has the texts of system prompts by name, if questions are compared
        with those of other runs.
        """
        self._systems = systems
        self._results: dict[Key, tuple[ResultCounter, AskedQuestions]] = {}
        self._stored_replies = StoredReplies()

    def asked(self) -> list[AskedQuestions]:
        """The questions of each model, task and condition."""
        return [asked for _, asked in self._results.values()]

    def add(self, record: Record) -> bool:
        """Count one record. There is one per item.

        Returns whether it is in the figures: one that repeats the question of another
        item is not.
        """
        key = key_of(record)
        if key not in self._results:
            asked = AskedQuestions.like(record, self._systems)
            self._results[key] = ResultCounter(record), asked
        counter, asked = self._results[key]
        trial = Trial(record)
        is_counted = counter.add(trial)
        if is_counted:
            asked.questions.add(trial)
        self._stored_replies.add(record.model, trial.replies)
        return is_counted

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
            counter, questions = self._results[key]
            result = counter.result(day, (selected or {}).get(key))
            answered += result.count("measured")
            unanswered += result.count("unanswered")
            duplicates += result.facts.duplicates
            results.append(result)
            asked.append(questions)
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
            differences=[
                *model_differences(asked, baseline),
                *effects(asked),
                *efforts(run.models, asked),
            ],
            stored_days=self._stored_replies.days(),
            served_changes=self._stored_replies.changes(),
            served_models=self._stored_replies.served(),
            other_servers=self._stored_replies.other_servers(),
            other_tiers=self._stored_replies.other_tiers(),
        )


# --- stored replies -------------------------------------------------------------------


class StoredReplies:
    """When stored replies were asked, and whether something else replies under the same
    name now.
    """

    def __init__(self) -> None:
        self._days: set[str] = set()
        # What replies to a model name, and whether they are stored.
        self._tiers: defaultdict[str, set[str]] = defaultdict(set)
        self._named: defaultdict[tuple[str, _Field, bool], set[str]] = defaultdict(set)
        self._at: defaultdict[tuple[str, _Field], dict[str, set[str]]] = defaultdict(
            dict
        )

    def add(self, model: str, replies: Iterable[Usage]) -> None:
        """Note the replies of a trial."""
        for reply in replies:
            if reply.stored and reply.asked_at:
                self._days.add(reply.asked_at[: len("2026-11-22")])
            if reply.served_model:
                name = reply.served_model[:_LONGEST_NAME]
                self._named[model, "served_model", reply.stored].add(name)
                self._note_server(model, "served_model", reply, name)
            if isinstance(reply, Reply) and reply.sent and reply.served_tier:
                asked = reply.sent.params.get("service_tier")
                if isinstance(asked, str) and asked not in ("auto", reply.served_tier):
                    self._tiers[model].add(f"{reply.served_tier} for {asked}")
            if isinstance(reply, Reply) and reply.system_fingerprint:
                name = reply.system_fingerprint[:_LONGEST_NAME]
                self._named[model, "system_fingerprint", reply.stored].add(name)
                self._note_server(model, "system_fingerprint", reply, name)

    def days(self) -> list[str] | None:
        """The first and the last day; None if no stored reply has one."""
        if not self._days:
            return None
        return [min(self._days), max(self._days)]

    def served(self) -> dict[str, list[str]]:
        """What the provider says it served, by the name of the model."""
        found: dict[str, set[str]] = {}
        for (model, field, _), names in self._named.items():
            if field == "served_model":
                found.setdefault(model, set()).update(names)
        return {model: sorted(names)[:_MOST_NAMES] for model, names in found.items()}

    def other_servers(self) -> dict[str, dict[str, list[str]]]:
        """What the servers of a model name, by model and address, if no name is common
        to all of them.
        """
        found = dict[str, dict[str, list[str]]]()
        for (model, _), named in self._at.items():
            if model not in found and not set.intersection(*named.values()):
                found[model] = {
                    address: sorted(names)[:_MOST_NAMES]
                    for address, names in sorted(named.items())
                }
        return found

    def other_tiers(self) -> dict[str, list[str]]:
        """The service tiers that were served where another was asked for, by model."""
        return {
            model: sorted(tiers)[:_MOST_NAMES] for model, tiers in self._tiers.items()
        }

    def changes(self) -> list[ServedChange]:
        """The models whose replies in this run name something that the stored ones do
        not.
        """
        found = []
        for model in dict.fromkeys(model for model, *_ in self._named):
            stored, new = self._names(model, "served_model")
            if stored and new - stored:
                found.append(_change(model, "served_model", stored, new))
                continue
            # A provider may have several of these at the same time.
            stored, new = self._names(model, "system_fingerprint")
            if stored and new and not stored & new:
                found.append(_change(model, "system_fingerprint", stored, new))
        return found

    def _note_server(self, model: str, field: _Field, reply: Usage, name: str) -> None:
        if isinstance(reply, Reply) and reply.served_at is not None:
            self._at[model, field].setdefault(reply.served_at, set()).add(name)

    def _names(self, model: str, field: _Field) -> tuple[set[str], set[str]]:
        """What stored replies name, and what those of this run name."""
        stored = self._named.get((model, field, True), set())
        new = self._named.get((model, field, False), set())
        return stored, new


def _change(model: str, field: _Field, stored: set[str], new: set[str]) -> ServedChange:
    return ServedChange(
        model, field, sorted(stored)[:_MOST_NAMES], sorted(new)[:_MOST_NAMES]
    )
