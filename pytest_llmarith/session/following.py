"""Searches that an earlier run began are followed through the store: what their questions have cost is known before
the first is asked, and a cap counts it. It asks nobody.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_llmarith.options.settings import Settings
from pytest_llmarith.session.ask import Unanswered
from pytest_llmarith.session.forecast import Asked
from pytest_llmarith.session.search import engine_of
from pytest_llmarith.values import BreakingProblem, Failure, Manner, Reply

if TYPE_CHECKING:
    from pytest_llmarith.models.ahead import Stored

_NOT_STORED = Failure("no stored reply")


def follow(asked: Iterable[Asked], settings: Settings, stored: Stored) -> None:
    """Make the searches among these again, each as far as stored replies alone lead.

    That takes its time, and is left where no cap wants to know.
    """
    if settings.asking.is_capped:
        for one in asked:
            if one.search is not None:
                _follow(one, one.search, settings, stored)


def _follow(one: Asked, search: BreakingProblem, settings: Settings, stored: Stored) -> None:
    def reply_to(prompt: str, before: int) -> Reply | Failure:
        return stored(replace(one.question, prompt=prompt, trial=one.question.trial + before)) or _NOT_STORED

    with suppress(Unanswered):
        engine_of(search, Manner(one.condition, one.question.repeat), settings, reply_to).run()
