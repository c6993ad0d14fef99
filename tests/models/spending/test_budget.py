"""Money and tokens of a run: what may start, what waits, what is refused."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.models.spending.budget import Budget
from pytest_llmarith.models.spending.estimates import Amount, picodollars
from pytest_llmarith.models.spending.metering import Metered
from pytest_llmarith.models.spending.prices import Prices
from pytest_llmarith.values import AskingLimits, Failure, Model, Price, Reply, Terms

MODEL = Model("m", "openai/some")
# One token of a reply costs a dollar, a prompt nothing: what is reserved at first is the most that a reply may have.
MOST = 100
DEAR = Terms(Price(0.0, 1e6), MOST)
PROMPT = "x" * 40


class Known:
    def __init__(self, terms: Terms = DEAR) -> None:
        self._terms = terms

    def terms(self, model: Model) -> Terms:
        return self._terms


def budget(terms: Terms = DEAR, **limits: Any) -> Budget:
    return Budget(AskingLimits(**limits), Prices(Known(terms), None))


def reply(tokens: int | None) -> Reply:
    return Reply("", prompt_tokens=None if tokens is None else 0, completion_tokens=tokens)


def spends(spending: Budget, *outcomes: Reply | Failure, prompt: str = PROMPT) -> list[Reply | Failure]:
    """What came of requests that are made one after the other."""

    async def run() -> list[Reply | Failure]:
        async def give(outcome: Reply | Failure) -> Reply | Failure:
            return outcome

        return [await spending.spend(MODEL, prompt, partial(give, outcome)) for outcome in outcomes]

    return asyncio.run(run())


def messages(outcomes: list[Reply | Failure]) -> list[str]:
    return [outcome.message for outcome in outcomes if isinstance(outcome, Failure)]


def test_the_rest_is_refused_and_told_why() -> None:
    """What the cap has no room for is told the option, what was spent, and what it could have taken."""
    spending = budget(max_cost_usd=200.0)
    *answered, refused = spends(spending, *[reply(80)] * 3)
    assert answered == [reply(80)] * 2
    assert refused == Failure("budget: --llm-max-cost=200: $160.00 spent, a request may take $80.00")
    assert spending.spent == Amount(picodollars(160), 160)


def test_what_fits_exactly_is_asked() -> None:
    """A request that fills the cap exactly is asked, as sums are exact: ten times 0.1 is 1."""
    spending = budget(Terms(Price(0.0, 0.1e6), 1), max_cost_usd=1.0)
    assert len(messages(spends(spending, *[reply(1)] * 12))) == 2


def test_the_first_request_may_be_too_dear() -> None:
    """Where the first request alone could pass the cap nothing is asked, and the message says what would help."""
    (message,) = messages(spends(budget(max_cost_usd=99.0), reply(1)))
    assert message == (
        "budget: --llm-max-cost=99: $0.00 spent, a request may take $100.00 "
        "(the parameters max_tokens and max_completion_tokens bound it)"
    )


def test_tokens_are_capped_too() -> None:
    """Tokens are capped whatever they cost, and where no price is known."""
    spending = budget(Terms(None, MOST), max_tokens=200)
    outcomes = spends(spending, *[reply(90)] * 3)
    assert messages(outcomes) == ["budget: --llm-max-tokens=200: 180 spent, a request may take 90"]


def test_an_unknown_price_is_never_paid() -> None:
    """With a cap in dollars, a model without a known price is not asked, and the message says how to give one."""
    assert messages(spends(budget(Terms(None, MOST), max_cost_usd=5.0), reply(1))) == [
        "budget: --llm-max-cost: no price of openai/some is known; give it as --llm-price=IN,OUT per million tokens"
    ]


def test_without_a_cap_and_for_simulated_models_nothing_is_looked_up() -> None:
    """No price is looked up without a cap, nor for an embedded model, which costs nothing."""

    class Nobody:
        def terms(self, model: Model) -> Terms:
            raise AssertionError

    async def request() -> Reply:
        return reply(10**9)

    for limits, model in (AskingLimits(), MODEL), (AskingLimits(max_cost_usd=1.0), Model("m", "llmarith/exact")):
        spending = Budget(limits, Prices(Nobody(), None))
        assert asyncio.run(spending.spend(model, PROMPT, request)) == reply(10**9)


def test_a_reply_whose_tokens_nobody_counted_counts_with_its_estimate() -> None:
    """A reply without usage counts with its estimate, which learns nothing from it."""
    spending = budget(max_cost_usd=350.0)
    spends(spending, reply(50), reply(None), reply(None))
    assert spending.spent == Amount(picodollars(150), 150)
    spending = budget(max_cost_usd=350.0)
    spends(spending, reply(None))
    assert spending.spent.tokens == MOST + len(PROMPT) + 16


def test_a_failure_costs_nothing() -> None:
    """A failure costs nothing, unless one of its attempts may have been billed."""
    spending = budget(max_cost_usd=100.0)
    assert spends(spending, *[Failure("429")] * 5) == [Failure("429")] * 5
    assert (spending.spent, spending.reserved) == (Amount(), Amount())


def test_who_does_not_fit_waits_for_what_is_in_flight() -> None:
    """A reply that is cheaper than it could have been makes room."""

    async def run() -> list[str]:
        spending, order, arrive = budget(max_cost_usd=150.0), list[str](), asyncio.Event()

        async def request(name: str) -> Reply:
            order.append(f"{name} starts")
            await arrive.wait()
            return reply(10)

        tasks = [asyncio.create_task(spending.spend(MODEL, PROMPT, partial(request, name))) for name in "abc"]
        await asyncio.sleep(0.01)
        order.append("a arrives")
        arrive.set()
        assert await asyncio.gather(*tasks) == [reply(10)] * 3
        return order

    assert asyncio.run(run()) == ["a starts", "a arrives", "b starts", "c starts"]


def test_who_waits_is_sent_home_at_the_end() -> None:
    """When a run ends, a request that waits for money fails, and is not begun."""

    async def run() -> tuple[Reply | Failure, Reply | Failure]:
        spending, arrive = budget(max_cost_usd=150.0), asyncio.Event()

        async def request() -> Reply:
            await arrive.wait()
            return reply(1)

        first, second = (asyncio.create_task(spending.spend(MODEL, PROMPT, request)) for _ in range(2))
        await asyncio.sleep(0.01)
        spending.halt()
        waited = await second
        arrive.set()
        return await first, waited

    assert asyncio.run(run()) == (reply(1), Failure("the run ended before this question was asked"))


# --- attempts that may have been billed ----------------------------------------------------------------------------


@dataclass
class Scripted:
    """A client that fails as told before it replies."""

    errors: list[BaseException]
    asked: int = field(default=0)

    def prepare(self) -> None: ...

    async def complete(self, model: Model, prompt: str, timeout_s: float) -> Reply:
        self.asked += 1
        if self.errors:
            raise self.errors.pop(0)
        return reply(10)

    async def close(self) -> None: ...


def persist(spending: Budget, client: Scripted) -> Reply | Failure:
    """Try until there is a reply, as whoever makes requests does."""
    metered = Metered(client, spending)

    async def request() -> Reply | Failure:
        while True:
            try:
                metered.prepare()
                return await metered.complete(MODEL, PROMPT, 1.0)
            except TimeoutError:
                continue
            except Exception as error:
                return Failure(f"gave up: {error}")

    return asyncio.run(spending.spend(MODEL, PROMPT, request))


def test_an_attempt_that_may_have_been_billed_counts_with_its_estimate() -> None:
    """An attempt that timed out counts with its estimate, as a provider may go on after we hung up."""
    spending = budget(max_cost_usd=1000.0)
    assert persist(spending, Scripted([TimeoutError(), TimeoutError()])) == reply(10)
    assert spending.spent.picodollars == picodollars(MOST + MOST + 10)


def test_a_further_attempt_needs_room_of_its_own() -> None:
    """A further attempt that could pass the cap is not begun."""
    spending, client = budget(max_cost_usd=150.0), Scripted([TimeoutError()])
    outcome = persist(spending, client)
    assert isinstance(outcome, Failure)
    assert outcome.message.startswith("budget: --llm-max-cost=150: $100.00 spent")
    assert client.asked == 1
    assert spending.reserved == Amount()


# --- whatever happens ----------------------------------------------------------------------------------------------

Steps = list[tuple[int, int, bool]]


@given(
    cap=st.integers(1, 1000),
    at_once=st.integers(1, 8),
    steps=st.lists(st.tuples(st.integers(0, 2 * MOST), st.integers(0, 5), st.booleans()), max_size=40),
)
def test_no_request_starts_that_could_pass_the_cap(cap: int, at_once: int, steps: Steps) -> None:
    """Spent, reserved and the estimate of what starts stay within the cap while replies keep to their estimates, all
    requests come to an end, and nothing is refused that would have fitted alone.

    A step is a reply's tokens, how long it takes, and whether its prompt is of another kind.
    """
    started: list[Amount] = []

    async def run() -> list[Reply | Failure]:
        spending, places = budget(max_cost_usd=float(cap)), asyncio.Semaphore(at_once)

        def request(tokens: int, turns: int) -> Callable[[], Awaitable[Reply | Failure]]:
            async def make() -> Reply | Failure:
                total = spending.spent + spending.reserved
                assert total.picodollars <= picodollars(cap)
                started.append(total)
                for _ in range(turns):
                    await asyncio.sleep(0)
                return reply(tokens)

            return make

        async def one(tokens: int, turns: int, long: bool) -> Reply | Failure:
            async with places:
                return await spending.spend(MODEL, "x" * (200 if long else 40), request(tokens, turns))

        outcomes = await asyncio.wait_for(asyncio.gather(*(one(*step) for step in steps)), 60)
        assert spending.reserved == Amount()
        assert spending.spent.picodollars == sum(
            picodollars(outcome.completion_tokens or 0) for outcome in outcomes if isinstance(outcome, Reply)
        )
        return outcomes

    outcomes = asyncio.run(run())
    assert len(outcomes) == len(steps)
    assert len(started) == len([outcome for outcome in outcomes if isinstance(outcome, Reply)])
    assert all(message.startswith("budget: --llm-max-cost=") for message in messages(outcomes))
    if cap >= 2 * MOST * len(steps) + MOST * at_once:
        assert messages(outcomes) == []
    if all(tokens <= MOST for tokens, _, _ in steps) and cap < MOST:
        assert started == []
