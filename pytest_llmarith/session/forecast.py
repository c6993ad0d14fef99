"""The forecast of questions and cost before the first request, the check of the budget,
and the dry run.

Only first questions are counted: further questions of searches and those to judges
depend on replies.
"""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pytest

from pytest_llmarith.models.process import BrokerProcess, Setup
from pytest_llmarith.models.redact import hide_keys, with_headers_hidden
from pytest_llmarith.report.formatting import dollars, thousands
from pytest_llmarith.safe_text import sanitize, sanitize_name
from pytest_llmarith.session.collection import MODEL_FIXTURE
from pytest_llmarith.session.items import NO_MODEL, parameter_of, problem_of
from pytest_llmarith.session.selection import (
    PlannedQuestion,
    config_of,
    planned_questions,
    question_of,
    selected,
)
from pytest_llmarith.session.terminal import Terminal, header
from pytest_llmarith.settings import Settings
from pytest_llmarith.tasks.prompts import render
from pytest_llmarith.tasks.task import THRESHOLD
from pytest_llmarith.types import (
    Model,
    ModelTerms,
    Plan,
    Price,
    Question,
    RequestLimits,
    StoreMode,
    messages_of,
    text_of,
    without_system,
)

MakePlan = Callable[[Sequence[Question], Sequence[str]], Plan]

_FREE = ModelTerms(Price(0.0, 0.0))
_LONGEST_NAME, _LONGEST_LINE = 60, 500
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
    then counts only the first question of each search. `in_batches` are not asked
    again.
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
    in_batches: int = 0

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


class Forecast:
    """The forecast for the selected questions; `error` says why there is none."""

    def __init__(
        self, settings: Settings, asked: Sequence[PlannedQuestion], plan: MakePlan
    ) -> None:
        self._settings = settings
        self._asked = asked
        self._asked_later = _models_asked_later(asked, settings)
        self._plan = plan(
            [one.question for one in asked], [model.name for model in self._asked_later]
        )
        self.error = self._plan.error
        self._lengths = self._stored_lengths()
        named = {one.question.model for one in asked}
        self.forecasts = [
            self._model_forecast(model)
            for model in settings.models
            if model.name in named
        ]

    def lines(self, verbose: bool = True) -> list[str]:
        """The forecast as text; with `verbose`, several models have a line each."""
        plan = self._plan
        later = {model.name for model in self._asked_later}
        judges = [model.name for model in self._settings.judges if model.name in later]
        lines = forecast_lines(self.forecasts, verbose, ", ".join(judges))
        budgets = [
            one.questions
            for one in self._asked
            if one.questions is not None and one.question.model in later
        ]
        if budgets:
            items = f"{len(budgets):,} items ask" if len(budgets) > 1 else "1 item asks"
            most = f"up to {sum(budgets):,} questions"
            lines.append(
                f"{items} {most}, which depend on the replies: only the first of each "
                f"is counted here"
            )
        if waiting := len(plan.in_batches):
            lines.append(
                f"{waiting:,} of them "
                f"{'are in batches' if waiting > 1 else 'is in a batch'} already"
            )
        if self._settings.batch is not None and self._asked_later:
            lines.append(
                "questions that follow from replies, of searches, adaptive items and "
                "judges, are asked singly"
            )
        if plan.stored:
            lines += _spent_lines(plan, self._settings.request_limits)
        return [f"forecast: {line}" for line in lines]

    def refuse(self) -> None:
        """Raises pytest.UsageError for an unknown parameter, or a budget that cannot be
        kept or admits no request.
        """
        for why in self._plan.refused:
            raise pytest.UsageError(why)

    def _model_forecast(self, model: Model) -> ModelForecast:
        mine = {
            index: one
            for index, one in enumerate(self._asked)
            if one.question.model == model.name
        }
        to_ask = [mine[index] for index in self._plan.to_ask if index in mine]
        terms = self._plan.terms.get(model.name, _FREE)
        replies = Counter((one.task, one.reply_tokens) for one in to_ask)
        stored = {task: self._lengths[model.name, task] for task, _ in replies}
        return ModelForecast(
            model=model,
            questions=len(mine),
            stored=sum(index in mine for index in self._plan.stored),
            asked=len(to_ask),
            prompt_tokens=sum(
                model.for_question(one.question).about_tokens(one.question.prompt)
                for one in to_ask
            ),
            completion_tokens=round(
                sum(
                    count * _length(short, stored[task], terms.max_reply_tokens)
                    for (task, short), count in replies.items()
                )
            ),
            terms=terms,
            learned_from=sum(map(len, stored.values())),
            guessed=not all(stored.values()),
            searching=model in self._asked_later,
            in_batches=sum(index in mine for index in self._plan.in_batches),
        )

    def _stored_lengths(self) -> dict[tuple[str, str], list[int]]:
        """The lengths of the stored replies in tokens, by model and task."""
        lengths: dict[tuple[str, str], list[int]] = defaultdict(list)
        for index, tokens in self._plan.stored.items():
            if tokens is not None:
                lengths[
                    self._asked[index].question.model, self._asked[index].task
                ].append(tokens)
        return lengths


def refuse_empty(
    config: pytest.Config, settings: Settings, asked: Sequence[PlannedQuestion]
) -> None:
    """Raises pytest.UsageError if an option concerns no selected question; parts of a
    run may have none.
    """
    if settings.batch is not None and not asked:
        raise pytest.UsageError(
            "--llm-batch: no question to a model of --llm-model was selected"
        )
    is_part = settings.shard is not None or config.getoption("lf", False)
    if (
        settings.adaptive is not None
        and not is_part
        and not any(one.task == THRESHOLD for one in asked)
    ):
        raise pytest.UsageError(
            "--llm-adaptive: no item of a task with depths was selected; select "
            "arithmetic, or a task of your own whose problems a Grid makes"
        )


def _models_asked_later(
    asked: Sequence[PlannedQuestion], settings: Settings
) -> list[Model]:
    """The models that may get further questions: those that are searched, and the
    judge.
    """
    searched = {one.question.model for one in asked if one.is_search}
    models = [model for model in settings.models if model.name in searched]
    judges = {one.judge for one in asked}
    models += [model for model in settings.judges if model.name in judges]
    return [
        model
        for model in models
        if model.simulated or settings.store_mode is not StoreMode.ONLY
    ]


def _length(short: int, stored: Sequence[int], most: int | None) -> float:
    """The estimated length of a reply: the mean of the stored ones, else the length of
    a short answer.
    """
    return sum(stored) / len(stored) if stored else min(short, most or short)


def start_broker(
    config: pytest.Config, settings: Settings, *, read_only: bool = False
) -> BrokerProcess:
    """Start the broker of a run; with `read_only`, no store is created."""
    has_store = settings.store_mode is not StoreMode.OFF and (
        settings.store_path.exists() or not read_only
    )
    setup = Setup(
        models=(*settings.models, *settings.judges),
        limits=settings.request_limits,
        store_path=settings.store_path.absolute() if has_store else None,
        store_mode=settings.store_mode,
        dotenv_path=config.rootpath / ".env",
        oeis_cache=settings.oeis.cache.absolute(),
        batch=settings.batch,
        transport=settings.transport,
    )
    return BrokerProcess(setup)


# --- text -----------------------------------------------------------------------------


def forecast_lines(
    forecasts: Sequence[ModelForecast], each: bool, judge: str = ""
) -> list[str]:
    """A line for the whole run, and with `each` one for each of several models; `judge`
    may be asked, too.
    """
    lines = [_line(forecasts)]
    if each and len(forecasts) > 1:
        lines += [
            f"{sanitize_name(one.model.name, _LONGEST_NAME)}: {_line([one])}"
            for one in forecasts
        ]
    if judge:
        lines.append(
            f"questions to {sanitize_name(judge, _LONGEST_NAME)} depend on the "
            f"replies and are not included"
        )
    return lines


def _line(forecasts: Sequence[ModelForecast]) -> str:
    questions, stored = (
        sum(one.questions for one in forecasts),
        sum(one.stored for one in forecasts),
    )
    counted = f"{questions:,} question{'s' * (questions != 1)}"
    if stored:
        some = f"{stored:,}" if stored < questions else "all"
        counted += ", which is stored" if questions == 1 else f", {some} of them stored"
    if not (asked := [one for one in forecasts if one.asked]):
        return (
            counted
            if any(one.searching for one in forecasts)
            else f"{counted}; nothing is asked"
        )
    if any(one.stored + one.in_batches + one.asked < one.questions for one in asked):
        requests = sum(one.asked for one in asked)
        counted += f"; {requests:,} request{'s' * (requests != 1)}, as some have the same prompt"
    prompts = thousands(sum(one.prompt_tokens for one in asked))
    return (
        f"{counted}; about {prompts} prompt tokens, {_completion(asked)}{_cost(asked)}"
    )


def _completion(asked: Sequence[ModelForecast]) -> str:
    """The expected completion tokens, if there are stored replies."""
    if not (learned_from := sum(one.learned_from for one in asked)):
        return ""
    tokens = thousands(sum(one.completion_tokens for one in asked))
    partly = "partly " * any(one.guessed for one in asked)
    replies = f"{learned_from:,} stored repl{'ies' if learned_from > 1 else 'y'}"
    return f"about {tokens} completion tokens ({partly}from {replies}), "


def _cost(asked: Sequence[ModelForecast]) -> str:
    if all(one.model.simulated for one in asked):
        return "free: simulated"
    known = [usd for one in asked if (usd := one.cost_usd) is not None]
    doubts = ["reasoning not included"] * any(
        one.terms.reasons and one.guessed for one in asked
    )
    doubts += ["no price known, --llm-price=IN,OUT gives one"] * (
        len(known) < len(asked)
    )
    if not known:
        cost = "cost unknown"
    else:
        total = sum(known)
        shown = (
            f"{dollars(_SMALLEST)} or less" if 0 < total < _SMALLEST else dollars(total)
        )
        cost = f"{'at least' if doubts else 'about'} {shown}"
    return f"{cost} ({'; '.join(doubts)})" if doubts else cost


def _spent_lines(plan: Plan, limits: RequestLimits) -> Iterator[str]:
    """The part of the budget that stored replies have used."""
    if limits.max_cost_usd is not None:
        doubt = (
            f" ({plan.spent_unpriced:,} of unknown price not included)"
            if plan.spent_unpriced
            else ""
        )
        yield (
            f"{dollars(plan.spent_usd)} of {dollars(limits.max_cost_usd)} spent by "
            f"stored replies{doubt}"
        )
    if limits.max_tokens is not None:
        yield (
            f"{plan.spent_tokens:,} of {limits.max_tokens:,} tokens used by stored "
            f"replies"
        )


# --- the dry run ----------------------------------------------------------------------


class DryRun:
    """The plugin of a run without items: shows the questions and their estimated cost,
    or submits them in batches.
    """

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self._settings = settings
        self._terminal = Terminal(config, settings)
        self._submits = not settings.dry_run
        if hasattr(
            config.option, "dist"
        ):  # as -n 0 does; pytest-xdist configures itself last
            config.option.numprocesses, config.option.dist, config.option.tx = (
                0,
                "no",
                [],
            )

    def pytest_report_header(self) -> list[str]:
        what = (
            "only batches are submitted, no test runs"
            if self._submits
            else "dry run, nothing is asked"
        )
        return [*header(self._settings), f"llmarith: {what}"]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if (
            session.testsfailed
            and not session.config.option.continue_on_collection_errors
        ):
            raise session.Interrupted(f"{session.testsfailed} errors during collection")
        items = selected(session.items)
        asked = list(planned_questions(items, self._settings))
        refuse_empty(self._config, self._settings, asked)
        if asked:
            self._forecast(asked)
        if others := len(items) - len(asked):
            self._say(
                f"forecast: {others:,} questions to your model fixture, of unknown cost"
            )
        if not items:
            self._say(
                f"no question was "
                f"selected{'' if self._settings.models else f'; {NO_MODEL}'}"
            )
        if not self._submits:
            self._show_requests()
            self._show_prompts(items)
        return True

    def _forecast(self, asked: list[PlannedQuestion]) -> None:
        broker = start_broker(self._config, self._settings, read_only=not self._submits)
        try:
            forecast = Forecast(self._settings, asked, broker.plan)
            if forecast.error is not None:
                raise pytest.UsageError(forecast.error)
            for line in forecast.lines():
                self._say(line)
            forecast.refuse()
            if (
                self._submits
                and (failure := broker.batch(self._terminal.say)) is not None
            ):
                pytest.exit(
                    f"llmarith: {sanitize(failure.message, _LONGEST_LINE)}",
                    STOPPED_EXIT_STATUS,
                )
        finally:
            broker.close(DRAIN_S if self._submits else 0.0)

    def _show_requests(self) -> None:
        """Print what is sent to each model, without the messages and without keys."""
        for model in (*self._settings.models, *self._settings.judges):
            request = json.dumps(
                {"model": model.target, **with_headers_hidden(model.params)},
                ensure_ascii=False,
            )
            address = f" to {model.api_base}" if model.api_base else ""
            self._say(
                f"request{address}: "
                f"{sanitize(hide_keys(request, os.environ), _LONGEST_LINE)}"
            )

    def _show_prompts(self, items: list[pytest.Item]) -> None:
        """Print the first question of each task."""
        first: dict[str, pytest.Item] = {}
        for item in items:
            first.setdefault(problem_of(item).task, item)
        for item in first.values():
            problem, model = problem_of(item), parameter_of(item, MODEL_FIXTURE)
            templates = self._settings.prompt_configs.templates
            prompt = render(
                problem, config_of(item).condition, templates, self._settings.seed
            )
            system = None  # the user's model fixture gets only prompts
            if model is not None:
                own = question_of(item, model, prompt, self._settings).system_prompt
                system = model.system_prompt if own is None else own
            self._terminal.line("")
            self._terminal.line(
                f"{problem.task}, as {sanitize(item.nodeid, _LONGEST_LINE)} asks:"
            )
            said = (
                without_system(messages_of(prompt)) if system else messages_of(prompt)
            )
            for line in "\n".join(filter(None, (system, text_of(said)))).split("\n"):
                self._terminal.line(f"    {sanitize(line, _LONGEST_LINE)}".rstrip())

    def _say(self, line: str) -> None:
        self._terminal.line(f"llmarith: {line}")
