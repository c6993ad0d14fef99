"""What one model did at one task, as it stands in a summary: fed record by record.

It does not know which tasks there are: a problem with a variant and a depth gets cells, one with two integers gets
lengths, one with a set of sequences gets sets.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from pytest_llmarith.reports.counting.anatomy import AnatomyCounts
from pytest_llmarith.reports.counting.breaking import asked_of, breaking_point
from pytest_llmarith.reports.counting.questions import Questions
from pytest_llmarith.reports.counting.repeats import Put, RepeatCounts
from pytest_llmarith.reports.counting.sequences import SequenceSet
from pytest_llmarith.reports.counting.tallies import Outcomes, Reasons, Tally, percentages_of
from pytest_llmarith.reports.percents import in_percent
from pytest_llmarith.reports.statistics import Depth, reliable_depth
from pytest_llmarith.reports.variants import place_of_variant
from pytest_llmarith.values import Outcome


class Result:
    """Counts the records of one model and one task."""

    def __init__(self, simulated: bool) -> None:
        self.outcomes = Outcomes()
        self._simulated = simulated
        self._questions = Questions()
        self._nan_reasons, self._unanswered_reasons = Reasons(), Reasons()
        self._stored = 0
        self._asked = 0
        self._anatomy = AnatomyCounts()
        self._cells: dict[tuple[str, int], Tally] = {}
        # Of the first time that each problem was put: repeats are no further evidence of what a model can do.
        self._firsts: dict[tuple[str, int], Outcomes] = {}
        self._lengths: dict[int, Tally] = {}
        self._sets: dict[str, SequenceSet] = {}
        self._elsewhere = Tally()
        self._breaking_points: list[dict[str, Any]] = []
        self._repeats = RepeatCounts()

    @property
    def duplicates(self) -> int:
        """How many records asked what another one had asked, and were not counted."""
        return self._questions.duplicates

    def add(self, record: Mapping[str, Any]) -> None:
        """Count one record, unless another item's has counted for the same question."""
        if not self._questions.is_another_items(record):
            self._count(record)

    def _count(self, record: Mapping[str, Any]) -> None:
        outcome, reply = record["outcome"], record["reply"]
        self.outcomes.add(outcome)
        if outcome == Outcome.NAN:
            self._nan_reasons.add(record["reason"])
        if outcome == Outcome.UNANSWERED:
            self._unanswered_reasons.add(record["reason"])
        self._stored += reply is not None and bool(reply["stored"])
        self._asked += asked_of(record)
        if (found := breaking_point(record)) is not None:
            self._breaking_points.append(found)
        self._anatomy.add(record)
        self._repeats.add(record)
        self._place(record["problem"]).add(record)
        if _has_cell(record["problem"]) and not record.get("repeat"):
            cell = record["problem"]["variant"], record["problem"]["depth"]
            self._firsts.setdefault(cell, Outcomes()).add(record["outcome"])

    def _place(self, problem: Mapping[str, Any]) -> Tally | SequenceSet:
        """Where a trial is counted: in one place only, as the places together are the whole."""
        if "set" in problem:
            return self._sets.setdefault(problem["set"], SequenceSet())
        if _has_cell(problem):
            return self._cells.setdefault((problem["variant"], problem["depth"]), Tally())
        if "int1" in problem and "int2" in problem:
            digits = max(len(problem[operand].lstrip("-")) for operand in ("int1", "int2"))
            return self._lengths.setdefault(digits, Tally())
        return self._elsewhere

    def put(self) -> dict[int, Put]:
        """Each problem as it was put, and how often it was correct; the same problem has the same key elsewhere."""
        return self._repeats.put()

    def as_dict(self) -> dict[str, Any]:
        """The result as it stands in `summary.json`."""
        whole = Tally.of(self._tallies())
        errors = whole.errors.as_dict()
        return {
            "simulated": self._simulated,
            "duplicates": self.duplicates,
            "measured": self.outcomes.measured,
            "outcomes": self.outcomes.as_dict(),
            "percentages": self._percentages(),
            "nan_reasons": self._nan_reasons.as_dict(),
            "unanswered_reasons": self._unanswered_reasons.as_dict(),
            "stored": self._stored,
            "asked": self._asked,
            "cost_usd": whole.spending.total("cost_usd"),
            "unpriced": whole.spending.unpriced,
            "tokens": {kind: whole.spending.total(f"{kind}_tokens") for kind in ("prompt", "completion", "reasoning")},
            "median_latency_s": whole.spending.median("latency_s"),
            "spending": whole.spending.as_dict(),
            "median_relative_error": errors["median_relative_error"],
            "average_absolute_error": whole.errors.average_absolute,
            "rounded": whole.errors.rounded,
            "error_sizes": errors,
            "repeats": self._repeats.as_dict(),
            "variants": self._variant_dicts(),
            "anatomy": self._anatomy.as_dict(),
            "cells": self._cell_dicts(),
            "lengths": self._length_dicts(),
            "breaking_points": sorted(self._breaking_points, key=_place_of_search),
            "sets": [{"set": name} | self._sets[name].as_dict() for name in sorted(self._sets)],
        }

    def _percentages(self) -> dict[str, dict[str, float | None] | None]:
        """Searches have none: in how many of them a model broke is no share of questions."""
        percentages = percentages_of(self._strata())
        return dict.fromkeys(percentages) if self._breaking_points else percentages

    def _tallies(self) -> Iterable[Tally]:
        return (*self._cells.values(), *self._tallies_outside())

    def _tallies_outside(self) -> Iterable[Tally]:
        return (*self._lengths.values(), *(one.tally for one in self._sets.values()), self._elsewhere)

    def _strata(self) -> list[Outcomes]:
        """The cells of a grid, which the run fixes; all that is not of a grid is one cell."""
        outside = Outcomes()
        for tally in self._tallies_outside():
            outside.join(tally.outcomes)
        return [*(tally.outcomes for tally in self._cells.values()), outside]

    def _variant_dicts(self) -> list[dict[str, Any]]:
        return [
            {"variant": variant}
            | _variant(self._cells[place] for place in places)
            | {"reliable_depth": self._reliable_depth(variant)}
            for variant, places in groupby(self._cell_places(), key=lambda place: place[0])
        ]

    def _reliable_depth(self, variant: str) -> dict[str, Any]:
        depths = (
            Depth(depth, outcomes.count(Outcome.CORRECT), outcomes.measured)
            for (its_variant, depth), outcomes in self._firsts.items()
            if its_variant == variant
        )
        found = reliable_depth(depths)
        return {**found._asdict(), "at_most": None if found.at_most is None else in_percent(found.at_most)}

    def _cell_dicts(self) -> list[dict[str, Any]]:
        return [
            {"variant": variant, "depth": depth} | self._cells[variant, depth].as_dict()
            for variant, depth in self._cell_places()
        ]

    def _cell_places(self) -> list[tuple[str, int]]:
        return sorted(self._cells, key=_place_of_cell)

    def _length_dicts(self) -> list[dict[str, Any]]:
        return [
            {"digits": digits} | tally.as_dict() | {"median_latency_s": tally.spending.median("latency_s")}
            for digits, tally in sorted(self._lengths.items())
        ]


def _variant(cells: Iterable[Tally]) -> dict[str, Any]:
    """All depths of a variant together."""
    cells = list(cells)
    percentages = percentages_of([cell.outcomes for cell in cells])
    return {**Tally.of(cells).as_dict(), "percentages": percentages, "correct_percentage": percentages["correct"]}


def _has_cell(problem: Mapping[str, Any]) -> bool:
    return "variant" in problem and "depth" in problem


def _place_of_cell(cell: tuple[str, int]) -> tuple[int, str, int]:
    """Variants as the arithmetic task has them; depths by number."""
    variant, depth = cell
    return *place_of_variant(variant), depth


def _place_of_search(found: Mapping[str, Any]) -> tuple[int, str, int]:
    """Variants likewise, the repeats of one below each other."""
    return _place_of_cell((found["variant"], found["repeat"]))
