"""Batches of a broker: what is sent once more and what never, after every way in which
a batch may end.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from aiohttp import web

from pytest_llmarith.models import batch_submission, batches, retry
from pytest_llmarith.models.asking import BatchMode
from pytest_llmarith.models.broker import Broker
from pytest_llmarith.models.client import Client
from pytest_llmarith.models.reservations import Reservations
from pytest_llmarith.models.store import RunStore, StoreError, key_of
from pytest_llmarith.records import Reply
from pytest_llmarith.types import (
    Failure,
    Message,
    Model,
    Price,
    Progress,
    Question,
    RequestLimits,
    StoreMode,
)
from tests.batch_server import (
    MISREAD,
    SHORT,
    BatchServer,
    Fault,
    Lines,
    Made,
    body,
    in_progress,
    status,
    times,
)
from tests.llm_server import Answer, Call, usage

pytestmark = pytest.mark.filterwarnings("ignore")  # as in the broker's process

WAIT, SUBMIT, COLLECT = BatchMode
OPENAI, ANTHROPIC = "openai/gpt-4o-mini", "anthropic/claude-haiku-4-5"
PRICES = {
    OPENAI: (0.075, 0.3),
    ANTHROPIC: (0.5, 2.5),
}  # in batches, dollars per million tokens
COUNT = 6


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai-of-the-tests")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-anthropic-of-the-tests")
    monkeypatch.setattr(batches, "_FIRST_POLL_S", 0.02)
    monkeypatch.setattr(batches, "_LATE_PAUSES_S", (0.02, 0.04, 0.06))
    monkeypatch.setattr(retry, "FIRST_PAUSE_S", 0.02)
    monkeypatch.setattr(batch_submission, "SETTLED_S", 0.2)


class Runs:
    """Runs one after the other or at once, on one store and one server."""

    def __init__(self, server: BatchServer, path: Path, target: str) -> None:
        self.server = server
        self.path = path
        self.said: list[str] = []
        self.target = target
        self.params = {"max_tokens": 100}
        self.runner = asyncio.Runner()

    def run(
        self, mode: BatchMode | None, count: int = COUNT, **limits: Any
    ) -> list[Reply | Failure]:
        """The outcomes of the questions of a run, all of which are asked in the end."""
        return self.runner.run(self.one(mode, count, **limits))

    def both(self, mode: BatchMode) -> list[list[Reply | Failure]]:
        async def run() -> list[list[Reply | Failure]]:
            return list(
                await asyncio.gather(self.one(mode, COUNT), self.one(mode, COUNT + 2))
            )

        return self.runner.run(run())

    def broker(self, mode: BatchMode | None, names: str = "m", **limits: Any) -> Broker:
        """A broker of models with these names."""
        url = self.server.base_url
        models = [Model(name, self.target, self.params, url) for name in names]
        store = RunStore(self.path, StoreMode.ON)
        asking = RequestLimits(**limits)
        return Broker(Client(), models, store, asking, batch=mode, say=self.said.append)

    async def one(
        self, mode: BatchMode | None, count: int, later: str = "", **limits: Any
    ) -> list[Reply | Failure]:
        """The outcomes; `later` is asked after them, and follows from a reply."""
        broker = self.broker(mode, **{"retries": 1, "timeout_s": 20.0, **limits})
        questions = [Question("m", f"q{number}", number) for number in range(count)]
        try:
            plan = broker.plan(questions)
            assert plan.error is None
            if plan.refused:
                return [Failure(plan.refused[0])]
            if mode is not None:
                await broker.batch()
            self.progress = broker.progress()
            broker.announce()
            outcomes = list(
                await asyncio.gather(*(broker.ask(question) for question in questions))
            )
            if later:
                outcomes.append(await broker.ask(Question("m", later, 0)))
            return outcomes
        finally:
            await broker.close()

    def break_off(self, *, creating: bool) -> None:
        """Leave the store as a run of one question that was killed directly before or
        after it began to create.
        """
        model = Model("m", self.target, self.params, self.server.base_url, batched=True)
        with closing(Reservations(self.path)) as store:
            store.reserve(
                model, {key_of(model, Question("m", "q0", 0)): model.messages("q0")}
            )
            if creating:
                store.creating(store.batches()[0].intent)

    def age(self) -> None:
        """Let the batches in the store have been created two hours earlier."""
        with closing(sqlite3.connect(self.path)) as database, database:
            database.execute("UPDATE batches SET creating_at = creating_at - 7200")

    def asked_once(self, *, batches: int = 1) -> bool:
        """Whether no question was asked twice, and none is left in a batch."""
        is_once = set(self.server.asked.values()) == {1}
        return (
            is_once and len(self.server.made) == batches and not self.rows("reserved")
        )

    def rows(self, table: str) -> int:
        with closing(sqlite3.connect(self.path)) as database:
            ((count,),) = database.execute(f"SELECT count(*) FROM {table}")
        return int(count)


@pytest.fixture(params=[OPENAI])
def runs(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Runs]:
    answers: dict[str, Any] = {}
    with BatchServer(lambda call: answers.get("answer", said)(call)) as server:
        made = Runs(server, tmp_path / ".llmarith" / "store.sqlite", request.param)
        made.answers = answers  # type: ignore[attr-defined]
        with made.runner:
            yield made


OF_ANTHROPIC = pytest.mark.parametrize("runs", [ANTHROPIC], indirect=True)
OF_MISTRAL = pytest.mark.parametrize(
    "runs", ["mistral/mistral-small-latest"], indirect=True
)
OF_BOTH = pytest.mark.parametrize(
    "runs",
    [OPENAI, pytest.param(ANTHROPIC, marks=pytest.mark.proof)],
    indirect=True,
)


def said(call: Call) -> str:
    return f"reply to {call.prompt}"


def counted(outcomes: list[Reply | Failure]) -> Counter[str]:
    """How many replies there are, each to its question, and how often each failure."""
    found = Counter[str]()
    for number, outcome in enumerate(outcomes):
        if isinstance(outcome, Reply):
            assert outcome.text == f"reply to q{number}"
            found["reply"] += 1
        else:
            found[outcome.code.sentence(outcome.message)] += 1
    return found


def only(outcomes: list[Reply | Failure]) -> str:
    ((message, _),) = counted(outcomes).items()
    return message


@OF_BOTH
def test_a_run_submits_another_collects_and_single_questions_keep_away(
    runs: Runs,
) -> None:
    """While a question is in a batch no run asks it, whichever way; the reply comes
    with its price and date.
    """
    runs.server.polls = 3
    assert only(runs.run(SUBMIT)).startswith("in a batch since 20")
    assert only(runs.run(None)).startswith("in a batch since 20")
    assert (
        counted(runs.run(SUBMIT, COUNT + 2)).keys() == counted(runs.run(COLLECT)).keys()
    )
    assert [len(made.calls) for made in runs.server.made] == [COUNT, 2]
    assert counted(runs.run(COLLECT)) == {"reply": COUNT}
    prompt, completion = PRICES[runs.target]
    assert runs.progress.cost_usd == pytest.approx(
        COUNT * (7 * prompt + 3 * completion) / 1e6, rel=1e-9
    )
    (reply, *_) = runs.run(None, COUNT + 2)
    assert isinstance(reply, Reply)
    assert reply.latency_s is None
    assert reply.attempts == 1
    assert reply.stored
    assert (reply.asked_at or "")[:2] == "20"
    assert reply.sent is not None
    assert reply.sent.messages == [Message("user", "q0")]
    assert counted(runs.run(WAIT, COUNT + 2)) == {"reply": COUNT + 2}
    assert (set(runs.server.asked.values()), runs.rows("reserved")) == ({1}, 0)
    (_, new) = (only(runs.run(COLLECT, 1)), counted(runs.run(COLLECT, COUNT + 3)))
    assert new == {"reply": COUNT + 2, "in no batch; --llm-batch=submit sends it": 1}


def test_a_run_names_the_batches_that_hold_none_of_its_questions(runs: Runs) -> None:
    """Such as those with other parameters, which are named before anything is sent;
    also if all replies are stored.
    """

    def named() -> int:
        lines = [
            line
            for line in runs.said
            if "holds none of these questions" in line and "max_tokens=100" in line
        ]
        assert runs.said[: len(lines)] == lines
        del runs.said[:]
        return len(lines)

    runs.server.polls = 10**6
    runs.run(SUBMIT)
    runs.run(SUBMIT, COUNT + 1)
    assert named() == 0
    runs.params, runs.server.polls = {"max_tokens": 50}, 1
    for mode, outcome in (
        (COLLECT, "in no batch; --llm-batch=submit sends it"),
        (WAIT, "reply"),
        (COLLECT, "reply"),
    ):
        assert counted(runs.run(mode)) == {outcome: COUNT}
        assert named() == 2
    runs.target = {OPENAI: "openai/gpt-4o", ANTHROPIC: "anthropic/claude-sonnet-4-5"}[
        runs.target
    ]
    runs.run(COLLECT)
    assert named() == 0


@pytest.mark.parametrize("creating", [False, True])
def test_collecting_frees_the_questions_of_a_batch_that_was_not_created(
    runs: Runs, creating: bool
) -> None:
    """A later run may submit them.

    A run that submits at that moment keeps its questions.
    """
    runs.break_off(creating=creating)
    with closing(Reservations(runs.path)) as store, store.submitting():
        assert only(runs.run(COLLECT, 1)).startswith("in a batch since 20")
    if creating:
        runs.server.go_away()
        assert only(runs.run(COLLECT, 1, retries=0)).startswith("in a batch since 20")
        runs.server.come_back()
    assert only(runs.run(None, 1)).startswith("in a batch since 20")
    assert only(runs.run(COLLECT, 1)) == "in no batch; --llm-batch=submit sends it"
    assert (runs.server.made, runs.rows("reserved"), runs.rows("batches")) == ([], 0, 0)
    assert counted(runs.run(WAIT, 1)) == {"reply": 1}


def test_two_runs_at_once_ask_each_question_once(runs: Runs) -> None:
    runs.server.polls = 4
    first, second = runs.both(WAIT)
    assert (counted(first), counted(second)) == ({"reply": COUNT}, {"reply": COUNT + 2})
    assert (len(runs.server.asked), set(runs.server.asked.values())) == (COUNT + 2, {1})


def test_a_single_question_whose_batch_another_run_takes_at_that_moment(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not asked, although it was not stored at first and is in no batch
    afterwards.
    """
    runs.run(SUBMIT, 1)
    find = RunStore.find

    def look(store: RunStore, key: str) -> tuple[Reply | None, str | None]:
        with closing(Reservations(runs.path)) as other:
            for batch in other.batches():
                replies = dict.fromkeys(other.questions(batch.intent), Reply("late"))
                other.settle(batch.intent, replies)
        return find(store, key)

    monkeypatch.setattr(RunStore, "find", look)
    runs.run(None, 1)
    assert (runs.server.asked, runs.rows("replies")) == ({"q0": 1}, 1)


@OF_BOTH
def test_what_expired_is_submitted_once_more(runs: Runs) -> None:
    """The replies that came are stored first; then each question without one goes into
    one batch more, not into two.
    """
    runs.server.end, runs.server.share = "expired", 0.5
    outcomes = counted(runs.run(WAIT))
    assert [len(made.calls) for made in runs.server.made] == [COUNT, COUNT // 2]
    assert outcomes["reply"] == COUNT // 2 + 2
    assert [
        count
        for message, count in outcomes.items()
        if "expired" in message or "24 hours" in message
    ] == [1]
    runs.server.share = 1.0
    assert counted(runs.run(WAIT)) == {"reply": COUNT}
    assert len(runs.server.made) == 3


@OF_BOTH
@pytest.mark.parametrize(("status", "asked"), [(500, 2), (429, 2), (400, 1)])
def test_what_failed_is_submitted_once_more_if_that_may_help(
    runs: Runs, status: int, asked: int
) -> None:
    if runs.target == ANTHROPIC and status == 429:
        pytest.skip("the server has one error of each kind")
    runs.answers["answer"] = lambda call: (  # type: ignore[attr-defined]
        Answer(status=status) if call.prompt == "q1" else said(call)
    )
    outcomes = counted(runs.run(WAIT))
    assert outcomes.pop("reply") == COUNT - 1
    assert f"{status}" in next(iter(outcomes))
    assert runs.server.asked["q1"] == asked
    assert (set(runs.server.asked.values()), runs.rows("reserved")) == ({1, asked}, 0)


@pytest.mark.parametrize(
    "runs", ["hosted_vllm/x", "mistral/mistral-small-latest"], indirect=True
)
def test_a_model_without_a_batch_price(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its cost is unknown, not half of another price; a cap needs --llm-price, which is
    the price of batches, too.
    """
    monkeypatch.setenv("MISTRAL_API_KEY", "sk-mistral-of-the-tests")
    assert "set --llm-price=IN,OUT" in only(runs.run(WAIT, max_cost_usd=1.0))
    priced = runs.run(WAIT, price=Price(1.0, 2.0), max_cost_usd=1.0)
    assert {reply.cost_usd for reply in priced if isinstance(reply, Reply)} == {
        (7 + 2 * 3) / 1e6
    }
    unpriced = runs.run(None)
    assert [reply.cost_usd for reply in unpriced if isinstance(reply, Reply)] == [
        None
    ] * COUNT


def test_the_forecast_has_the_price_of_batches(runs: Runs) -> None:
    """Also for a model that is asked further questions, singly and at its usual
    price.
    """

    async def run() -> None:
        broker = runs.broker(WAIT)
        plan = broker.plan([Question("m", "q", 0)], later=["m"])
        assert plan.terms["m"].price == Price(*PRICES[runs.target])
        await broker.close()

    runs.runner.run(run())


def test_a_reply_that_two_questions_share_counts_once(runs: Runs) -> None:
    """Such as those of two names of one model; from a batch, and from the store."""

    async def run(mode: BatchMode | None) -> Progress:
        broker = runs.broker(mode, "ab")
        broker.plan(questions := [Question(name, "q0", 0) for name in "ab"])
        if mode is not None:
            await broker.batch()
        broker.announce()
        for question in questions:
            assert isinstance(await broker.ask(question), Reply)
        await broker.close()
        return broker.progress()

    paid, stored = runs.runner.run(run(WAIT)), runs.runner.run(run(None))
    assert (paid.answered, stored.answered, stored.stored) == (1, 0, 1)
    assert stored.stored_usd == paid.cost_usd > 0


def test_a_filtered_question_has_a_reply(runs: Runs) -> None:
    """As a single question has."""
    error = {"code": "content_filter", "message": "filtered"}
    runs.answers["answer"] = lambda call: Answer(status=400, error=error)  # type: ignore[attr-defined]
    outcomes = runs.run(WAIT)
    assert {
        (reply.text, reply.finish_reason)
        for reply in outcomes
        if isinstance(reply, Reply)
    } == {("", "content_filter")}


def key_in(line: bytes) -> Any:
    return json.loads(line)["custom_id"]


def failed(line: bytes) -> bytes:
    """A line of results, as that of a question that failed."""
    error = {"type": "api_error", "code": "request_timeout", "message": "failed"}
    row = {"custom_id": key_in(line), "response": None, "error": error}
    return json.dumps(
        row | {"result": {"type": "errored", "error": {"error": error}}}
    ).encode()


@OF_BOTH
def test_any_order_and_a_damaged_line(runs: Runs) -> None:
    """A damaged line is read again; its question stays in the batch, and is not paid
    for again.

    Of several lines of a question, one with a reply counts.
    """

    def change(lines: Lines) -> Lines:
        return [
            failed(lines[1]),
            *reversed(lines[1:]),
            failed(lines[2]),
            b"",
            lines[0][: len(lines[0]) // 2],
            b"[1]",
            b'{"custom_id": "unknown"}',
            lines[2],
        ]

    runs.server.change = change
    assert counted(runs.run(WAIT))["reply"] == COUNT - 1
    assert len(runs.server.made) == 1
    assert runs.rows("reserved") == 1
    assert runs.progress.lost == 0
    runs.server.change = lambda lines: lines
    assert counted(runs.run(COLLECT)) == {"reply": COUNT}
    assert (set(runs.server.asked.values()), runs.rows("reserved")) == ({1}, 0)


TWICE = {
    **{f"download: {name}": ("download", fault) for name, fault in SHORT.items()},
    "download: a page": ("download", MISREAD["a page"]),
    "download: bad gzip": ("download", MISREAD["bad gzip"]),
    "poll: a page": ("poll", MISREAD["a page"]),
    "poll: null": ("poll", MISREAD["null"]),
    "poll: not known yet": ("poll", status(404)),
}
ALWAYS = (
    "download: a cut line",
    "download: a page",
    "poll: a page",
    "poll: not known yet",
)


@OF_BOTH
@pytest.mark.parametrize("case", TWICE)
def test_an_answer_that_is_wrong_twice(runs: Runs, case: str) -> None:
    """The results are late, not missing.

    The same run looks again until it has them, and pays nothing twice.
    """
    runs.server.polls = 0
    runs.run(SUBMIT)
    runs.server.alter = times(2, *TWICE[case])
    assert counted(runs.run(COLLECT if "page" in case else WAIT)) == {"reply": COUNT}
    assert runs.asked_once()


def test_a_status_that_goes_back(runs: Runs) -> None:
    """Such as that of a batch which has ended with half of its lines, then is in
    progress, then has ended.
    """
    runs.server.polls = 0
    runs.server.alter = goes_back(runs.server)
    assert counted(runs.run(WAIT)) == {"reply": COUNT}
    assert runs.asked_once()


def goes_back(server: BatchServer) -> Callable[[str, web.Response], web.Response]:
    short = times(1, "download", SHORT["half of the lines"])

    def alter(event: str, answer: web.Response) -> web.Response:
        if event == "poll" and server.events.count(event) == 2:
            return in_progress(answer)
        return short(event, answer)

    return alter


@OF_BOTH
@pytest.mark.proof
@pytest.mark.parametrize("case", ALWAYS)
def test_an_answer_that_is_always_wrong(runs: Runs, case: str) -> None:
    runs.server.polls = 0
    runs.server.alter = times(math.inf, *TWICE[case])
    outcomes = counted(runs.run(WAIT))
    (line,) = [line for line in runs.said if "stay in it" in line]
    assert "rerun the same command" in line
    assert ("--forget" in line) == ("not known" not in case)
    assert outcomes["reply"] < COUNT
    assert all(
        message.startswith(("in a batch since 20", "reply")) for message in outcomes
    )
    assert runs.rows("reserved") == COUNT - outcomes["reply"] > 0
    runs.server.alter = lambda event, answer: answer
    assert counted(runs.run(WAIT)) == {"reply": COUNT}
    assert runs.asked_once()


# Status and request_counts of a batch of 6, how many lines its output and its file of
# errors hold, and whether its questions without a reply are free.
COUNTS = {
    "all": ("completed", (6, 6, 0), 6, 0, True),
    "all, some failed": ("completed", (6, 4, 2), 4, 2, True),
    "a short output": ("completed", (6, 4, 2), 3, 2, False),
    "no output": ("completed", (6, 4, 2), 0, 2, False),
    "a short file of errors": ("completed", (6, 4, 2), 4, 1, False),
    "no file of errors": ("completed", (6, 4, 2), 4, 0, False),
    "counts that lag": ("completed", (6, 3, 0), 3, 0, False),
    "no counts": ("completed", None, 6, 0, True),
    "no counts, a short output": ("completed", None, 3, 0, False),
    "expired": ("expired", (6, 4, 0), 4, 0, True),
    "expired, with errors": ("expired", (6, 4, 2), 4, 2, True),
    "expired, a short output": ("expired", (6, 4, 0), 3, 2, False),
    "expired, no output": ("expired", (6, 4, 2), 0, 2, False),
    "expired, none done": ("expired", (6, 0, 0), 0, 0, True),
    "expired, no counts": ("expired", None, 4, 2, True),
    "cancelled": ("cancelled", (6, 4, 0), 4, 0, True),
    "cancelled, a short output": ("cancelled", (6, 4, 0), 3, 0, False),
    "failed": ("failed", (0, 0, 0), 0, 0, True),
}


@pytest.mark.proof
def test_questions_are_free_if_the_counts_agree(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, as_polled = runs.server, runs.server._openai
    server.polls = 0
    for case, (end, counts, good, bad, is_free) in COUNTS.items():
        runs.path = runs.path.with_name(f"{case}.sqlite")
        server.end = end
        monkeypatch.setattr(server, "_openai", as_polled)
        runs.run(SUBMIT)
        rows = list(server._made_rows(server.made[-1]))
        errors = [
            json.loads(failed(json.dumps(row).encode())) for row in rows[COUNT - bad :]
        ]
        server.made[-1].rows = rows[:good] + errors
        said = {
            "output_file_id": f"output-{server.made[-1].id}" if good else None,
            "error_file_id": f"errors-{server.made[-1].id}" if bad else None,
            "request_counts": counts
            and dict(zip(("total", "completed", "failed"), counts, strict=True)),
        }
        monkeypatch.setattr(
            server, "_openai", lambda made, said=said: as_polled(made) | said
        )
        assert (case, counted(runs.run(COLLECT))["reply"]) == (case, good)
        assert (case, runs.rows("reserved")) == (case, 0 if is_free else COUNT - good)


def test_an_empty_file_of_errors_is_no_error(runs: Runs) -> None:
    runs.server.has_error_file = True
    assert counted(runs.run(WAIT)) == {"reply": COUNT}
    assert (len(runs.server.made), runs.rows("reserved")) == (1, 0)


def test_a_reply_that_cannot_be_used_is_not_paid_for_again(runs: Runs) -> None:
    """It may be billed, so it counts with its worst case."""

    def change(lines: Lines) -> Lines:
        row = json.loads(lines[0])
        if runs.target == OPENAI:
            row["response"]["body"]["choices"] = []
        else:
            row["result"]["message"] = {"content": 7}
        return [failed(lines[0]), json.dumps(row).encode(), *lines[1:]]

    runs.server.change = change
    assert counted(runs.run(WAIT, max_cost_usd=1.0))["reply"] == COUNT - 1
    assert set(runs.server.asked.values()) == {1}
    assert runs.progress.lost == 1
    assert runs.rows("reserved") == 0
    assert runs.progress.lost_usd > runs.progress.cost_usd / COUNT


def test_a_result_that_is_gone(runs: Runs) -> None:
    def happens(event: str) -> None:
        if event == "download" and runs.server.events.count(event) % 2 == 0:
            raise web.HTTPNotFound(
                text='{"error": {"message": "no such file"}}',
                content_type="application/json",
            )

    runs.server.happens = happens
    runs.answers["answer"] = lambda call: (  # type: ignore[attr-defined]
        Answer(status=400) if call.prompt == "q1" else said(call)
    )
    assert counted(runs.run(WAIT))["reply"] == COUNT - 1
    assert [
        ("404" in line, "--forget" in line)
        for line in runs.said
        if "stay in it" in line
    ] == [(True, False)]
    runs.age()
    runs.run(WAIT)
    assert "llmarith batch cancel --forget" in runs.said[-1]
    assert runs.rows("replies") == COUNT - 1
    assert runs.rows("reserved") == 1
    assert len(runs.server.made) == 1


def test_a_batch_whose_results_are_not_there_yet_goes_on(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_listed, looks = runs.server._openai, Counter[str]()

    def early(made: Made) -> dict[str, Any]:
        looks[made.id] += made.ended
        without = {"output_file_id": None, "request_counts": None}
        return as_listed(made) | (without if looks[made.id] < 3 else {})

    monkeypatch.setattr(runs.server, "_openai", early)
    assert counted(runs.run(WAIT)) == {"reply": COUNT}
    assert len(runs.server.made) == 1


def test_a_failure_without_a_known_reason_is_not_submitted_again(runs: Runs) -> None:
    runs.server.change = lambda lines: [
        json.dumps({"custom_id": key_in(lines[0])}).encode(),
        *lines[1:],
    ]
    assert counted(runs.run(WAIT))["reply"] == COUNT - 1
    assert len(runs.server.made) == 1


@OF_ANTHROPIC
def test_a_redirect_creates_no_batch(runs: Runs) -> None:
    def happens(event: str) -> None:
        raise web.HTTPTemporaryRedirect("http://127.0.0.1:9/v1")

    runs.server.happens = happens
    assert "redirected" in only(runs.run(WAIT))
    assert (runs.server.events, runs.rows("reserved")) == (["create"], 0)


def test_results_are_never_too_long_to_read(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch has so few questions that the longest replies to all of them can be
    read.
    """
    monkeypatch.setattr(batch_submission, "LARGEST_RESULTS", 4 * 5 * 100)
    assert counted(runs.run(WAIT)) == {"reply": COUNT}
    assert [len(made.calls) for made in runs.server.made] == [4, 2]


@OF_BOTH
def test_a_reply_of_unknown_cost_counts_against_a_cap(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the price of batches; it is unknown in its record.

    A single question after it may not pass the cap.
    """
    monkeypatch.setattr(
        "litellm.cost_calculator.batch_cost_calculator", lambda **arguments: (0.0, 0.0)
    )
    runs.run(SUBMIT)
    prompt, completion = PRICES[runs.target]
    worst = 2 * (500 * prompt + 100 * completion) / 1e6  # of a single question
    runs.answers["answer"] = lambda call: Answer(said(call), usage=usage(7, 10**6))  # type: ignore[attr-defined]
    replies = runs.run(
        COLLECT, max_cost_usd=COUNT * completion + worst / 2, later="q99"
    )
    assert {reply.cost_usd for reply in replies[:-1] if isinstance(reply, Reply)} == {
        None
    }
    assert "--llm-max-cost" in only(replies[-1:])


@OF_BOTH
def test_a_run_that_ends_amid_the_results_has_stored_the_first(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next run reads the results again, and stores and counts the others."""
    monkeypatch.setattr(batches, "_REPLIES_PER_WRITE", 2)
    settle = Reservations.settle
    writes = Counter[str]()

    def fail(
        store: Reservations, intent: str, replies: Mapping[str, Reply]
    ) -> set[str]:
        writes["all"] += 1
        if writes["all"] == 3:
            raise StoreError("disk full")
        return settle(store, intent, replies)

    monkeypatch.setattr(Reservations, "settle", fail)
    assert counted(runs.run(WAIT))["run stopped: disk full"] == COUNT
    assert (runs.rows("replies"), runs.rows("reserved")) == (4, 2)
    first = runs.progress.cost_usd
    assert counted(runs.run(COLLECT)) == {"reply": COUNT}
    assert (set(runs.server.asked.values()), runs.rows("reserved")) == ({1}, 0)
    assert first == pytest.approx(2 * runs.progress.cost_usd, rel=1e-9)


@OF_BOTH
@pytest.mark.proof
@pytest.mark.parametrize("seed", range(int(os.environ.get("KILLS", "4"))))
def test_runs_that_are_broken_off_at_any_request(
    runs: Runs, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever was sent before the end of each run, no question is asked twice, and
    each gets its reply.

    A run is broken off as by a kill, as no task of it takes another step. The modes and
    the number of questions vary, some runs are two at once, and in each an answer to
    one kind of request is wrong for a while.
    """
    random = Random(seed)
    monkeypatch.setattr(batch_submission, "_MOST_REQUESTS", 3)
    server = runs.server
    for _ in range(8):
        left = random.randint(1, 6)

        def happens(event: str) -> bool:
            nonlocal left
            left -= 1
            if left == 0:
                loop = runs.runner.get_loop()
                loop.call_soon_threadsafe(
                    lambda: [task.cancel() for task in asyncio.all_tasks(loop)]
                )
            return left <= 0

        event = random.choice(["upload", "create", "list", "poll", "download"])
        faults = [
            *MISREAD.values(),
            *map(status, (400, 429, 500)),
            *(SHORT.values() if event == "download" else ()),
        ]
        server.alter = times(random.randint(0, 3), event, random.choice(faults))
        server.polls, server.happens = random.randint(1, 3), happens
        with suppress(asyncio.CancelledError):
            mode = random.choice([WAIT, WAIT, SUBMIT, COLLECT])
            runs.both(mode) if random.random() < 0.4 else runs.run(
                mode, random.randint(1, COUNT)
            )
    server.happens, server.alter = lambda event: None, lambda event, answer: answer
    assert counted(runs.run(WAIT, COUNT + 2)) == {"reply": COUNT + 2}
    assert len(server.asked) == COUNT + 2
    assert set(server.asked.values()) == {1}
    assert runs.rows("reserved") == 0


@OF_BOTH
def test_a_cancelled_batch_is_not_submitted_again(runs: Runs) -> None:
    runs.server.end = "cancelled"
    runs.server.share = 0.0 if runs.target == OPENAI else 1.0
    assert "reply" not in counted(runs.run(WAIT))
    assert len(runs.server.made) == 1


@OF_BOTH
def test_a_creation_without_an_answer(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_llmarith.models.batch_providers._CALL_S", 1.5)
    monkeypatch.setattr("pytest_llmarith.models.batch_providers._UPLOAD_S", 1.5)
    runs.server.happens = lambda event: (
        runs.server.events.count(event) == 1 and event == "created"
    )
    assert counted(runs.run(WAIT)) == {"reply": COUNT}
    assert len(runs.server.made) == 1
    runs.server.happens = lambda event: (
        runs.server.events.count(event) == 2 and event == "create"
    )
    assert counted(runs.run(WAIT, COUNT + 3)) == {"reply": COUNT + 3}
    assert [len(made.calls) for made in runs.server.made] == [COUNT, 3]


CREATED: dict[str, Fault] = {
    **{f"{code}": status(code) for code in (400, 409, 429, 500)},
    "a page": MISREAD["a page"],
    "no fields": MISREAD["no fields"],
}


@OF_BOTH
@pytest.mark.parametrize("case", CREATED)
def test_a_wrong_answer_to_a_creation_that_took_place(runs: Runs, case: str) -> None:
    """The batch is found, also if the first answers to the look are wrong, too; no
    question is paid for twice.
    """
    create, look = (
        times(1, "create", CREATED[case]),
        times(1, "list", body(b"<html>Sorry</html>", "text/html")),
    )
    runs.server.alter = lambda event, answer: look(event, create(event, answer))
    assert counted(runs.run(WAIT)) == {"reply": COUNT}
    assert (set(runs.server.asked.values()), len(runs.server.made)) == ({1}, 1)


# Status of a creation that does not take place, whether the batch is looked for, and
# how often a run with one retry sends it.
REFUSED = {400: (True, 1), 429: (True, 2), 401: (False, 1), 404: (False, 1)}


@pytest.mark.parametrize("code", REFUSED)
def test_a_creation_that_is_refused(runs: Runs, code: int) -> None:
    def happens(event: str) -> None:
        if event == "create":
            raise refusal(code)

    runs.server.happens = happens
    assert str(code) in only(runs.run(WAIT))
    looked, sent = REFUSED[code]
    assert runs.server.events.count("create") == sent
    assert ("list" in runs.server.events) == looked
    assert (runs.rows("reserved"), runs.rows("batches")) == (0, 0)
    runs.server.happens = lambda event: None
    assert counted(runs.run(WAIT)) == {"reply": COUNT}
    assert set(runs.server.asked.values()) == {1}


def refusal(code: int) -> web.HTTPException:
    answer = status(code)(web.Response())
    made = web.HTTPException(text=answer.text, content_type="application/json")
    made.set_status(code)
    return made


def test_a_call_is_repeated_as_a_question_is(runs: Runs) -> None:
    refused = 0

    def happens(event: str) -> None:
        nonlocal refused
        if event == "upload" and refused < 4:
            refused += 1
            raise refusal(code)

    runs.server.happens = happens
    code = 429
    assert counted(runs.run(WAIT)) == {"reply": COUNT}
    refused, code = 0, 500
    assert "500" in only(runs.run(WAIT, COUNT + 1)[COUNT:])
    assert refused == 2


@OF_ANTHROPIC
def test_a_batch_is_not_given_up_while_its_results_cannot_be_read(runs: Runs) -> None:
    """Of a batch without metadata only its results tell whether it is the one that was
    perhaps created.
    """
    runs.server.polls = 0
    runs.server.alter = times(1, "create", status(429))
    pages = times(math.inf, "download", MISREAD["a page"])
    create = runs.server.alter
    runs.server.alter = lambda event, answer: pages(event, create(event, answer))
    assert "cannot be read" in only(runs.run(WAIT))
    assert runs.rows("reserved") == COUNT
    runs.server.alter = lambda event, answer: answer
    assert counted(runs.run(WAIT)) == {"reply": COUNT}
    assert (set(runs.server.asked.values()), len(runs.server.made)) == ({1}, 1)


def test_a_cap_counts_the_worst_case_of_all_batches(runs: Runs) -> None:
    """What is refused is not uploaded, and the message says which cap is enough; that
    one is.
    """
    refused = only(
        runs.run(SUBMIT, max_cost_usd={OPENAI: 1e-4, ANTHROPIC: 1e-3}[runs.target])
    )
    assert runs.server.events == []
    enough = float(refused.partition("write --llm-max-cost=")[2].split(",")[0])
    assert "in a batch" in only(runs.run(SUBMIT, max_cost_usd=enough))
    assert "--llm-max-total-tokens=9:" in only(
        runs.run(SUBMIT, COUNT + 1, max_tokens=9)
    )
    assert len(runs.server.made) == 1


def test_an_outage_and_a_refused_key(runs: Runs) -> None:
    runs.server.polls = 3
    runs.run(SUBMIT)
    runs.server.go_away(0.3)
    assert counted(runs.run(WAIT)) == {"reply": COUNT}
    runs.run(SUBMIT, COUNT + 1)
    runs.server.made.pop()
    runs.age()
    assert counted(runs.run(COLLECT, COUNT + 1))["reply"] == COUNT
    assert "404" in runs.said[-1]
    assert "llmarith batch cancel --forget" in runs.said[-1]
    assert runs.rows("reserved") == 1


def test_a_batch_that_fails_whole(runs: Runs) -> None:
    runs.server.end, runs.server.errors = (
        "failed",
        [{"code": "invalid", "message": "line 3 is bad", "line": 3}],
    )
    assert only(runs.run(WAIT)) == f"{OPENAI}: the batch failed: line 3 is bad"
    assert len(runs.server.made) == 1
    runs.server.errors = [
        {"code": "token_limit_exceeded", "message": "enqueued token limit"}
    ]
    sizes: list[int] = []

    def happens(event: str) -> None:
        if event == "poll":
            made = runs.server.made[-1]
            made.end = "failed" if len(made.calls) > 2 else "completed"

    runs.server.happens = happens
    assert counted(runs.run(WAIT)) == {"reply": COUNT}
    sizes = [len(made.calls) for made in runs.server.made[1:]]
    assert sizes[0] == COUNT
    assert max(sizes[-3:]) <= 2


def test_a_single_question_that_is_too_long_is_not_split(runs: Runs) -> None:
    runs.server.end = "failed"
    runs.server.errors = [
        {"code": "token_limit_exceeded", "message": "enqueued token limit"}
    ]
    reason = "the batch failed: enqueued token limit"
    assert only(runs.run(WAIT, 1)) == f"{OPENAI}: {reason}"
    assert len(runs.server.made) == 2


@OF_MISTRAL
def test_a_batch_whose_owner_is_unclear_is_never_created_again(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of Mistral's batches litellm cannot make a list: the run stops, always, with one
    line that names a way out.
    """
    monkeypatch.setenv("MISTRAL_API_KEY", "sk-mistral-of-the-tests")
    runs.break_off(creating=True)
    for mode in BatchMode:
        assert "llmarith batch cancel --forget" in only(runs.run(mode, 1))
    assert runs.rows("reserved") == 1
    assert runs.server.events == []


def test_the_end_of_a_run_does_not_wait_for_its_batch(runs: Runs) -> None:
    runs.server.polls = 10**6

    async def run() -> None:
        broker = runs.broker(WAIT)
        broker.plan([Question("m", "q", 0)])
        waiting = asyncio.create_task(broker.batch())
        while not runs.server.events.count("poll"):
            await asyncio.sleep(0.01)
        await broker.close(drain_s=10_000.0)
        assert isinstance(await waiting, Failure)

    asyncio.run(run())
    assert runs.rows("reserved") == 1


@OF_BOTH
def test_results_hold_no_key(runs: Runs) -> None:
    runs.run(WAIT)
    content = json.dumps(runs.said).encode() + runs.path.read_bytes()
    assert b"of-the-tests" not in content
