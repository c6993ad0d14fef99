"""What the repeats of problems say together: how far they agree, and what several tries are worth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import NamedTuple

from pytest_llmarith import records
from pytest_llmarith.records import Answer, Record, SequenceProblem
from pytest_llmarith.results.statistics import Cluster, Interval, clustered_share, pass_at, wilson
from pytest_llmarith.values import Outcome

_DECIMALS = 4


class _Trial(NamedTuple):
    answer: int | None  # equal for equal answers; None without one
    correct: bool


_Repeats = Mapping[int, _Trial]  # the trials of one problem by the number of the repeat


class RepeatCounts:
    """Counts the records of one model, task and condition."""

    def __init__(self) -> None:
        self._k = 1
        self._problems: dict[int, dict[int, _Trial]] = {}

    def add(self, record: Record) -> None:
        """Count one record. An unanswered one only tells how often its problem was to be asked."""
        self._k = max(self._k, record.repeat + 1)
        if record.outcome != Outcome.UNANSWERED:
            trial = _Trial(_answer(record), record.outcome == Outcome.CORRECT)
            self._problems.setdefault(_problem(record), {})[record.repeat] = trial

    def result(self) -> records.Repeats | None:
        """The figures; None if every problem was asked once."""
        if self._k == 1:
            return None
        problems = self._problems.values()
        several = [each for each in problems if len(each) > 1]
        clusters = [Cluster(sum(trial.correct for trial in each.values()), len(each)) for each in problems]
        pass_at_1, pass_at_k = clustered_share(clusters), pass_at(self._k, clusters)
        return records.Repeats(
            k=self._k,
            problems=len(problems),
            consistency=_share(sum(map(_agree, several)), len(several)),
            pass_at_1=pass_at_1 and _percentage(*pass_at_1),
            pass_at_k=None if pass_at_k is None else round(100 * pass_at_k, _DECIMALS),
            majority=_share(sum(map(_majority_is_correct, problems)), len(problems)),
        )


def _share(part: int, whole: int) -> records.Percentage | None:
    interval = wilson(part, whole)
    return interval and _percentage(part / whole, interval)


def _percentage(share: float, interval: Interval) -> records.Percentage:
    return records.Percentage(*(round(100 * one, _DECIMALS) for one in (share, *interval)))


def _problem(record: Record) -> int:
    """Equal for the same problem: a sequence that is in two sets is one."""
    problem = record.problem
    return hash(problem.number if isinstance(problem, SequenceProblem) else str(problem))


def _answer(record: Record) -> int | None:
    """A number is compared without its trailing zeros, a program by what it prints, another answer as text."""
    if record.oeis:
        printed = [term.got for term in record.oeis.terms]
        return hash((record.outcome == Outcome.CHEAT, *printed)) if printed else None
    text = record.answer_text
    if text is not None and isinstance(record.answer, Answer) and "." in text:
        text = text.rstrip("0").rstrip(".")
    return None if text is None else hash(text)


def _agree(repeats: _Repeats) -> bool:
    """Whether all repeats have the same answer; without one, a repeat agrees with none."""
    answers = {trial.answer for trial in repeats.values()}
    return len(answers) == 1 and None not in answers


def _majority_is_correct(repeats: _Repeats) -> bool:
    """Whether the most frequent answer is correct; in a tie, that of the earliest repeat."""
    trials: Collection[_Trial] = [trial for _, trial in sorted(repeats.items()) if trial.answer is not None]
    votes = Counter(trial.answer for trial in trials)
    return bool(votes) and any(trial.correct for trial in trials if trial.answer == votes.most_common(1)[0][0])
