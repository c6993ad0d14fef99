"""What a test that searches gets in its hands: `search`, which asks one question after another, by the way of all
questions: broker, store and budget. A search that was broken off goes on from the store.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from pytest_llmarith import trials
from pytest_llmarith.items.manners import manner_of
from pytest_llmarith.records import Record
from pytest_llmarith.session.ask import Unanswered, check_askable, known, reply_of, write_down
from pytest_llmarith.session.selection import prompt_of
from pytest_llmarith.settings import Settings
from pytest_llmarith.tasks import breaking_point
from pytest_llmarith.tasks.breaking_point import Draws
from pytest_llmarith.values import BreakingProblem, Failure, Manner, Reply

if TYPE_CHECKING:
    from pytest_llmarith.trials.breaking import Step
    from pytest_llmarith.trials.search import SearchEngine


class Search:
    """The `search` fixture: finds the breaking point of a model, and writes it down on the item as one trial."""

    def __init__(self, item: pytest.Item, model: Any, settings: Settings) -> None:
        self._item = item
        self._model = model
        self._settings = settings
        self._manner = manner_of(item)

    def __call__(self, problem: BreakingProblem) -> Record:
        from pytest_llmarith.trials.breaking import record_of_search

        check_askable(self._item, self._model)

        def reply_to(prompt: str, before: int) -> Reply | Failure:
            return reply_of(self._item, self._model, prompt, before)

        engine = engine_of(problem, self._manner, self._settings, reply_to)
        failure = None
        try:
            engine.run()
        except Unanswered as unanswered:
            failure = unanswered.failure
        first = prompt_of(problem, self._manner, self._settings)
        subject = trials.Subject.of(problem, known(self._model), first, self._item.nodeid, self._manner)
        record = record_of_search(subject, engine, failure)
        write_down(self._item, record)
        return record


def engine_of(
    problem: BreakingProblem, manner: Manner, settings: Settings, reply_to: Callable[[str, int], Reply | Failure]
) -> SearchEngine[Step]:
    """The search itself, for whoever has replies to a prompt that was asked so often before. A failure ends it."""
    from pytest_llmarith.trials.breaking import Step
    from pytest_llmarith.trials.search import SearchEngine

    reading = settings.reading or breaking_point.reading(problem)

    def ask(draws: Draws, before: int) -> Step:
        question = breaking_point.question(problem, draws)
        prompt = prompt_of(question, manner, settings)
        answer = reply_to(prompt, before)
        if isinstance(answer, Failure):
            raise Unanswered(answer)
        return Step(question, prompt, answer, trials.verdict_of(question, answer, reading), reading, before)

    seed = f"{problem.seed}/{problem.task}/{problem.label}"
    return SearchEngine(ask, problem.budget, seed, partial(breaking_point.numbers, problem))
