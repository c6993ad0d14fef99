"""The broker and money, on a scripted client whose replies of up to 100 tokens cost a dollar per token."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_llmarith.models.store import Store, key_of
from pytest_llmarith.values import Failure, Model, Price, Question, Reply, StoreMode
from tests.llm_server import Gate
from tests.models.scripted import MODEL, Inbox, RunningBroker, ScriptedClient, questions, reply_to

Brokers = Callable[..., RunningBroker]


def dear(prompt: str, nth: int) -> Reply:
    return Reply(prompt, prompt_tokens=0, completion_tokens=60)


def put(path: Path, *asked: Question, cost_usd: float | None = 0.5) -> None:
    store = Store(path)
    for question in asked:
        reply = replace(reply_to(question.prompt), cost_usd=cost_usd, prompt_tokens=100, completion_tokens=50)
        store.put({key_of(MODEL, question): reply})
    store.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store" / "store.sqlite"


@pytest.mark.parametrize("concurrency", [16, 64])
def test_a_cap_holds_though_replies_grow(brokers: Brokers, concurrency: int) -> None:
    """Replies of one dollar, and from the 64th on of 100: what a request may cost does not follow what was seen."""
    client = ScriptedClient(
        lambda prompt, nth: Reply("", prompt_tokens=0, completion_tokens=1 if int(prompt[1:]) < 63 else 100)
    )
    broker = brokers(client, max_cost_usd=500.0, concurrency=concurrency)
    broker.announce(questions(200))
    replies = [reply for question in questions(200) if isinstance(reply := broker.ask_and_wait(question), Reply)]
    spent = sum(reply.completion_tokens or 0 for reply in replies)
    assert 400 < spent <= 500
    assert client.asked.total() == len(replies)


def test_a_further_attempt_waits_for_room_of_its_own(brokers: Brokers) -> None:
    """After a request that may have been billed; if there is none left, the question is unanswered."""
    client = ScriptedClient(lambda prompt, nth: TimeoutError() if nth == 1 else dear(prompt, nth))
    outcomes = [brokers(client, max_cost_usd=cap).ask_and_wait(questions(1)[0]) for cap in (150.0, 250.0)]
    assert [isinstance(outcome, Reply) for outcome in outcomes] == [False, True]
    assert isinstance(outcomes[0], Failure)
    assert outcomes[0].message.startswith("budget: --llm-max-cost=150: $100.00 spent")
    assert client.asked.total() == 2


@pytest.mark.parametrize("concurrency", [1, 4, 16])
def test_a_cap_holds_for_all_who_ask(brokers: Brokers, concurrency: int) -> None:
    """Five of 60 dollars leave less than the 100 of a longest reply; announced questions and judges' count as well."""
    client = ScriptedClient(dear)
    judge = Model("judge", "openai/judge", judge=True)
    broker = brokers(client, [MODEL, judge], max_cost_usd=390.0, concurrency=concurrency)
    broker.announce(questions(6))
    asked = [*questions(6), *questions(6, first=6, model="judge")]
    outcomes = [broker.ask_and_wait(question) for question in asked]
    assert client.asked.total() == 5
    refused = [outcome.message for outcome in outcomes if isinstance(outcome, Failure)]
    assert len(refused) == 7
    assert all(message.startswith("budget: --llm-max-cost=390: $300.00 spent, ") for message in refused)
    broker.close(0)

    broker = brokers(client, [MODEL, judge], max_cost_usd=1000.0)
    again = [broker.ask_and_wait(question) for question in asked]
    assert all(isinstance(outcome, Reply) for outcome in again)
    assert client.asked.total() == 12
    assert set(client.asked.values()) == {1}


def test_who_waits_for_money_is_answered_when_the_run_ends(brokers: Brokers) -> None:
    """A stopped run answers those who wait for money, and what is in flight still arrives."""
    client, inbox = ScriptedClient(dear, gate := Gate()), Inbox()
    broker = brokers(client, max_cost_usd=150.0, concurrency=4)
    for question in questions(4):
        broker.ask(question, inbox)
    client.wait_for_requests(1)
    broker.stop("that is enough")
    inbox.wait_for(4)
    gate.open()
    broker.close(30)
    assert client.asked.total() == 1
    assert set(inbox.got) == {Failure("run stopped: that is enough", stops_run=True)}
    assert broker.progress().failed == 4


def test_replies_are_priced_and_stored_without(brokers: Brokers, path: Path) -> None:
    """A user's price is this run's: another one next time makes another cost."""
    client = ScriptedClient(dear)
    for price, cost in (Price(1.0, 1e6), 60.0), (Price(1.0, 2e6), 120.0), (None, None):
        outcome = brokers(client, price=price).ask_and_wait(questions(1)[0])
        assert isinstance(outcome, Reply)
        assert outcome.cost_usd == cost
    assert client.asked.total() == 1


def resumed(broker: RunningBroker, asked: list[Question]) -> list[Reply | Failure]:
    """What a run does that finds replies in the store."""
    broker.announce(asked)
    return [broker.ask_and_wait(question) for question in asked]


def test_the_same_command_does_not_spend_its_cap_again(brokers: Brokers, path: Path) -> None:
    """What stored replies have cost is spent from the start, in dollars and in tokens; a higher cap goes on."""
    client = ScriptedClient(lambda prompt, nth: replace(dear(prompt, nth), cost_usd=60.0))
    for bounds, asked in (
        ({"max_cost_usd": 290.0}, 4),
        ({"max_cost_usd": 290.0}, 4),
        ({"max_tokens": 400}, 4),
        ({"max_cost_usd": 340.0}, 5),
        ({"max_tokens": 600}, 6),
    ):
        broker = brokers(client, **bounds, concurrency=4)
        outcomes = resumed(broker, questions(8))
        assert client.asked.total() == sum(isinstance(outcome, Reply) for outcome in outcomes) == asked
        broker.close(0)


def test_a_stored_reply_without_token_counts_counts_with_its_worst_case(brokers: Brokers, path: Path) -> None:
    """As it did in the run that asked for it: the same command asks for no more."""
    client = ScriptedClient(lambda prompt, nth: Reply("42"))
    for bounds in ({"max_cost_usd": 290.0}, {"max_cost_usd": 290.0}, {"max_tokens": 700}):
        broker = brokers(client, **bounds, concurrency=4)
        resumed(broker, questions(8))
        assert client.asked.total() == 2
        broker.close(0)


@pytest.mark.parametrize("mode", [StoreMode.REFRESH, StoreMode.OFF])
def test_without_older_replies_a_cap_counts_this_run_alone(brokers: Brokers, path: Path, mode: StoreMode) -> None:
    """With refresh or off a cap counts what this run itself spends."""
    put(path, *questions(4), cost_usd=60.0)
    client = ScriptedClient(dear)
    resumed(brokers(client, max_cost_usd=290.0, store_mode=mode), questions(8))
    assert client.asked.total() == 4


def test_a_stored_reply_is_counted_once_and_at_a_known_price(brokers: Brokers, path: Path) -> None:
    """Also where it goes by two names; one of unknown price counts as nothing in dollars."""
    put(path, *questions(2), cost_usd=60.0)
    put(path, *questions(2, first=2), cost_usd=None)
    models = [MODEL, replace(MODEL, name="same")]
    asked = [*questions(4), *questions(4, model="same")]
    plan = brokers(ScriptedClient(), models).plan(asked)
    assert (plan.spent_usd, plan.spent_unpriced, plan.spent_tokens) == (120.0, 2, 600)
    client = ScriptedClient(dear)
    resumed(brokers(client, models, max_cost_usd=220.0), [*asked, *questions(2, first=4)])
    assert client.asked.total() == 1


def test_what_may_have_been_billed_is_counted_without_a_cap(brokers: Brokers) -> None:
    """A request that timed out counts with the most that it can have cost; what arrived counts as kept."""
    client = ScriptedClient(lambda prompt, nth: TimeoutError() if nth == 1 else dear(prompt, nth))
    broker = brokers(client)
    broker.ask_and_wait(questions(1)[0])
    broker.close(30)
    progress = broker.progress()
    assert (progress.lost, progress.lost_usd, progress.kept) == (1, 100.0, 1)


def test_what_lies_ahead(brokers: Brokers, path: Path) -> None:
    """What is stored, and what would be asked: once, whatever names a model goes by."""
    put(path, *questions(2))
    models = [MODEL, replace(MODEL, name="same"), Model("sim", "llmarith/exact")]
    plan = brokers(ScriptedClient(), models).plan(
        [*questions(4), *questions(4, model="same"), *questions(1, model="sim"), *questions(1, model="nobody")]
    )
    assert plan.stored == dict.fromkeys([0, 1, 4, 5], 50)
    assert plan.to_ask == (2, 3, 8)


@pytest.mark.parametrize(("mode", "stored", "to_ask"), [(StoreMode.ONLY, 2, 0), (StoreMode.REFRESH, 0, 4)])
def test_what_lies_ahead_in_other_ways_with_the_store(
    brokers: Brokers, path: Path, mode: StoreMode, stored: int, to_ask: int
) -> None:
    """With only, what is not stored is not asked; with refresh everything is asked, stored or not."""
    put(path, *questions(2))
    plan = brokers(ScriptedClient(), store_mode=mode).plan(questions(4))
    assert (len(plan.stored), len(plan.to_ask)) == (stored, to_ask)
