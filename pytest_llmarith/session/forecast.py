"""What a run is going to ask and to cost, before the first request; a cap that cannot be held is refused here.

Only first questions are counted: what a search asks next, and what a judge is asked, depends on replies.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import pytest

from pytest_llmarith.reports.keys import Key
from pytest_llmarith.reports.live.forecast import fit_lines, forecast_lines, search_line, spent_lines, too_small
from pytest_llmarith.session.selection import Selected
from pytest_llmarith.settings import Settings
from pytest_llmarith.tasks import reply_tokens
from pytest_llmarith.values import (
    USUAL,
    BreakingProblem,
    Condition,
    Model,
    OeisProblem,
    Outlook,
    Question,
)

if TYPE_CHECKING:
    from pytest_llmarith.models.ahead import Ahead
    from pytest_llmarith.models.broker import Broker
    from pytest_llmarith.models.spending.stored_costs import StoredCost


class Asked(NamedTuple):
    """A question that was selected, its task, in which condition it is put, the search that begins with it, and the set
    of its sequence.
    """

    question: Question
    task: str
    condition: Condition = USUAL
    search: BreakingProblem | None = None
    oeis_set: str | None = None

    @property
    def key(self) -> Key:
        return self.question.model, self.task, self.condition.label


def asked_by(selection: Iterable[Selected], settings: Settings) -> list[Asked]:
    """What items are going to ask the broker; those that a `model` fixture answers ask it nothing."""
    return [
        Asked(question, one.problem.task, one.manner.condition, one.search, getattr(one.problem, "set", None))
        for one in selection
        if (question := one.question(settings))
    ]


def asked_later(asked: Iterable[Asked], settings: Settings, broker: Broker) -> list[Model]:
    """The models that may be asked more than the first questions: those that are searched, and a judge of programs."""
    asked = list(asked)
    searched = {one.question.model for one in asked if one.search is not None}
    models = [model for model in settings.models if model.name in searched]
    if settings.oeis.judge is not None and any(one.task == OeisProblem.task for one in asked):
        models.append(settings.oeis.judge)
    return [model for model in models if broker.may_ask(model)]


class Forecast:
    """What is known once the selection is."""

    def __init__(self, settings: Settings, broker: Broker, asked: Sequence[Asked], ahead: Ahead) -> None:
        self._settings = settings
        self._broker = broker
        self._asked = asked
        self._ahead = ahead
        self._later = asked_later(asked, settings, broker)
        self._lengths = _stored_lengths(asked, ahead.spent)
        self.outlooks = [self._outlook(model) for model in settings.models if self._is_asked(model)]
        self._unbounded = list(self._why_unbounded())
        self._fits = [] if self._unbounded else broker.fits(ahead)

    def lines(self) -> list[str]:
        judge = self._judge()
        lines = forecast_lines(self.outlooks, None if judge is None else judge.name)
        return [*lines, *self._searches(), *self._spent(), *fit_lines(self._fits)]

    def _searches(self) -> list[str]:
        """What a search asks next depends on the reply before."""
        names = {model.name for model in self._later}
        searches = sum(one.search is not None and one.question.model in names for one in self._asked)
        budget = self._settings.breaking_point
        return [search_line(searches, budget)] if searches and budget else []

    def _spent(self) -> list[str]:
        """How much of the caps is gone from the start."""
        from pytest_llmarith.models.spending.stored_costs import sums

        stored = self._ahead.spent
        return spent_lines(*sums(stored), self._settings.asking) if stored else []

    def refuse_too_small(self) -> None:
        """A cap that lets no request begin is found out here, and not by every item."""
        for fit in () if self._ahead.stored else self._fits:
            if not fit.at_once:
                raise pytest.UsageError(too_small(fit))

    def refuse_unbounded(self) -> None:
        """A cap holds only if every price is known, and how long a reply can be."""
        for why in self._unbounded:
            raise pytest.UsageError(why)

    def _why_unbounded(self) -> Iterator[str]:
        models = [outlook.model for outlook in self.outlooks if outlook.asked or outlook.searching]
        found = map(self._broker.unbounded, [*models, *filter(None, [self._judge()])])
        return filter(None, found)

    def _is_asked(self, model: Model) -> bool:
        return any(one.question.model == model.name for one in self._asked)

    def _judge(self) -> Model | None:
        """The model that is asked about programs; how often depends on their replies."""
        judge = self._settings.oeis.judge
        return judge if judge in self._later else None

    def _outlook(self, model: Model) -> Outlook:
        from pytest_llmarith.models.request import asked_model
        from pytest_llmarith.models.spending.prices import FREE
        from pytest_llmarith.models.tokens import about_tokens

        known = {model.name: model}
        tasks = {one.question: one.task for one in self._asked if one.question.model == model.name}
        to_ask = _of(model, self._ahead.to_ask)
        terms = self._broker.terms(model) if to_ask else FREE
        replies = Counter(tasks[question] for question in to_ask)
        stored = {task: self._lengths.get((model.name, task), []) for task in replies}
        return Outlook(
            model=model,
            questions=sum(one.question.model == model.name for one in self._asked),
            stored=len(_of(model, self._ahead.stored)),
            asked=len(to_ask),
            prompt_tokens=sum(
                about_tokens(asked_model(known, question) or model, question.prompt) for question in to_ask
            ),
            completion_tokens=round(
                sum(count * _length(task, stored[task], terms.most_tokens) for task, count in replies.items())
            ),
            terms=terms,
            learned_from=sum(map(len, stored.values())),
            guessed=not all(stored.values()),
            searching=model in self._later,
        )


def _stored_lengths(asked: Iterable[Asked], spent: Iterable[StoredCost]) -> dict[tuple[str, str], list[int]]:
    """How many tokens the stored replies of this run have, by model and task."""
    lengths: dict[tuple[str, str], list[int]] = defaultdict(list)
    task_of = {one.question.prompt: one.task for one in asked}
    for one in spent:
        if one.completion_tokens is not None:
            lengths[one.model.name, task_of[one.prompt]].append(one.completion_tokens)
    return lengths


def _length(task: str, stored: Sequence[int], most: int | None) -> float:
    """About how many tokens a reply has: as many as those before it, else as few as it needs to have."""
    return sum(stored) / len(stored) if stored else min(reply_tokens(task), most or reply_tokens(task))


def _of(model: Model, questions: Iterable[Question]) -> list[Question]:
    return [question for question in questions if question.model == model.name]
