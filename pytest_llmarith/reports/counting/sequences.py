"""What one model did on one set of sequences: the paper's score per limit, its terms, and how far two judges agree.

It does not know how a term is judged. A sequence without a program and one that cheats score 0; an unanswered one is
in no figure.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any

from pytest_llmarith.reports.counting.tallies import Tally
from pytest_llmarith.reports.counting.terms import Terms
from pytest_llmarith.reports.percents import percentage, share_with
from pytest_llmarith.reports.statistics import bootstrap_mean, kappa
from pytest_llmarith.values import Outcome

_MOST_NAMED = 500
_PAIRS = ((True, True), (True, False), (False, True), (False, False))


class SequenceSet:
    """Counts the records of one model and one set."""

    def __init__(self) -> None:
        self.tally = Tally()
        self._scores: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        self._solved: dict[str, bool] = {}
        self._terms = Terms()
        self._judged = 0
        self._levels: Counter[str] = Counter()
        self._by_both: Counter[tuple[bool, bool]] = Counter()

    def add(self, record: Mapping[str, Any]) -> None:
        """Count one record."""
        self.tally.add(record)
        if record["outcome"] == Outcome.UNANSWERED:
            return
        facts = record["oeis"]
        self._add_scores(record["problem"]["number"], facts["scores"])
        self._levels[facts["isolation"]["level"]] += 1
        self._add_verdicts(facts["judges"])
        if record["outcome"] != Outcome.CHEAT:  # what a lookup table prints says nothing about its author
            self._terms.add(facts.get("terms") or ())

    def _add_scores(self, number: str, scores: Mapping[str, float]) -> None:
        for limit, score in scores.items():
            self._scores[limit][number].append(score)
        self._solved[number] = self._solved.get(number, False) or any(scores.values())

    def _add_verdicts(self, judges: Mapping[str, Any]) -> None:
        self._judged += any(judges.values())
        if judges["static"] and judges["llm"]:
            self._by_both[judges["static"]["cheat"], judges["llm"]["cheat"]] += 1

    def as_dict(self) -> dict[str, Any]:
        """The set as it stands in `summary.json`."""
        cheats, measured = self.tally.outcomes.count(Outcome.CHEAT), self.tally.outcomes.measured
        scores = {limit: _by_sequence(self._scores[limit]) for limit in sorted(self._scores, key=float)}
        unsolved = sorted(number for number, solved in self._solved.items() if not solved)
        return {
            **self.tally.outcomes.as_dict(),
            "measured": measured,
            "correct_percentage": self.tally.outcomes.correct_percentage,
            "cheating": percentage(cheats, measured) if self._judged else None,
            "limits": [_limit(limit, of_limit) for limit, of_limit in scores.items()],
            "curve": [_curve(limit, of_limit) for limit, of_limit in scores.items()],
            **self._terms.as_dict(),
            "unsolved": unsolved[:_MOST_NAMED],
            "unsolved_count": len(unsolved),
            "spending": self.tally.spending.as_dict(),
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


def _by_sequence(scores: Mapping[str, Sequence[float]]) -> list[float]:
    """The score of each sequence, sorted; of one that was asked several times the mean, as it is one sequence."""
    return sorted(fsum(of_one) / len(of_one) for of_one in scores.values())


def _limit(limit: str, scores: Sequence[float]) -> dict[str, Any]:
    """The scores are sorted: neither a sum nor a draw may depend on which sequence was judged first."""
    mean, interval = fsum(scores) / len(scores), bootstrap_mean(scores)
    perfect = sum(score == 1 for score in scores)
    return {
        "seconds": float(limit),
        "sequences": len(scores),
        "score": share_with(interval, mean),
        "perfect": perfect,
        "perfect_percentage": percentage(perfect, len(scores)),
    }


def _curve(limit: str, scores: Sequence[float]) -> dict[str, Any]:
    """The score of every sequence, the best first (arXiv 2411.04372, figure 2)."""
    return {"seconds": float(limit), "scores": [round(score, 4) for score in reversed(scores)]}
