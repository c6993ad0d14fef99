"""What one model did at one task, as it stands in a summary: fed record by record.

It does not know which tasks there are: a problem with a variant and a depth gets cells, one with two integers gets
lengths, one with a set of sequences gets sets.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_llmarith.reports.sequences import SequenceSet
from pytest_llmarith.reports.tallies import Errors, Known, Outcomes, Reasons, Seconds, percentage
from pytest_llmarith.values import Dtype, Op, Outcome

_TOKENS = ("prompt", "completion", "reasoning")
_VARIANTS = [f"{dtype}_{op}" for dtype in Dtype for op in Op]
_PERCENTAGES = (Outcome.CORRECT, Outcome.DEVIATE, Outcome.NAN, Outcome.CHEAT)


class Result:
    """Counts the records of one model and one task."""

    def __init__(self, simulated: bool) -> None:
        self.outcomes = Outcomes()
        self._simulated = simulated
        self._nan_reasons, self._unanswered_reasons = Reasons(), Reasons()
        self._replies = _Replies()
        self._errors = Errors()
        self._cells: dict[tuple[str, int], Outcomes] = {}
        self._lengths: dict[int, tuple[Outcomes, Seconds]] = {}
        self._sets: dict[str, SequenceSet] = {}

    def add(self, record: Mapping[str, Any]) -> None:
        """Count one record."""
        outcome, reply = record["outcome"], record["reply"]
        self.outcomes.add(outcome)
        if outcome == Outcome.NAN:
            self._nan_reasons.add(record["reason"])
        if outcome == Outcome.UNANSWERED:
            self._unanswered_reasons.add(record["reason"])
        if outcome == Outcome.DEVIATE and record["grade"]:
            self._errors.add(record["grade"])
        if reply is not None:
            self._replies.add(reply)
        if "set" in record["problem"]:
            self._sets.setdefault(record["problem"]["set"], SequenceSet()).add(record)
        self._add_place(record["problem"], outcome, reply and reply["latency_s"])

    def _add_place(self, problem: Mapping[str, Any], outcome: str, seconds: float | None) -> None:
        if "variant" in problem and "depth" in problem:
            self._cells.setdefault((problem["variant"], problem["depth"]), Outcomes()).add(outcome)
        if "int1" in problem and "int2" in problem:
            digits = max(len(problem[operand].lstrip("-")) for operand in ("int1", "int2"))
            counts, latency = self._lengths.setdefault(digits, (Outcomes(), Seconds()))
            counts.add(outcome)
            latency.add(seconds)

    def as_dict(self) -> dict[str, Any]:
        """The result as it stands in `summary.json`."""
        return {
            "simulated": self._simulated,
            "measured": self.outcomes.measured,
            "outcomes": self.outcomes.as_dict(),
            "percentages": self._percentages(),
            "nan_reasons": self._nan_reasons.as_dict(),
            "unanswered_reasons": self._unanswered_reasons.as_dict(),
            **self._replies.as_dict(),
            **self._errors.as_dict(),
            "cells": self._cell_dicts(),
            "lengths": self._length_dicts(),
            "sets": [{"set": name} | self._sets[name].as_dict() for name in sorted(self._sets)],
        }

    def _percentages(self) -> dict[str, dict[str, float] | None]:
        count, measured = self.outcomes.count, self.outcomes.measured
        return {str(outcome): percentage(count(outcome), measured) for outcome in _PERCENTAGES}

    def _cell_dicts(self) -> list[dict[str, Any]]:
        return [
            {"variant": variant, "depth": depth} | self._cells[variant, depth].as_dict()
            for variant, depth in sorted(self._cells, key=_place)
        ]

    def _length_dicts(self) -> list[dict[str, Any]]:
        return [
            {"digits": digits} | counts.as_dict() | {"median_latency_s": latency.median}
            for digits, (counts, latency) in sorted(self._lengths.items())
        ]


class _Replies:
    """What replies cost in money, tokens and time."""

    def __init__(self) -> None:
        self._stored = self._unpriced = 0
        self._cost = Known()
        self._tokens = {kind: Known() for kind in _TOKENS}
        self._latency = Seconds()

    def add(self, reply: Mapping[str, Any]) -> None:
        self._stored += bool(reply["stored"])
        self._unpriced += reply["cost_usd"] is None
        self._cost.add(reply["cost_usd"])
        self._latency.add(reply["latency_s"])
        for kind, tokens in self._tokens.items():
            tokens.add(reply[f"{kind}_tokens"])

    def as_dict(self) -> dict[str, Any]:
        cost = self._cost.total
        return {
            "stored": self._stored,
            "cost_usd": None if cost is None else float(cost),
            "unpriced": self._unpriced,
            "tokens": {kind: _whole(tokens) for kind, tokens in self._tokens.items()},
            "median_latency_s": self._latency.median,
        }


def _whole(tokens: Known) -> int | None:
    return None if tokens.total is None else int(tokens.total)


def _place(cell: tuple[str, int]) -> tuple[int, str, int]:
    """Variants as the arithmetic task has them, others behind them by name; depths by number."""
    variant, depth = cell
    return _VARIANTS.index(variant) if variant in _VARIANTS else len(_VARIANTS), variant, depth
