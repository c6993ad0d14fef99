"""What the repeats of problems say together, fed record by record: how far they agree, and what trying again is worth.

It keeps a few bytes of each trial and no answer. It does not know how a trial was graded.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from pytest_llmarith.records import Answer, CustomAnswer, PassAtK, Record, Repeats, SequenceProblem, as_text
from pytest_llmarith.reports.percents import in_percent, percentage, share_with
from pytest_llmarith.reports.statistics import Cluster, clustered_share, pass_at
from pytest_llmarith.values import Outcome

_TRIES = (1, 2, 3, 4, 5, 10, 20, 50, 100, 200, 500)


class _Trial(NamedTuple):
    """What became of one repeat: `answer` tells answers apart, and is None where there is none."""

    answer: int | None
    correct: bool


class Put(NamedTuple):
    """How many repeats of a problem are correct, of how many, and what tells apart the words in which it was put."""

    cluster: Cluster
    words: int


_Trials = dict[int, _Trial]  # the trials of one problem, by the number of the repeat
_NO_ANSWER, _WRONG, _RIGHT = range(3)


class RepeatCounts:
    """Counts the records of one result by the problem that they put: in columns, as there may be very many."""

    def __init__(self) -> None:
        self._most = 1
        self._problems, self._repeats, self._answers, self._words = (array("q") for _ in range(4))
        self._grades = bytearray()

    def add(self, record: Record) -> None:
        """Count one record; one without a reply says only how often its problem was to be put."""
        self._most = max(self._most, record.repeat + 1)
        if record.outcome is Outcome.UNANSWERED:
            return
        answer, correct = _answer(record), record.outcome is Outcome.CORRECT
        self._problems.append(_problem(record))
        self._words.append(_words(record))
        self._repeats.append(record.repeat)
        self._answers.append(answer or 0)
        self._grades.append(_RIGHT if correct else _NO_ANSWER if answer is None else _WRONG)

    def put(self) -> dict[int, Put]:
        """Each problem as it was put; those of other results have the same key."""
        words = dict(zip(self._problems, self._words, strict=True))
        return {problem: Put(_cluster(repeats), words[problem]) for problem, repeats in self._by_problem().items()}

    def _by_problem(self) -> dict[int, _Trials]:
        problems: dict[int, _Trials] = {}
        for problem, repeat, answer, grade in zip(
            self._problems, self._repeats, self._answers, self._grades, strict=True
        ):
            known = None if grade == _NO_ANSWER else answer
            problems.setdefault(problem, {})[repeat] = _Trial(known, grade == _RIGHT)
        return problems

    def part(self) -> Repeats | None:
        """The repeats as they stand in a result; None where every problem was put once."""
        if self._most == 1:
            return None
        problems = self._by_problem().values()
        clusters = [_cluster(repeats) for repeats in problems]
        several = [one for one in problems if len(one) > 1]
        pass_at_1 = clustered_share(clusters)
        return Repeats(
            k=self._most,
            problems=len(problems),
            consistency=percentage(sum(map(_agree, several)), len(several)),
            pass_at_1=pass_at_1 and share_with(pass_at_1[1], pass_at_1[0]),
            pass_at_k=[
                PassAtK(k, in_percent(share))
                for k in (*(k for k in _TRIES if k < self._most), self._most)
                if (share := pass_at(k, clusters)) is not None
            ],
            majority=percentage(sum(map(_majority_is_right, problems)), len(problems)),
        )


def _cluster(repeats: _Trials) -> Cluster:
    return Cluster(sum(trial.correct for trial in repeats.values()), len(repeats))


def _problem(record: Record) -> int:
    """What tells problems apart; a sequence that is in two sets is one."""
    problem = record.problem
    return hash(problem.number if isinstance(problem, SequenceProblem) else repr(problem))


def _words(record: Record) -> int:
    """What tells words apart. A search puts many questions; of these, and of unknown prompts, the condition decides."""
    if record.prompt is None or record.search:
        return hash(("", record.condition))
    return hash((record.prompt, record.condition.system))


def _answer(record: Record) -> int | None:
    """What tells answers apart: the one that counts, or what a program printed."""
    match record.answer:
        case CustomAnswer(read=read):  # its own task knows what is the same; here it is what is written the same
            return None if read is None else hash(as_text(read))
        case Answer() as answer:
            number = answer.by(record.reading)
            return None if number is None else hash(_shortest(number))
    printed = [term.got for term in record.oeis.terms] if record.oeis else []
    return hash((record.outcome is Outcome.CHEAT, *printed)) if printed else None


def _shortest(number: str) -> str:
    """Decimal text without zeros that change nothing."""
    return number.rstrip("0").rstrip(".") if "." in number else number


def _agree(repeats: _Trials) -> bool:
    """Whether all came to the same answer; where one has none, they do not."""
    answers = {trial.answer for trial in repeats.values()}
    return len(answers) == 1 and None not in answers


def _majority_is_right(repeats: _Trials) -> bool:
    """Whether the most frequent answer is correct; of several the one that came first, in the order of the repeats."""
    trials = [trial for _, trial in sorted(repeats.items()) if trial.answer is not None]
    votes = Counter(trial.answer for trial in trials)  # of those that are as frequent it names the first one first
    return bool(votes) and _is_right(trials, votes.most_common(1)[0][0])


def _is_right(trials: Iterable[_Trial], answer: int | None) -> bool:
    return any(trial.correct for trial in trials if trial.answer == answer)
