"""What a run is going to ask and to cost, before the first request; a cap that cannot be held is refused here.

Only first questions are counted: what a search asks next, and what a judge is asked, depends on replies.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import pytest

from pytest_llmarith.reports.live.forecast import fit_lines, forecast_lines, search_line, spent_lines, too_small
from pytest_llmarith.session.selection import Asked
from pytest_llmarith.settings import Settings
from pytest_llmarith.tasks import reply_tokens
from pytest_llmarith.values import Model, OeisProblem, Outlook, Plan, Price, StoreMode, Terms

_FREE = Terms(Price(0.0, 0.0))


class Forecast:
    """What is known once the selection is."""

    def __init__(self, settings: Settings, asked: Sequence[Asked], plan: Plan) -> None:
        self._settings = settings
        self._asked = asked
        self._plan = plan
        self._asked_later = models_asked_later(asked, settings)
        self._lengths = self._stored_lengths()
        named = {one.question.model for one in asked}
        self.outlooks = [self._outlook(model) for model in settings.models if model.name in named]

    def lines(self) -> list[str]:
        """The forecast for people."""
        judge, plan = self._settings.oeis.judge, self._plan
        later = {model.name for model in self._asked_later}
        lines = forecast_lines(self.outlooks, judge.name if judge is not None and judge.name in later else None)
        searches = sum(one.is_search and one.question.model in later for one in self._asked)
        if searches and self._settings.breaking_point:
            lines.append(search_line(searches, self._settings.breaking_point))
        if plan.stored:
            lines += spent_lines(plan.spent_usd, plan.spent_unpriced, plan.spent_tokens, self._settings.asking)
        return [*lines, *fit_lines(plan.fits)]

    def refuse(self) -> None:
        """Raises pytest.UsageError if a cap cannot be held, or lets no request begin.

        A cap holds only if every price is known, and how long a reply can be.
        """
        for why in self._plan.unbounded.values():
            raise pytest.UsageError(why)
        for fit in () if self._plan.stored else self._plan.fits:
            if not fit.at_once:
                raise pytest.UsageError(too_small(fit))

    def _outlook(self, model: Model) -> Outlook:
        from pytest_llmarith.models.request import about_tokens, asked_model

        known = {model.name: model}
        mine = {index: one for index, one in enumerate(self._asked) if one.question.model == model.name}
        to_ask = [mine[index] for index in self._plan.to_ask if index in mine]
        terms = self._plan.terms.get(model.name, _FREE)
        replies = Counter(one.task for one in to_ask)
        stored = {task: self._lengths[model.name, task] for task in replies}
        prompts = ((asked_model(known, one.question) or model, one.question.prompt) for one in to_ask)
        return Outlook(
            model=model,
            questions=len(mine),
            stored=sum(index in mine for index in self._plan.stored),
            asked=len(to_ask),
            prompt_tokens=sum(about_tokens(*prompt) for prompt in prompts),
            completion_tokens=round(
                sum(count * _length(task, stored[task], terms.most_tokens) for task, count in replies.items())
            ),
            terms=terms,
            learned_from=sum(map(len, stored.values())),
            guessed=not all(stored.values()),
            searching=model in self._asked_later,
        )

    def _stored_lengths(self) -> dict[tuple[str, str], list[int]]:
        """How many tokens the stored replies of this run have, by model and task."""
        lengths: dict[tuple[str, str], list[int]] = defaultdict(list)
        for index, tokens in self._plan.stored.items():
            if tokens is not None:
                lengths[self._asked[index].question.model, self._asked[index].task].append(tokens)
        return lengths


def models_asked_later(asked: Sequence[Asked], settings: Settings) -> list[Model]:
    """The models that may be asked more than the first questions: those that are searched, and a judge of programs."""
    searched = {one.question.model for one in asked if one.is_search}
    models = [model for model in settings.models if model.name in searched]
    if settings.oeis.judge is not None and any(one.task == OeisProblem.task for one in asked):
        models.append(settings.oeis.judge)
    return [model for model in models if model.simulated or settings.store_mode is not StoreMode.ONLY]


def _length(task: str, stored: Sequence[int], most: int | None) -> float:
    """About how many tokens a reply has: as many as the stored ones, else as few as it needs to have."""
    return sum(stored) / len(stored) if stored else min(reply_tokens(task), most or reply_tokens(task))
