"""Counts the results of one model on one set of sequences: mean scores, terms, agreement of two judges."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import fsum
from typing import Literal

from pytest_llmarith import records
from pytest_llmarith.records import Record, SequenceProblem, Term
from pytest_llmarith.results.statistics import (
    bootstrap_mean,
    kappa,
    median_of_floats,
    percentage,
    quantile_of_sorted,
    share_with,
)
from pytest_llmarith.results.tallies import Tally
from pytest_llmarith.types import Level, Outcome, TermStatus

_MOST_NAMED = 500  # unsolved sequences
_MOST_TERMS = 100  # by place


class SequenceSet:
    """Counts the records of one model and one set.

    A sequence without a program, or with a lookup table, scores 0; an unanswered one is not counted.
    """

    def __init__(self) -> None:
        self.tally = Tally()
        self._scores: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        self._solved: dict[str, bool] = {}
        self._terms = _Terms()
        self._judged = 0
        self._levels: Counter[Level] = Counter()
        self._verdicts: Counter[tuple[bool, bool]] = Counter()  # of the static judge and the model

    def add(self, record: Record, problem: SequenceProblem) -> None:
        """Count one record."""
        self.tally.add(record)
        program = record.oeis
        if record.outcome is Outcome.UNANSWERED or program is None or program.scores is None:
            return
        for limit, score in program.scores.items():
            self._scores[limit][problem.number].append(score)
        solved = self._solved.get(problem.number, False)
        self._solved[problem.number] = solved or any(program.scores.values())
        self._levels[program.isolation.level] += 1
        static, llm = program.judges.static, program.judges.llm
        self._judged += static is not None or llm is not None
        if static and llm and llm.cheat is not None:
            self._verdicts[static.cheat, llm.cheat] += 1
        if record.outcome is not Outcome.CHEAT:  # the terms of a lookup table say nothing about the model
            self._terms.add(program.terms)

    def part(self, name: str) -> records.SequenceSet:
        """The set for a summary."""
        outcomes = self.tally.outcomes
        # The score of a sequence is the mean of its repeats. Scores are sorted, so that sums and draws do not depend on
        # the order of the records.
        scores = {
            float(limit): sorted(fsum(of_one) / len(of_one) for of_one in self._scores[limit].values())
            for limit in sorted(self._scores, key=float)
        }
        unsolved = sorted(number for number, solved in self._solved.items() if not solved)
        return records.SequenceSet(
            **{str(outcome): outcomes[outcome] for outcome in Outcome},
            set=name,
            measured=outcomes.measured,
            correct_percentage=outcomes.correct_percentage,
            cheating=percentage(outcomes[Outcome.CHEAT], outcomes.measured) if self._judged else None,
            limits=[_limit(limit, of_limit) for limit, of_limit in scores.items()],
            by_term=self._terms.by_place(),
            term_statuses=self._terms.statuses(),
            term_seconds=self._terms.seconds(),
            unsolved_count=len(unsolved),
            spending=self.tally.spending(),
            isolation=dict(sorted(self._levels.items())),
            judges=self._agreement(),
            curve=[  # the best first (arXiv 2411.04372, figure 2)
                records.Curve(limit, [round(score, 4) for score in reversed(of_limit)])
                for limit, of_limit in scores.items()
            ],
            unsolved=unsolved[:_MOST_NAMED],
        )

    def _agreement(self) -> records.Agreement | None:
        total = self._verdicts.total()
        if not total:
            return None
        pairs = ((True, True), (True, False), (False, True), (False, False))
        both, static, llm, neither = (self._verdicts[pair] for pair in pairs)
        return records.Agreement(
            judged=total,
            both=both,
            only_static=static,
            only_llm=llm,
            neither=neither,
            agreement=percentage(both + neither, total),
            kappa=kappa(both, static, llm, neither),
        )


def _limit(limit: float, scores: Sequence[float]) -> records.Limit:
    perfect = sum(score == 1 for score in scores)
    return records.Limit(
        seconds=limit,
        sequences=len(scores),
        score=share_with(bootstrap_mean(scores), fsum(scores) / len(scores)),
        perfect=perfect,
        perfect_percentage=percentage(perfect, len(scores)),
    )


class _Terms:
    """Counts the terms that were run, without inconclusive ones."""

    def __init__(self) -> None:
        self._right: Counter[int] = Counter()
        self._run: Counter[int] = Counter()
        self._statuses: Counter[TermStatus] = Counter()
        self._seconds = array("d")

    def add(self, terms: Iterable[Term]) -> None:
        """Count the terms of one program, in the order of the sequence."""
        for place, term in enumerate(terms, 1):
            if term.status is TermStatus.INCONCLUSIVE:
                continue
            self._statuses[term.status] += 1
            self._seconds.append(term.seconds)
            if place <= _MOST_TERMS:
                self._run[place] += 1
                self._right[place] += term.status is TermStatus.OK

    def by_place(self) -> list[dict[Literal["term", "right", "run"], int]]:
        return [{"term": place, "right": self._right[place], "run": self._run[place]} for place in sorted(self._run)]

    def statuses(self) -> dict[TermStatus, int]:
        return {status: self._statuses[status] for status in TermStatus if self._statuses[status]}

    def seconds(self) -> dict[Literal["median", "p90", "max"], float] | None:
        ordered = sorted(self._seconds)
        median, p90 = median_of_floats(ordered), quantile_of_sorted(ordered, 90)
        if median is None or p90 is None:
            return None
        return {"median": median, "p90": p90, "max": ordered[-1]}
