"""Which trials of two runs asked the same question. It does not know what came of them.

The same question is the same task, the same problem (numbers, operation, expected answer; the number and offset of a
sequence) and, where both runs know it, the same prompt. The number of a trial says nothing: another seed asks another
question there. A question that stands in a run several times is paired one trial by one, those of the same number,
condition and repeat first, so that no trial counts twice.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from pytest_llmarith.reports.comparing.asked import Asked

_Key = Callable[[Asked], Hashable]


@dataclass(slots=True)
class Pairing:
    """Trials in pairs, and those that only one of the runs has; `same_words` counts pairs that are left out."""

    pairs: list[tuple[Asked, Asked]] = field(default_factory=list)
    only_first: list[Asked] = field(default_factory=list)
    only_second: list[Asked] = field(default_factory=list)
    same_words: int = 0

    @property
    def repeated(self) -> int:
        """How many pairs ask a question that another pair has asked already."""
        return len(self.pairs) - len({(first.question, first.prompt) for first, _ in self.pairs})


def pair(first: Iterable[Asked], second: Iterable[Asked]) -> Pairing:
    """Pair what asked the same, in time that grows with the number of trials.

    With several workers the order of trials is chance, so they are put in order first; what came of them has no say.
    """
    pairing = Pairing([], sorted(first, key=_place), sorted(second, key=_place))
    for key in (_same_place, _same_prompt):
        _take(pairing, pairing.only_first, pairing.only_second, key)
    for key in (_question_and_place, _question):  # with another prompt it is another question, unless nobody knows
        _take(pairing, [trial for trial in pairing.only_first if trial.prompt is None], pairing.only_second, key)
        _take(pairing, pairing.only_first, [trial for trial in pairing.only_second if trial.prompt is None], key)
    return pairing


def put_otherwise(pairing: Pairing) -> Pairing:
    """The pairs that two conditions put in other words. What both put in the same words is one request, whose reply
    says nothing of what conditions do.
    """
    pairs = [(one, other) for one, other in pairing.pairs if one.words is None or one.words != other.words]
    return replace(pairing, pairs=pairs, same_words=len(pairing.pairs) - len(pairs))


def _take(pairing: Pairing, first: Sequence[Asked], second: Sequence[Asked], key: _Key) -> None:
    """Move what has the same key from the trials that are left to the pairs."""
    waiting: dict[Hashable, deque[Asked]] = {}
    for trial in first:
        waiting.setdefault(key(trial), deque()).append(trial)
    pairs = [(others.popleft(), trial) for trial in second if (others := waiting.get(key(trial)))]
    pairing.pairs += pairs
    pairing.only_first = _without(pairing.only_first, (one for one, _ in pairs))
    pairing.only_second = _without(pairing.only_second, (other for _, other in pairs))


def _without(trials: Iterable[Asked], taken: Iterable[Asked]) -> list[Asked]:
    gone = set(map(id, taken))  # two trials may be equal in all that is kept of them
    return [trial for trial in trials if id(trial) not in gone]


def _place(trial: Asked) -> str:
    return trial.place


def _same_place(trial: Asked) -> Hashable:
    return trial.question, trial.prompt, trial.place


def _same_prompt(trial: Asked) -> Hashable:
    return trial.question, trial.prompt


def _question_and_place(trial: Asked) -> Hashable:
    return trial.question, trial.place


def _question(trial: Asked) -> Hashable:
    return trial.question
