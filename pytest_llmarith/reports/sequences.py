"""What one model did on one set of sequences: the paper's score per limit, and how far two judges agree.

It does not know how a term is judged. A sequence without a program and one that cheats score 0; an unanswered one is
in no figure.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any

from pytest_llmarith.reports.statistics import bootstrap_mean, kappa
from pytest_llmarith.reports.tallies import Outcomes, percentage
from pytest_llmarith.values import Outcome


class SequenceSet:
    """Counts the records of one model and one set."""

    def __init__(self) -> None:
        self._outcomes = Outcomes()
        self._scores: dict[str, array[float]] = {}
        self._judged = 0
        self._levels: Counter[str] = Counter()
        self._by_both: Counter[tuple[bool, bool]] = Counter()

    def add(self, record: Mapping[str, Any]) -> None:
        """Count one record."""
        self._outcomes.add(record["outcome"])
        if record["outcome"] == Outcome.UNANSWERED:
            return
        for limit, score in record["oeis"]["scores"].items():
            self._scores.setdefault(limit, array("d")).append(score)
        self._levels[record["oeis"]["isolation"]["level"]] += 1
        judges = record["oeis"]["judges"]
        self._judged += any(judges.values())
        if judges["static"] and judges["llm"]:
            self._by_both[judges["static"]["cheat"], judges["llm"]["cheat"]] += 1

    def as_dict(self) -> dict[str, Any]:
        """The set as it stands in `summary.json`."""
        cheats, measured = self._outcomes.count(Outcome.CHEAT), self._outcomes.measured
        return {
            **self._outcomes.as_dict(),
            "measured": measured,
            "cheating": percentage(cheats, measured) if self._judged else None,
            "limits": [_limit(limit, sorted(self._scores[limit])) for limit in sorted(self._scores, key=float)],
            "isolation": dict(sorted(self._levels.items())),
            "judges": self._agreement(),
        }

    def _agreement(self) -> dict[str, Any] | None:
        total = self._by_both.total()
        if not total:
            return None
        both, static, llm, neither = (self._by_both[pair] for pair in _PAIRS)
        return {
            "judged": total,
            "both": both,
            "only_static": static,
            "only_llm": llm,
            "neither": neither,
            "agreement": percentage(both + neither, total),
            "kappa": kappa(both, static, llm, neither),
        }


_PAIRS = ((True, True), (True, False), (False, True), (False, False))


def _limit(limit: str, scores: Sequence[float]) -> dict[str, Any]:
    """The scores are sorted: neither a sum nor a draw may depend on which sequence was judged first."""
    mean, interval = fsum(scores) / len(scores), bootstrap_mean(scores)
    perfect = sum(score == 1 for score in scores)
    return {
        "seconds": float(limit),
        "sequences": len(scores),
        "score": {
            "percent": round(100 * mean, 4),
            "low": interval and round(100 * interval.low, 4),
            "high": interval and round(100 * interval.high, 4),
        },
        "perfect": perfect,
        "perfect_percentage": percentage(perfect, len(scores)),
    }
