"""The summary of a run: fed record by record while the run goes on, `summary.json` at its end.

It does not know how a summary is shown, nor what one result is made of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_llmarith.records import FORMAT
from pytest_llmarith.reports.counting.effects import corrected, effect_of, same_words
from pytest_llmarith.reports.counting.order import place_of
from pytest_llmarith.reports.counting.results import Result
from pytest_llmarith.reports.keys import Key, condition_label, key_of
from pytest_llmarith.values import Outcome


class Summary:
    """Counts records, each question once; giving it one record per item is the caller's part."""

    def __init__(self) -> None:
        self._results: dict[Key, Result] = {}
        self._conditions: dict[Key, Any] = {}

    def add(self, record: Mapping[str, Any]) -> None:
        """Count one record, in constant time; nothing of it is kept but numbers."""
        key = key_of(record)
        if key not in self._results:
            self._results[key] = Result(record["simulated"])
            self._conditions[key] = record["condition"] if condition_label(record) else None
        self._results[key].add(record)

    def as_dict(self, run: Mapping[str, Any], selected: Mapping[Key, int] | None = None) -> dict[str, Any]:
        """The summary with the run's facts, of which it reads `selected`, `started_at`, `partial` and `models`.

        `selected` says how many trials of each model, task and condition were to be run, where that is known.
        """
        answered = sum(result.outcomes.measured for result in self._results.values())
        unanswered = sum(result.outcomes.count(Outcome.UNANSWERED) for result in self._results.values())
        duplicates = sum(result.duplicates for result in self._results.values())
        known = answered + duplicates
        date = (run.get("started_at") or "")[: len("2026-11-22")] or None
        return {
            "format": FORMAT,
            "run": dict(run),
            "answered": answered,
            "unanswered": unanswered,
            "duplicates": duplicates,
            "complete": unanswered == 0 and known == run.get("selected") and not run.get("partial"),
            "results": [
                self._frame(key) | {"date": date, "selected": (selected or {}).get(key)} | self._results[key].as_dict()
                for key in self._ordered(run)
            ],
        } | self._beside_each_other(self._ordered(run))

    def _frame(self, key: Key) -> dict[str, Any]:
        model, task, _ = key
        return {"model": model, "task": task, "condition": self._conditions[key]}

    def _beside_each_other(self, keys: Sequence[Key]) -> dict[str, list[dict[str, Any]]]:
        """What the conditions of a model and a task do, where it was asked in several."""
        found: dict[tuple[str, str], list[Key]] = {}
        for key in keys:
            found.setdefault(key[:2], []).append(key)
        effects, alike = [], []
        for first, *others in found.values():
            beside = self._results[first].put() if others else {}
            for key in others:
                frame, problems = self._frame(key) | {"beside": self._conditions[first]}, self._results[key].put()
                if effect := effect_of(beside, problems):
                    effects.append(frame | effect)
                if same := same_words(beside, problems):
                    alike.append(frame | {"problems": same})
        return {"effects": corrected(effects), "same_words": alike}

    def _ordered(self, run: Mapping[str, Any]) -> list[Key]:
        return sorted(self._results, key=place_of(run, self._conditions, (model for model, *_ in self._results)))
