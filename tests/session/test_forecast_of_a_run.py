"""What a run knows of itself once its selection is known: outlooks, judges, and prices that nobody knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from types import MappingProxyType

import pytest

from pytest_llmarith.models.store import Store, key_of
from pytest_llmarith.session.forecast import Forecast, models_asked_later
from pytest_llmarith.session.selection import Asked
from pytest_llmarith.settings import Settings, parse_settings
from pytest_llmarith.tasks import breaking_point
from pytest_llmarith.values import USUAL, Model, Price, Question, Reply, Terms
from tests.models.scripted import RunningBroker

Make = Callable[..., Forecast]
Way = tuple[str, ...]


def asked(question: Question, task: str) -> Asked:
    return Asked(f"{task}-{question.trial}", task, {}, USUAL, question)


SUMS = [asked(Question("openai/priced", "x" * 100, trial), "arithmetic") for trial in range(3)]
PROGRAMS = [asked(Question("openai/priced", "y" * 1000, trial), "oeis") for trial in range(2)]


def search(budget: int, model: str = "openai/priced") -> Asked:
    """A search of sums, which begins with 0 + 0."""
    problem = next(one for one in breaking_point.problems(0, budget) if one.label == "int_add")
    return asked(Question(model, breaking_point.prompt(problem), 0), problem.task)


class Listed:
    """A client that knows the prices of all models called priced, and is asked nothing."""

    def prepare(self) -> None: ...

    def terms(self, model: Model) -> Terms:
        return Terms(Price(1.0, 4.0), 500) if model.target == "openai/priced" else Terms()

    async def complete(self, model: Model, prompt: str, timeout_s: float) -> Reply:
        raise AssertionError

    async def close(self) -> None: ...


@pytest.fixture
def forecast(pytester: pytest.Pytester) -> Make:
    """Makes the forecast of a run, some of whose questions have a stored reply."""

    def make(
        wanted: list[Asked], *options: str, stored: Mapping[int | Question, Reply] = MappingProxyType({})
    ) -> Forecast:
        settings: Settings = parse_settings(pytester.parseconfig("--llm-model=openai/priced", *options))
        models = {model.name: model for model in (*settings.models, settings.oeis.judge) if model}
        path = pytester.path / "store.sqlite"
        with closing(Store(path)) as store:
            keys = {place: wanted[place].question if isinstance(place, int) else place for place in stored}
            store.put({key_of(models[one.model], one): stored[place] for place, one in keys.items()})
        broker = RunningBroker(Listed(), [*models.values()], path, settings.asking, settings.store_mode)
        later = [model.name for model in models_asked_later(wanted, settings)]
        plan = broker.plan([one.question for one in wanted], later)
        broker.close()
        return Forecast(settings, wanted, plan)

    return make


def test_tokens_by_task(forecast: Make) -> None:
    """A number is short and a program long, unless the model may not write as much."""
    (outlook,) = forecast([*SUMS, *PROGRAMS]).outlooks
    assert (outlook.questions, outlook.stored, outlook.asked) == (5, 0, 5)
    assert outlook.prompt_tokens == 3 * 25 + 2 * 250
    assert outlook.completion_tokens == 3 * 20 + 2 * 500
    (bounded,) = forecast(SUMS, "--llm-param=max_tokens=7").outlooks
    assert bounded.completion_tokens == 3 * 7


def test_system_prompts_that_are_conditions_count(forecast: Make) -> None:
    """Each question comes with its own; a cap is refused that lets none of them through."""
    heavy = [asked(replace(one.question, system_prompt="z" * 4000), one.task) for one in SUMS]
    (outlook,) = forecast([*SUMS, *heavy]).outlooks
    assert outlook.prompt_tokens == 3 * 25 + 3 * 1025
    bound = ("--llm-max-tokens=4000", "--llm-param=max_tokens=50")
    forecast([*heavy, *SUMS], *bound).refuse()
    with pytest.raises(pytest.UsageError, match=r"^--llm-max-tokens=4000: "):
        forecast(heavy, *bound).refuse()


def test_stored_replies_tell_how_long_the_others_are(forecast: Make) -> None:
    """Those of the same task, as far as somebody counted their tokens; what reasons has done so in them."""
    (outlook,) = forecast(SUMS, stored={0: Reply("4", completion_tokens=900), 1: Reply("4")}).outlooks
    assert (outlook.stored, outlook.asked, outlook.completion_tokens) == (2, 1, 900)
    assert (outlook.learned_from, outlook.guessed) == (1, False)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--llm-max-cost=5", "--llm-price=1,4"), "max_completion_tokens"),
        (("--llm-max-tokens=5000",), "max_completion_tokens"),
        (("--llm-max-cost=5", "--llm-price=1,4", "--llm-param=max_tokens=-1"), "max_completion_tokens"),
        (("--llm-max-cost=5", "--llm-price=1,4", "--llm-param=max_tokens=50"), None),
        (("--llm-max-cost=5", "--llm-price=0,0"), None),
        ((), None),
    ],
)
def test_a_cap_needs_to_know_the_longest_reply(forecast: Make, options: Way, named: str | None) -> None:
    """The message names the parameter that bounds it; a free model cannot pass a cap in dollars."""
    mine = [replace(one, question=replace(one.question, model="openai/mine")) for one in SUMS]
    made = forecast(mine, "--llm-model=openai/mine", *options)
    if named is None:
        made.refuse()
    else:
        with pytest.raises(pytest.UsageError, match=rf"openai/mine .*{named}"):
            made.refuse()


def test_a_cap_too_small_for_any_request_is_refused(forecast: Make) -> None:
    """Before any item, with what would help; a bound on tokens makes the same cap large enough."""
    forecast(SUMS, "--llm-max-cost=0.01").refuse()
    forecast(SUMS, "--llm-max-cost=0.001", "--llm-param=max_tokens=50").refuse()
    with pytest.raises(pytest.UsageError, match=r"^--llm-max-cost=0.001: .* max_completion_tokens=\d+ "):
        forecast(SUMS, "--llm-max-cost=0.001").refuse()
    with pytest.raises(pytest.UsageError, match=r"^--llm-max-tokens=5: "):
        forecast(SUMS, "--llm-max-tokens=5").refuse()


def test_a_search_may_go_on_behind_a_stored_question(forecast: Make) -> None:
    """The first question alone is counted, the forecast says so, and what may be asked next needs a price."""
    options = ("--llm-breaking-point=80", "--llm-max-cost=1")
    known = {0: Reply("0", cost_usd=0.0024)}
    assert forecast([search(80)], *options, stored=known).lines() == [
        "forecast: 1 question, which is stored",
        "forecast: 1 search asks up to 80 questions, of which only the first is counted here",
        "forecast: $0.0024 of $1.00 spent by stored replies",
    ]
    replayed = forecast([search(80)], *options, "--llm-store=only", stored=known)
    assert replayed.lines()[0] == "forecast: 1 question, which is stored; nothing is asked"
    unpriced = ("--llm-model=openai/mine", *options)
    forecast([search(80, "openai/mine")], *unpriced, "--llm-store=only", stored=known).refuse()
    with pytest.raises(pytest.UsageError, match="no price of openai/mine is known; give it as --llm-price"):
        forecast([search(80, "openai/mine")], *unpriced, stored=known).refuse()
