"""What one model did on one set of sequences: the paper's score per limit, its terms, and how far two judges agree.

It does not know how a term is judged. A sequence without a program and one that cheats score 0; an unanswered one is
in no figure.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import fsum

from pytest_llmarith import records
from pytest_llmarith.records import Record, SequenceProblem
from pytest_llmarith.reports.counting.tallies import Tally
from pytest_llmarith.reports.counting.terms import Terms
from pytest_llmarith.reports.percents import percentage, share_with
from pytest_llmarith.results.statistics import bootstrap_mean, kappa
from pytest_llmarith.values import Level, Outcome

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
        self._levels: Counter[Level] = Counter()
        self._by_both: Counter[tuple[bool, bool]] = Counter()

    def add(self, record: Record, problem: SequenceProblem) -> None:
        """Count one record."""
        self.tally.add(record)
        program = record.oeis
        if record.outcome is Outcome.UNANSWERED or program is None or program.scores is None:
            return
        self._add_scores(problem.number, program.scores)
        self._levels[program.isolation.level] += 1
        self._add_verdicts(program.judges)
        if record.outcome is not Outcome.CHEAT:  # what a lookup table prints says nothing about its author
            self._terms.add(program.terms)

    def _add_scores(self, number: str, scores: Mapping[str, float]) -> None:
        for limit, score in scores.items():
            self._scores[limit][number].append(score)
        self._solved[number] = self._solved.get(number, False) or any(scores.values())

    def _add_verdicts(self, judges: records.Judges) -> None:
        self._judged += judges.static is not None or judges.llm is not None
        if judges.static and judges.llm and judges.llm.cheat is not None:
            self._by_both[judges.static.cheat, judges.llm.cheat] += 1

    def part(self, name: str) -> records.SequenceSet:
        """The set as it stands in a summary."""
        outcomes = self.tally.outcomes
        scores = {limit: _by_sequence(self._scores[limit]) for limit in sorted(self._scores, key=float)}
        unsolved = sorted(number for number, solved in self._solved.items() if not solved)
        return records.SequenceSet(
            **{str(outcome): outcomes.count(outcome) for outcome in Outcome},
            set=name,
            measured=outcomes.measured,
            correct_percentage=outcomes.correct_percentage,
            cheating=percentage(outcomes.count(Outcome.CHEAT), outcomes.measured) if self._judged else None,
            limits=[_limit(limit, of_limit) for limit, of_limit in scores.items()],
            by_term=self._terms.by_place,
            term_statuses=self._terms.statuses,
            term_seconds=self._terms.seconds,
            unsolved_count=len(unsolved),
            spending=self.tally.spending.part(),
            isolation=dict(sorted(self._levels.items())),
            judges=self._agreement(),
            curve=[_curve(limit, of_limit) for limit, of_limit in scores.items()],
            unsolved=unsolved[:_MOST_NAMED],
        )

    def _agreement(self) -> records.Agreement | None:
        total = self._by_both.total()
        if not total:
            return None
        both, static, llm, neither = (self._by_both[pair] for pair in _PAIRS)
        return records.Agreement(
            judged=total,
            both=both,
            only_static=static,
            only_llm=llm,
            neither=neither,
            agreement=percentage(both + neither, total),
            kappa=kappa(both, static, llm, neither),
        )


def _by_sequence(scores: Mapping[str, Sequence[float]]) -> list[float]:
    """The score of each sequence, sorted; of one that was asked several times the mean, as it is one sequence."""
    return sorted(fsum(of_one) / len(of_one) for of_one in scores.values())


def _limit(limit: str, scores: Sequence[float]) -> records.Limit:
    """The scores are sorted: neither a sum nor a draw may depend on which sequence was judged first."""
    mean, interval = fsum(scores) / len(scores), bootstrap_mean(scores)
    perfect = sum(score == 1 for score in scores)
    return records.Limit(
        seconds=float(limit),
        sequences=len(scores),
        score=share_with(interval, mean),
        perfect=perfect,
        perfect_percentage=percentage(perfect, len(scores)),
    )


def _curve(limit: str, scores: Sequence[float]) -> records.Curve:
    """The score of every sequence, the best first (arXiv 2411.04372, figure 2)."""
    return records.Curve(float(limit), [round(score, 4) for score in reversed(scores)])
