"""What the repeats of problems say together, fed record by record: how far they agree, and what trying again is worth.

It keeps a few bytes of each trial and no answer. It does not know how a trial was graded.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from pytest_llmarith.reports.checks import object_in
from pytest_llmarith.reports.keys import condition_label, value_of_axis
from pytest_llmarith.reports.percents import in_percent, percentage, share_with
from pytest_llmarith.reports.statistics import Cluster, clustered_share, pass_at
from pytest_llmarith.values import Outcome
from pytest_llmarith.values.answers import answer_text

_TRIES = (1, 2, 3, 4, 5, 10, 20, 50, 100, 200, 500)

Record = Mapping[str, Any]


class _Trial(NamedTuple):
    """What became of one repeat: `answer` tells answers apart, and is None where there is none."""

    answer: int | None
    correct: bool


class Put(NamedTuple):
    """How many repeats of a problem are correct, of how many, and what tells apart the words in which it was put."""

    cluster: Cluster
    words: int


_Repeats = dict[int, _Trial]  # the trials of one problem, by the number of the repeat
_NO_ANSWER, _WRONG, _RIGHT = range(3)


class RepeatCounts:
    """Counts the records of one result by the problem that they put: in columns, as there may be very many."""

    def __init__(self) -> None:
        self._most = 1
        self._problems, self._repeats, self._answers, self._words = (array("q") for _ in range(4))
        self._grades = bytearray()

    def add(self, record: Record) -> None:
        """Count one record; one without a reply says only how often its problem was to be put."""
        repeat = record.get("repeat") or 0
        self._most = max(self._most, repeat + 1)
        if record["outcome"] == Outcome.UNANSWERED:
            return
        answer, correct = _answer(record), record["outcome"] == Outcome.CORRECT
        self._problems.append(_problem(record))
        self._words.append(_words(record))
        self._repeats.append(repeat)
        self._answers.append(answer or 0)
        self._grades.append(_RIGHT if correct else _NO_ANSWER if answer is None else _WRONG)

    def put(self) -> dict[int, Put]:
        """Each problem as it was put; those of other results have the same key."""
        words = dict(zip(self._problems, self._words, strict=True))
        return {problem: Put(_cluster(repeats), words[problem]) for problem, repeats in self._by_problem().items()}

    def _by_problem(self) -> dict[int, _Repeats]:
        problems: dict[int, _Repeats] = {}
        for problem, repeat, answer, grade in zip(
            self._problems, self._repeats, self._answers, self._grades, strict=True
        ):
            known = None if grade == _NO_ANSWER else answer
            problems.setdefault(problem, {})[repeat] = _Trial(known, grade == _RIGHT)
        return problems

    def as_dict(self) -> dict[str, Any] | None:
        """The repeats as they stand in a result; None where every problem was put once."""
        if self._most == 1:
            return None
        problems = self._by_problem().values()
        clusters = [_cluster(repeats) for repeats in problems]
        several = [one for one in problems if len(one) > 1]
        pass_at_1 = clustered_share(clusters)
        return {
            "k": self._most,
            "problems": len(problems),
            "consistency": percentage(sum(map(_agree, several)), len(several)),
            "pass_at_1": pass_at_1 and share_with(pass_at_1[1], pass_at_1[0]),
            "pass_at_k": [
                {"k": k, "percent": in_percent(share)}
                for k in (*(k for k in _TRIES if k < self._most), self._most)
                if (share := pass_at(k, clusters)) is not None
            ],
            "majority": percentage(sum(map(_majority_is_right, problems)), len(problems)),
        }


def _cluster(repeats: _Repeats) -> Cluster:
    return Cluster(sum(trial.correct for trial in repeats.values()), len(repeats))


def _problem(record: Record) -> int:
    """What tells problems apart; a sequence that is in two sets is one."""
    problem = record["problem"]
    return hash(problem["number"] if "set" in problem else str(problem))


def _words(record: Record) -> int:
    """What tells words apart. A search puts many questions; of these, and of unknown prompts, the condition decides."""
    prompt = record.get("prompt")
    if not isinstance(prompt, str) or record.get("search"):
        return hash(("", condition_label(record)))
    return hash((prompt, value_of_axis(object_in(record, "condition").get("system"))))


def _answer(record: Record) -> int | None:
    """What tells answers apart: the one that counts, or what a program printed. It believes nothing of its shape."""
    if "set" in record["problem"]:
        printed = [str(term.get("got")) for term in record["oeis"].get("terms") or ()]
        return hash((record["outcome"] == Outcome.CHEAT, *printed)) if printed else None
    if "given" in record["problem"]:  # its own task knows what is the same; here it is what is written the same
        answer = answer_text(record)
        return None if answer is None else hash(answer)
    number = object_in(record, "answer").get(str(record.get("reading")))
    return None if number is None else hash(_shortest(str(number)))


def _shortest(number: str) -> str:
    """Decimal text without zeros that change nothing."""
    return number.rstrip("0").rstrip(".") if "." in number else number


def _agree(repeats: _Repeats) -> bool:
    """Whether all came to the same answer; where one has none, they do not."""
    answers = {trial.answer for trial in repeats.values()}
    return len(answers) == 1 and None not in answers


def _majority_is_right(repeats: _Repeats) -> bool:
    """Whether the most frequent answer is correct; of several the one that came first, in the order of the repeats."""
    trials = [trial for _, trial in sorted(repeats.items()) if trial.answer is not None]
    votes = Counter(trial.answer for trial in trials)  # of those that are as frequent it names the first one first
    return bool(votes) and _is_right(trials, votes.most_common(1)[0][0])


def _is_right(trials: Iterable[_Trial], answer: int | None) -> bool:
    return any(trial.correct for trial in trials if trial.answer == answer)
