"""The broker on a scripted client: what is asked in which order, what is stored, what
it may cost, how it ends.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from pytest_llmarith.models.asking import NEVER_ASKED
from pytest_llmarith.models.store import Store, StoreError
from pytest_llmarith.records import Reply
from pytest_llmarith.types import Failure, Model, Price, Progress, Question, StoreMode
from tests.models.scripted import (
    JUDGE,
    MODEL,
    OTHER,
    Outcomes,
    Provider,
    Scripted,
    announce,
    ask,
    broker_of,
    counted,
    in_no_time,
    put,
    questions,
    reply_to,
    stopped_by,
    stored,
)

ONE = questions(1)[0]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store" / "store.sqlite"


# --- asking ---------------------------------------------------------------------------


@in_no_time
async def test_announced_questions_are_asked_ahead_and_one_that_is_waited_for_goes_first() -> (
    None
):
    """Free places are filled in the announced order, up to the window of 128 replies
    that are not fetched.
    """
    client = Scripted()
    broker = broker_of(client, concurrency=2)
    announce(broker, questions(200))
    assert await ask(broker, questions(1, first=190)) == [reply_to("q190")]
    assert client.order[:3] == ["q0", "q1", "q190"]
    await asyncio.sleep(300)
    assert len(client.order) == 129
    assert await ask(broker, questions(190)) == [
        reply_to(f"q{number}") for number in range(190)
    ]
    assert set(client.asked.values()) == {1}
    assert client.peak == 2


@in_no_time
async def test_one_request_for_all_who_ask_the_same() -> None:
    """Several workers, or two names of one model; two trials with the same prompt are
    two questions.
    """
    client = Scripted()
    broker = broker_of(client, [MODEL, Model("same", MODEL.target)])
    asked = [*questions(3), *questions(3, model="same")]
    announce(broker, asked)
    assert counted(await ask(broker, asked)) == {"reply": 6}
    new = await asyncio.gather(
        *(broker.ask(Question("m", "new", 7), worker) for worker in "abc")
    )
    assert new == [reply_to("new")] * 3
    assert set(client.asked.values()) == {1}
    await ask(broker, [Question("m", "alike", trial) for trial in range(3)])
    assert client.asked["alike"] == 3


@in_no_time
async def test_concurrency_is_the_bound_of_all_models_together() -> None:
    client = Scripted(
        lambda model, prompt, nth: (
            Provider(503) if prompt == "q0" and nth == 1 else reply_to(prompt)
        )
    )
    broker = broker_of(client, [MODEL, OTHER], concurrency=8)
    await ask(broker, [*questions(40), *questions(40, first=100, model="other")])
    assert client.peak == 8


@in_no_time
async def test_what_is_wrong_with_one_question_ends_that_question_alone() -> None:
    client = Scripted(
        lambda model, prompt, nth: (
            Provider(400, "too long") if prompt == "q0" else reply_to(prompt)
        ),
        takes_s=lambda prompt: 100.0 if prompt == "q1" else 1.0,
    )
    broker = broker_of(client, timeout_s=5, retries=0)
    assert await ask(broker, [*questions(3), Question("x", "q", 0)]) == [
        Failure("openai/some: 400 Bad Request: too long", attempts=1),
        Failure("openai/some: no reply within 5 s", attempts=1),
        reply_to("q2"),
        Failure("there is no model named 'x' in this run"),
    ]
    assert broker.stopped is None
    await broker.close()
    assert broker.progress() == Progress(
        requests=3, answered=1, failed=2, cost_usd=0.5, lost=1, lost_usd=100.0
    )


@in_no_time
async def test_a_refused_key_stops_the_run_after_one_request() -> None:
    client = Scripted(
        lambda model, prompt, nth: (
            reply_to(prompt) if prompt == "q0" else Provider(401, "bad key")
        )
    )
    broker = broker_of(client, concurrency=1)
    announce(broker, questions(1))
    await asyncio.sleep(2)
    first, *others = await ask(broker, questions(6, first=1))
    reason = "openai/some: 401 Unauthorized: bad key; check OPENAI_API_KEY in the environment or in .env"
    assert first == broker.stopped == Failure(reason, attempts=1, stops_run=True)
    stopped = stopped_by(reason)
    assert others == [stopped] * 5
    assert await ask(broker, [ONE, Question("m", "q9", 9)]) == [reply_to("q0"), stopped]
    assert client.order == ["q0", "q1"]


# --- the end --------------------------------------------------------------------------


@in_no_time
async def test_questions_that_are_announced_after_a_stop_are_answered() -> None:
    """A worker with another version stops the run before the controller announces its
    questions.
    """
    client = Scripted()
    broker = broker_of(client, concurrency=2)
    broker.stop(Failure("another version", stops_run=True))
    announce(broker, questions(3))
    assert await ask(broker, questions(4)) == [stopped_by("another version")] * 4
    assert client.order == []


@in_no_time
async def test_closing_lets_what_is_in_flight_arrive(path: Path) -> None:
    client = Scripted(takes_s=lambda prompt: 20.0)
    broker = broker_of(client, path=path, concurrency=2)
    asking = [
        asyncio.create_task(broker.ask(one, worker))
        for one, worker in zip(questions(3), "abc", strict=True)
    ]
    await asyncio.sleep(1)
    broker.forget("b")
    await broker.close(30)
    assert [asking[0].result(), asking[2].result()] == [reply_to("q0"), NEVER_ASKED]
    assert client.order == ["q0", "q1"]
    assert stored(path).keys() == {"q0", "q1"}
    asking[1].cancel()


@in_no_time
async def test_the_wait_for_what_is_in_flight_is_bounded_and_can_be_cut() -> None:
    """After its time, or at once after a second Ctrl-C, a request is given up; a retry
    is not waited for.
    """
    for cut_after_s in (30, 3):
        client = Scripted(takes_s=lambda prompt: 1000.0)
        broker = broker_of(client, timeout_s=2000)
        asking = asyncio.create_task(broker.ask(ONE))
        await asyncio.sleep(0.5)
        asyncio.get_running_loop().call_later(cut_after_s, broker.cut)
        await broker.close(30)
        assert client.now == pytest.approx(0.5 + cut_after_s)
        assert await asking == Failure("the run ended before the reply arrived")
        assert broker.progress().lost == 1
    client = Scripted(lambda model, prompt, nth: Provider(503, retry_after_s=600))
    broker = broker_of(client)
    asking = asyncio.create_task(broker.ask(ONE))
    await asyncio.sleep(5)
    progress = broker.progress()
    assert progress.waiting_for == {"503 from openai/some": 1}
    assert progress.next_try_s == pytest.approx(596)
    await broker.close(30)
    assert await asking == Failure(
        "openai/some: 503 Service Unavailable: scripted", attempts=1
    )
    assert client.now == pytest.approx(5)


# --- the store ------------------------------------------------------------------------


@in_no_time
async def test_a_reply_is_on_disk_before_it_is_delivered(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if the disk is slow. Failures and simulated replies are not stored."""
    put_at_once = Store.put

    def put_slowly(self: Store, replies: Any, *, overwrite: bool) -> int:
        time.sleep(0.1)
        return put_at_once(self, replies, overwrite=overwrite)

    monkeypatch.setattr(Store, "put", put_slowly)
    client = Scripted(
        lambda model, prompt, nth: Provider(400) if prompt == "q1" else reply_to(prompt)
    )
    broker = broker_of(client, [MODEL, Model("s", "llmarith/oracle")], path)
    await broker.ask(ONE)
    assert stored(path).keys() == {"q0"}
    await ask(broker, [*questions(1, first=1), Question("s", "q2", 2)])
    await broker.close()
    assert stored(path).keys() == {"q0"}


@in_no_time
async def test_stored_replies_are_reused(path: Path) -> None:
    """The same command resumes: a stored reply keeps its cost, counted once; the client
    is not made ready for it.
    """
    put(path, questions(3))
    client = Scripted()
    broker = broker_of(client, path=path)
    announce(broker, questions(3))
    await ask(broker, questions(3))
    assert client.prepared == 0
    announce(broker, questions(4))
    outcomes = await ask(broker, questions(4))
    assert client.order == ["q3"]
    facts = [
        isinstance(outcome, Reply) and (outcome.stored, outcome.cost_usd)
        for outcome in outcomes
    ]
    assert facts == [*[(True, 0.5)] * 3, (False, 0.5)]
    progress = broker.progress()
    assert progress.announced == 7
    assert progress.announced_stored == 6
    assert progress.stored == 3
    assert progress.answered == 1
    assert (progress.cost_usd, progress.stored_usd) == (0.5, 1.5)
    await broker.close()


@in_no_time
async def test_modes_of_the_store(path: Path) -> None:
    put(path, questions(2), lambda prompt: Reply("old"))
    for mode, stored_after in (
        (StoreMode.OFF, "old"),
        (StoreMode.REFRESH, "reply to q0"),
    ):
        client = Scripted()
        broker = broker_of(client, path=path, mode=mode)
        plan = announce(broker, questions(1))
        assert (plan.stored, plan.to_ask) == ({}, (0,))
        assert await ask(broker, [ONE, ONE]) == [reply_to("q0")] * 2
        assert client.order == ["q0"]
        await broker.close()
        assert stored(path)["q0"].text == stored_after
    client = Scripted()
    broker = broker_of(
        client, [MODEL, Model("s", "llmarith/oracle")], path, StoreMode.ONLY
    )
    asked = [*questions(3), Question("s", "q9", 9)]
    plan = announce(broker, asked)
    assert plan.stored.keys() == {0, 1}
    assert plan.to_ask == (3,)
    *found, missing, simulated = await ask(broker, asked)
    assert [isinstance(outcome, Reply) and outcome.stored for outcome in found] == [
        True,
        True,
    ]
    assert missing == Failure("no stored reply, and --llm-store=only asks no model")
    assert (simulated, client.order) == (reply_to("q9"), ["q9"])
    await broker.close()


@pytest.mark.parametrize("mode", [StoreMode.ON, StoreMode.REFRESH])
@in_no_time
async def test_searches_and_judges_pay_once_for_the_same_question(
    path: Path, mode: StoreMode
) -> None:
    """What was not announced is in the store when it is asked again; this run has paid
    for it: it is not `stored`.
    """
    client = Scripted()
    broker = broker_of(client, [MODEL, JUDGE], path, mode)
    for question in questions(3) + questions(3, first=3, model="judge"):
        outcomes = [await broker.ask(question) for _ in range(2)]
        assert [
            isinstance(outcome, Reply) and outcome.stored for outcome in outcomes
        ] == [False, False]
    assert set(client.asked.values()) == {1}
    assert (broker.progress().cost_usd, broker.progress().by_graders) == (3.0, 3)
    await broker.close()


@in_no_time
async def test_replies_that_the_store_did_not_take_can_be_fetched(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing more is asked, and the run stops when the tests have every reply that is
    only in memory.
    """

    def full(self: Store, replies: Any, *, overwrite: bool) -> None:
        raise StoreError("store s: the disk is full")

    monkeypatch.setattr(Store, "put", full)
    client = Scripted()
    broker = broker_of(client, path=path, concurrency=2)
    first, ahead, never_asked = questions(3)
    announce(broker, [first, ahead, never_asked])
    assert await broker.ask(first) == reply_to("q0")
    await asyncio.sleep(1)
    assert broker.progress().unsaved == 2
    assert await broker.ask(never_asked) == stopped_by("store s: the disk is full")
    assert broker.stopped is None
    assert await broker.ask(ahead) == reply_to("q1")
    assert broker.stopped == Failure("store s: the disk is full", stops_run=True)
    assert client.order == ["q0", "q1"]
    await broker.close()


# --- money: a token of a reply costs a dollar, and a reply has up to 100 --------------


def dear(model: Model, prompt: str, nth: int) -> Reply:
    return Reply(prompt, prompt_tokens=0, completion_tokens=60)


async def resumed(
    path: Path | None, client: Scripted, asked: list[Question], **how: Any
) -> Outcomes:
    """What one run gets for questions that it announces."""
    broker = broker_of(client, [MODEL, JUDGE], path, **how)
    announce(broker, asked)
    outcomes = await ask(broker, asked)
    await broker.close()
    return outcomes


@pytest.mark.parametrize("concurrency", [1, 64])
@in_no_time
async def test_a_cap_holds_for_all_who_ask(path: Path, concurrency: int) -> None:
    """Five of 60 dollars leave less than the longest reply may cost; a higher cap goes
    on from there.
    """
    client = Scripted(dear)
    asked = [*questions(6), *questions(6, first=6, model="judge")]
    outcomes = counted(
        await resumed(path, client, asked, max_cost_usd=390.0, concurrency=concurrency)
    )
    assert client.asked.total() == outcomes.pop("reply") == 5
    assert outcomes.total() == 7
    assert all(
        message.startswith("budget: --llm-max-cost=390: $300.00 spent, ")
        for message in outcomes
    )
    assert counted(await resumed(path, client, asked, max_cost_usd=1000.0)) == {
        "reply": 12
    }
    assert set(client.asked.values()) == {1}


@in_no_time
async def test_the_same_command_does_not_spend_its_cap_again(path: Path) -> None:
    """What stored replies cost is spent from the start, in dollars and tokens, unless
    the mode does not read them.
    """
    client = Scripted(
        lambda model, prompt, nth: structs.replace(
            dear(model, prompt, nth), cost_usd=60.0
        )
    )
    dollars, tokens = "max_cost_usd", "max_tokens"
    for bound, most, asked in (
        (dollars, 290, 4),
        (dollars, 290, 4),
        (tokens, 400, 4),
        (dollars, 340, 5),
    ):
        outcomes = await resumed(
            path, client, questions(8), **{bound: most}, concurrency=4
        )
        assert client.asked.total() == counted(outcomes)["reply"] == asked
    await resumed(
        path, client, questions(8), max_cost_usd=290.0, mode=StoreMode.REFRESH
    )
    assert client.asked.total() == 5 + 4


@in_no_time
async def test_replies_without_token_counts_count_with_their_worst_case(
    path: Path,
) -> None:
    client = Scripted(lambda model, prompt, nth: Reply("42"))
    for bounds in (
        {"max_cost_usd": 290.0},
        {"max_cost_usd": 290.0},
        {"max_tokens": 700},
    ):
        await resumed(path, client, questions(8), **bounds, concurrency=4)
        assert client.asked.total() == 2


@in_no_time
async def test_a_further_attempt_needs_room_of_its_own() -> None:
    """A request that timed out may have been billed, and counts with the most that it
    can have cost.
    """
    for cap, replied in ((150.0, False), (250.0, True), (None, True)):
        client = Scripted(
            lambda model, prompt, nth: (
                TimeoutError() if nth == 1 else dear(model, prompt, nth)
            )
        )
        broker = broker_of(client, max_cost_usd=cap)
        outcome = await broker.ask(ONE)
        assert isinstance(outcome, Reply) is replied
        assert (broker.progress().lost, broker.progress().lost_usd) == (1, 100.0)


@in_no_time
async def test_a_question_that_waits_for_money_is_answered_when_the_run_ends() -> None:
    client = Scripted(dear)
    broker = broker_of(client, max_cost_usd=150.0, concurrency=4)
    asking = asyncio.create_task(ask(broker, questions(4)))
    await asyncio.sleep(0.5)
    broker.stop(Failure("that is enough", stops_run=True))
    assert await asking == [stopped_by("that is enough")] * 4
    assert (client.asked.total(), broker.progress().failed) == (1, 4)


@in_no_time
async def test_a_users_price_is_of_its_run_and_not_stored(path: Path) -> None:
    client = Scripted(dear)
    for price, cost in (Price(1.0, 1e6), 60.0), (Price(1.0, 2e6), 120.0), (None, None):
        broker = broker_of(client, path=path, price=price)
        outcome = await broker.ask(ONE)
        assert isinstance(outcome, Reply)
        assert outcome.cost_usd == cost
        await broker.close()
    assert client.asked.total() == 1


@in_no_time
async def test_an_unknown_cost_is_no_cost_of_0() -> None:
    def script(model: Model, prompt: str, nth: int) -> Reply:
        cost_usd = 0.5 if prompt == "q0" else None
        return structs.replace(reply_to(prompt), cost_usd=cost_usd)

    broker = broker_of(Scripted(script))
    await ask(broker, questions(3))
    assert (broker.progress().cost_usd, broker.progress().unpriced) == (0.5, 2)


@in_no_time
async def test_a_plan_counts_each_question_and_each_stored_reply_once(
    path: Path,
) -> None:
    """By whatever names a model goes; an unknown price is counted as such, and costs a
    cap nothing in dollars.
    """

    def kept(prompt: str) -> Reply:
        cost = 60.0 if prompt in ("q0", "q1") else None
        return structs.replace(
            reply_to(prompt), cost_usd=cost, prompt_tokens=100, completion_tokens=50
        )

    put(path, questions(4), kept)
    models = [MODEL, replace(MODEL, name="same"), Model("sim", "llmarith/oracle")]
    client = Scripted(dear)
    broker = broker_of(client, models, path, max_cost_usd=220.0)
    asked = [
        *questions(6),
        *questions(6, model="same"),
        *questions(1, model="sim"),
        *questions(1, model="unknown"),
    ]
    plan = announce(broker, asked)
    assert plan.stored == dict.fromkeys([0, 1, 2, 3, 6, 7, 8, 9], 50)
    assert plan.to_ask == (4, 5, 12)
    assert (plan.spent_usd, plan.spent_unpriced, plan.spent_tokens) == (120.0, 2, 600)
    await ask(broker, asked[:12])
    assert client.asked == {
        "q0": 1,
        "q4": 1,
    }  # of the fake model, and of what is left of 220 dollars
    await broker.close()
