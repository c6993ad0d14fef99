"""The forecast of questions and cost before the first request, and the check of the
budget.

Only first questions are counted: further questions of searches and graders depend
on replies.
"""

from __future__ import annotations

import os
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import pytest

from pytest_llmarith.models.asking import AWAITED, ModelTerms, Plan
from pytest_llmarith.models.process import BrokerProcess, Setup
from pytest_llmarith.models.providers import (
    dotenv_variables,
    similar_model,
    unknown_model,
)
from pytest_llmarith.safe_text import sanitize_name
from pytest_llmarith.session.planned import PlannedQuestion
from pytest_llmarith.settings import Settings
from pytest_llmarith.tasks.task import THRESHOLD
from pytest_llmarith.types import Model, Price, Question, RequestLimits, StoreMode
from pytest_llmarith.views.formatting import counted, dollars, thousands

MakePlan = Callable[[Sequence[Question], Sequence[str]], Plan]

_FREE = ModelTerms(Price(0.0, 0.0))
_LONGEST_NAME = 60
STOPPED_EXIT_STATUS = 6
DRAIN_S = 30.0  # how long a run that ends early waits for the requests in flight
_SMALLEST = 0.0001


@dataclass(frozen=True, slots=True)
class ModelForecast:
    """The forecast for one model: all its questions, those with a stored reply, and
    those to ask.

    Token counts are estimates. Completion tokens are estimated from `learned_from`
    stored replies, reasoning included; if `guessed` is set, some are the length of a
    short answer instead. `searching` is set if the model is also searched; the forecast
    then counts only the first question of each search. `awaited` are asked elsewhere.
    """

    model: Model
    questions: int
    stored: int
    asked: int
    prompt_tokens: int
    completion_tokens: int
    terms: ModelTerms
    learned_from: int = 0
    guessed: bool = True
    searching: bool = False
    awaited: int = 0

    @property
    def cost_usd(self) -> float | None:
        """The estimated cost without unforeseeable reasoning; None if the price is
        unknown.
        """
        if not self.asked:
            return 0.0
        if self.terms.price is None:
            return None
        return self.terms.price.of(self.prompt_tokens, self.completion_tokens)

    @property
    def shares_requests(self) -> bool:
        """Whether a request answers several of the questions."""
        return self.stored + self.awaited + self.asked < self.questions


class Forecast:
    """The forecast for the selected questions; `error` says why there is none."""

    def __init__(
        self, settings: Settings, asked: Sequence[PlannedQuestion], plan: MakePlan
    ) -> None:
        """`plan` may take seconds: see `planning`."""
        self._settings = settings
        self._asked = asked
        self._asked_later = _models_asked_later(asked, settings)
        self._plan = plan(
            [one.question for one in asked], [model.name for model in self._asked_later]
        )
        self.error = self._plan.error
        self._lengths = self._stored_lengths()
        named = {one.question.model for one in asked}
        models = [model for model in settings.models if model.name in named]
        self.forecasts = [self._model_forecast(model) for model in models]

    def lines(self, verbose: bool = True) -> list[str]:
        """The forecast as text; with `verbose`, several models have a line each."""
        plan = self._plan
        if plan.refused and not plan.terms:  # before prices are known
            return []
        later = {model.name for model in self._asked_later}
        graders = [one.name for one in self._settings.graders if one.name in later]
        lines = forecast_lines(self.forecasts, verbose, ", ".join(graders))
        lines += self._unlisted()
        budgets = []
        for one in self._asked:
            if one.questions is not None and one.question.model in later:
                budgets.append(one.questions)
        if budgets:
            items = f"{len(budgets):,} items ask" if len(budgets) > 1 else "1 item asks"
            most = f"up to {sum(budgets):,} questions"
            lines.append(
                f"{items} {most}, which depend on the replies: only the first of each "
                f"is counted here"
            )
        if plan.awaited:
            lines.append(f"{counted(len(plan.awaited), 'question')} {AWAITED}")
        if self._settings.questions_out is not None and self._asked_later:
            lines.append(
                "questions that follow from replies, of searches, adaptive items and "
                "graders, are in no file"
            )
        if plan.stored:
            lines += _spent_lines(plan, self._settings.request_limits)
        return [f"forecast: {line}" for line in lines]

    @property
    def models_to_ask(self) -> list[Model]:
        """The models that get a request or may get one; all, if nothing is known."""
        if self.error is not None:
            return [*self._settings.models, *self._settings.graders]
        asked = [one.model for one in self.forecasts if one.asked]
        return [*asked, *self._asked_later]

    def refuse(self) -> None:
        """Raises pytest.UsageError for an unknown parameter, or a budget that cannot be
        kept or admits no request.
        """
        for why in self._plan.refused:
            raise pytest.UsageError(why)

    def _unlisted(self) -> Iterator[str]:
        """A line for each model that litellm does not list and a similar one that it
        does.
        """
        for one in self.forecasts:
            model = one.model
            if one.asked and one.terms.price is None and model.api_base is None:
                meant = similar_model(model.target)
                if meant is not None:
                    name = sanitize_name(model.target, _LONGEST_NAME)
                    yield f"litellm does not list {name}; did you mean {meant}?"

    def _model_forecast(self, model: Model) -> ModelForecast:
        mine = set()
        for index, one in enumerate(self._asked):
            if one.question.model == model.name:
                mine.add(index)
        to_ask = [self._asked[index] for index in self._plan.to_ask if index in mine]
        prompt_tokens = 0
        for one in to_ask:
            asked = model.for_question(one.question)
            prompt_tokens += asked.about_tokens(one.question.prompt)
        terms = self._plan.terms.get(model.name, _FREE)
        replies = Counter((one.task, one.reply_tokens) for one in to_ask)
        stored = {task: self._lengths[model.name, task] for task, _ in replies}
        completion_tokens = 0.0
        for (task, short), count in replies.items():
            length = _mean_length(short, stored[task], terms.max_reply_tokens)
            completion_tokens += count * length
        return ModelForecast(
            model=model,
            questions=len(mine),
            stored=len(mine & self._plan.stored.keys()),
            asked=len(to_ask),
            prompt_tokens=prompt_tokens,
            completion_tokens=round(completion_tokens),
            terms=terms,
            learned_from=sum(map(len, stored.values())),
            guessed=not all(stored.values()),
            searching=model in self._asked_later,
            awaited=len(mine.intersection(self._plan.awaited)),
        )

    def _stored_lengths(self) -> dict[tuple[str, str], list[int]]:
        """The lengths of the stored replies in tokens, by model and task."""
        lengths: dict[tuple[str, str], list[int]] = defaultdict(list)
        for index, tokens in self._plan.stored.items():
            if tokens is not None:
                one = self._asked[index]
                lengths[one.question.model, one.task].append(tokens)
        return lengths


def refuse(
    config: pytest.Config, settings: Settings, asked: Sequence[PlannedQuestion]
) -> None:
    """Raises pytest.UsageError if an option concerns no selected question, which parts
    of a run may lack, or if litellm's list shows that a model is unknown, before
    litellm is loaded.
    """
    is_part = settings.shard is not None or config.getoption("lf", False)
    has_depths = any(one.task == THRESHOLD for one in asked)
    if settings.adaptive is not None and not is_part and not has_depths:
        raise pytest.UsageError(
            "--llm-adaptive: no item of a task with depths was selected; select "
            "arithmetic, or a task of your own whose problems a Grid makes"
        )

    named = {one.question.model for one in asked}
    environ = {**dotenv_variables(config.rootpath / ".env"), **os.environ}
    if settings.store_mode is StoreMode.ONLY:
        return
    for model in settings.models:
        if model.name in named and not model.is_local:
            why = unknown_model(model, environ)
            if why is not None:
                raise pytest.UsageError(f"--llm-model: {why}")


def _models_asked_later(
    asked: Sequence[PlannedQuestion], settings: Settings
) -> list[Model]:
    """The models that may get further questions: those that are searched, and
    those that graders ask.
    """
    searched = {one.question.model for one in asked if one.is_search}
    models = [model for model in settings.models if model.name in searched]
    graders = {one.grader for one in asked}
    models += [model for model in settings.graders if model.name in graders]
    if settings.store_mode is StoreMode.ONLY:
        return [model for model in models if model.simulated]
    return models


def _mean_length(short: int, stored: Sequence[int], most: int | None) -> float:
    """The estimated length of a reply: the mean of the stored ones, else the length of
    a short answer.
    """
    if stored:
        return sum(stored) / len(stored)
    return min(short, most or short)


def planning(
    broker: BrokerProcess, say: Callable[[str], None], models: Iterable[Model]
) -> MakePlan:
    """The plan of a broker, with a line that says for what it waits: litellm takes
    seconds to import, and on a busy machine more.
    """
    loaded = [model.name for model in models if model.is_function] or ["litellm"]
    waits = iter([f"loading {', '.join(loaded)} ..."])

    def idle() -> None:
        for line in waits:
            say(line)

    return partial(broker.plan, idle=idle)


def start_broker(
    config: pytest.Config, settings: Settings, *, read_only: bool = False
) -> BrokerProcess:
    """Start the broker of a run; with `read_only`, no store is created."""
    store_path = None
    if settings.store_mode is not StoreMode.OFF:
        store_path = settings.store_path.absolute()
    if read_only and not settings.store_path.exists():
        store_path = None
    models = (*settings.models, *settings.graders)
    python_path: tuple[str, ...] = ()
    if any(model.is_function for model in models):
        python_path = (*sys.path, str(config.rootpath))
    setup = Setup(
        models=models,
        limits=settings.request_limits,
        store_path=store_path,
        store_mode=settings.store_mode,
        dotenv_path=config.rootpath / ".env",
        transport=settings.transport,
        asks=not read_only,
        python_path=python_path,
    )
    return BrokerProcess(setup)


# --- text -----------------------------------------------------------------------------


def forecast_lines(
    forecasts: Sequence[ModelForecast], each: bool, grader: str = ""
) -> list[str]:
    """A line for the whole run, and with `each` one for each of several models;
    `grader` may be asked, too.
    """
    lines = [_line(forecasts)]
    if each and len(forecasts) > 1:
        for one in forecasts:
            name = sanitize_name(one.model.name, _LONGEST_NAME)
            lines.append(f"{name}: {_line([one])}")
    if grader:
        lines.append(
            f"questions to {sanitize_name(grader, _LONGEST_NAME)} depend on the "
            f"replies and are not included"
        )
    return lines


def _line(forecasts: Sequence[ModelForecast]) -> str:
    text = _questions(forecasts)
    asked = [one for one in forecasts if one.asked]
    if not asked:
        if any(one.searching for one in forecasts):
            return text
        return f"{text}; nothing is asked"
    if any(one.shares_requests for one in asked):
        text += f"; {counted(sum(one.asked for one in asked), 'request')}"
        text += ", as some have the same prompt"
    tokens = thousands(sum(one.prompt_tokens for one in asked))
    return f"{text}; about {tokens} prompt tokens, {_completion(asked)}{_cost(asked)}"


def _questions(forecasts: Sequence[ModelForecast]) -> str:
    """Such as `720 questions, 412 of them stored`."""
    questions = sum(one.questions for one in forecasts)
    stored = sum(one.stored for one in forecasts)
    text = counted(questions, "question")
    if not stored:
        return text
    if questions == 1:
        return f"{text}, which is stored"
    if stored == questions:
        return f"{text}, all of them stored"
    return f"{text}, {stored:,} of them stored"


def _completion(asked: Sequence[ModelForecast]) -> str:
    """The expected completion tokens, if there are stored replies."""
    learned_from = sum(one.learned_from for one in asked)
    if not learned_from:
        return ""
    source = "1 stored reply"
    if learned_from > 1:
        source = f"{learned_from:,} stored replies"
    source = f"from {source}"
    if any(one.guessed for one in asked):
        source = f"partly {source}"
    tokens = thousands(sum(one.completion_tokens for one in asked))
    return f"about {tokens} completion tokens ({source}), "


def _cost(asked: Sequence[ModelForecast]) -> str:
    if all(one.model.simulated for one in asked):
        return "free: simulated"
    costs = [one.cost_usd for one in asked]
    known = [usd for usd in costs if usd is not None]
    doubts = []
    if any(one.terms.reasons and one.guessed for one in asked):
        doubts.append("reasoning not included")
    if len(known) < len(costs):
        doubts.append("no price known, --llm-price=IN,OUT gives one")
    if known:
        about = "at least" if doubts else "about"
        cost = f"{about} {_shown_dollars(sum(known))}"
    else:
        cost = "cost unknown"
    if doubts:
        cost += f" ({'; '.join(doubts)})"
    return cost


def _shown_dollars(usd: float) -> str:
    if 0 < usd < _SMALLEST:
        return f"{dollars(_SMALLEST)} or less"
    return dollars(usd)


def _spent_lines(plan: Plan, limits: RequestLimits) -> Iterator[str]:
    """The part of the budget that stored replies have used."""
    if limits.max_cost_usd is not None:
        doubt = ""
        if plan.spent_unpriced:
            doubt = f" ({plan.spent_unpriced:,} of unknown price not included)"
        yield (
            f"{dollars(plan.spent_usd)} of {dollars(limits.max_cost_usd)} spent by "
            f"stored replies{doubt}"
        )
    if limits.max_tokens is not None:
        yield (
            f"{plan.spent_tokens:,} of {limits.max_tokens:,} tokens used by stored "
            f"replies"
        )
