"""What an earlier run began is followed through the store: searches, and what the judge was asked about programs. So
what that has cost is known before the first question is asked, and whether anything is left to ask. It asks nobody.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from pytest_llmarith.session.ask import Unanswered
from pytest_llmarith.session.forecast import Asked
from pytest_llmarith.session.search import engine_of
from pytest_llmarith.settings import Settings
from pytest_llmarith.values import BreakingProblem, Failure, Manner, OeisProblem, Question, Reply

if TYPE_CHECKING:
    from pytest_llmarith.models.ahead import Stored

_NOT_STORED = Failure("no stored reply")
# To follow so many replies of searches takes as long as to import litellm. Where no cap wants to know what they have
# cost, nobody is to wait for more of them.
_MOST_UNCAPPED = 1_000


def follow(asked: Iterable[Asked], settings: Settings, stored: Stored) -> Iterator[Question]:
    """Go as far as stored replies alone lead; the questions are those behind them that have none.

    Without a cap it is enough to know one of them for each model.
    """
    capped = settings.asking.is_capped
    searched = stored if capped else _at_most(_MOST_UNCAPPED, stored)
    found = set[str]()
    for one in asked:
        whom = _whom(one, settings)
        if whom is None or (whom in found and not capped):
            continue
        missing = _judged(one, whom, stored) if one.search is None else _searched(one, one.search, settings, searched)
        if missing is not None:
            found.add(whom)
            yield missing


def _whom(one: Asked, settings: Settings) -> str | None:
    """Who may be asked more than this question, by name."""
    if one.search is not None:
        return one.question.model
    judge = settings.oeis.judge
    return judge.name if judge is not None and one.task == OeisProblem.task else None


def _searched(one: Asked, search: BreakingProblem, settings: Settings, stored: Stored) -> Question | None:
    """Make a search again; the question that it does not go on without."""
    answers = _Answers(stored)

    def reply_to(prompt: str, before: int) -> Reply | Failure:
        return answers.to(replace(one.question, prompt=prompt, before=before))

    with suppress(Unanswered):
        engine_of(search, Manner(one.condition, one.question.repeat), settings, reply_to).run()
    return answers.missing


def _judged(one: Asked, judge: str, stored: Stored) -> Question | None:
    """Have a stored program judged again; the question without which there is no verdict."""
    from pytest_llmarith.trials.judging import NoVerdictError, verdict
    from pytest_llmarith.trials.programs import program_in

    answers = _Answers(stored)
    reply = stored(one.question)
    program = None if reply is None else program_in(reply)
    if program is not None:
        with suppress(NoVerdictError):
            verdict(_Judge(judge, answers), program)
    return answers.missing


class _Answers:
    """The stored ones, up to the first question that has none."""

    def __init__(self, stored: Stored) -> None:
        self._stored = stored
        self.missing: Question | None = None

    def to(self, question: Question) -> Reply | Failure:
        if (reply := self._stored(question)) is not None:
            return reply
        self.missing = question
        return _NOT_STORED


class _Judge:
    """The judge, as far as its replies are stored."""

    def __init__(self, name: str, answers: _Answers) -> None:
        self.name = name
        self._answers = answers

    def reply(self, prompt: str, attempt: int) -> Reply | Failure:
        return self._answers.to(Question(self.name, prompt, attempt))


def _at_most(most: int, stored: Stored) -> Stored:
    """So many replies and then none, as if the next had to be asked for."""
    numbers = count(1)
    return lambda question: stored(question) if next(numbers) <= most else None
