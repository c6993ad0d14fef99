"""Searches that an earlier run began are followed through the store: what their questions have cost is known before
the first is asked, and a cap counts it. It asks nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace

from pytest_llmarith.options.settings import Settings
from pytest_llmarith.session.ask import Unanswered
from pytest_llmarith.session.forecast import Asked
from pytest_llmarith.session.search import engine_of
from pytest_llmarith.values import Failure, Manner, Question, Reply

Stored = Callable[[Question], Reply | None]

_NOT_STORED = Failure("no stored reply")


def followed(asked: Iterable[Asked], settings: Settings, stored: Stored) -> Iterator[Question]:
    """What the searches among these have asked already, as far as each is led by stored replies alone.

    Nothing where no cap wants to know: a search is made again for it.
    """
    if settings.asking.is_capped:
        for one in asked:
            yield from _followed(one, settings, stored)


def _followed(one: Asked, settings: Settings, stored: Stored) -> list[Question]:
    questions: list[Question] = []
    if one.search is None:
        return questions

    def reply_to(prompt: str, before: int) -> Reply | Failure:
        question = replace(one.question, prompt=prompt, trial=one.question.trial + before)
        if (reply := stored(question)) is None:
            return _NOT_STORED
        questions.append(question)
        return reply

    with suppress(Unanswered):
        engine_of(one.search, Manner(one.condition, one.question.repeat), settings, reply_to).run()
    return questions
