"""Batches: what is sent once more and what never, after every way in which a batch may
end.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from aiohttp import web

from pytest_llmarith.models import batches, replies_in, retry
from pytest_llmarith.models.batches import BatchError, Batches
from pytest_llmarith.models.broker import Broker
from pytest_llmarith.models.client import Client
from pytest_llmarith.models.planner import Planned
from pytest_llmarith.models.question_files import QuestionFile, write
from pytest_llmarith.models.reservations import Locked, Reservations
from pytest_llmarith.models.store import RunStore, StoreError, key_of
from pytest_llmarith.records import Reply
from pytest_llmarith.types import (
    Failure,
    Message,
    Model,
    Price,
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
    body,
    in_progress,
    status,
    times,
)
from tests.llm_server import Answer, Call

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # as in the command
    pytest.mark.usefixtures("litellm_collected"),
]

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
    monkeypatch.setattr(retry, "FIRST_PAUSE_S", 0.02)
    monkeypatch.setattr(batches, "SETTLED_S", 0.2)


class Runs:
    """Commands one after the other or at once, on one store and one server."""

    def __init__(self, server: BatchServer, path: Path, target: str) -> None:
        self.server = server
        self.path = path
        self.said: list[str] = []
        self.target = target
        self.params: dict[str, Any] = {"max_tokens": 100}
        self.runner = asyncio.Runner()

    @property
    def model(self) -> Model:
        return Model("m", self.target, self.params, self.server.base_url)

    def questions(self, count: int) -> list[Question]:
        return [Question("m", f"q{number}", number) for number in range(count)]

    def file(self, count: int = COUNT) -> QuestionFile:
        """A file of the first questions, as a run writes it."""
        path = self.path.with_name(f"questions-{count}.jsonl")
        path.parent.mkdir(exist_ok=True)
        planned = [
            Planned(number, key_of(self.model, one), self.model, one)
            for number, one in enumerate(self.questions(count))
        ]
        write(path, Client(), planned)
        return QuestionFile(path)

    def submit(self, count: int = COUNT, **how: Any) -> str:
        """Submit the first questions; returns why that failed."""
        return self.runner.run(self._submit(count, **how))

    async def _submit(self, count: int, **how: Any) -> str:
        with (
            closing(Reservations(self.path)) as store,
            closing(self.file(count)) as file,
        ):
            opened = Batches(store, self.said.append)
            try:
                await opened.submit(file, **how)
            except (BatchError, StoreError, Locked) as error:
                return str(error) or "locked"
            finally:
                await opened.close()
        return ""

    def collect(self) -> int:
        """Collect; returns how many batches are running."""
        return self.runner.run(self._collect())

    async def _collect(self) -> int:
        with closing(Reservations(self.path)) as store:
            opened = Batches(store, self.said.append)
            try:
                return await opened.collect()
            finally:
                await opened.close()

    def through(self, count: int = COUNT) -> Counter[str]:
        """Submit, collect until no batch is running, and what questions then have."""
        assert self.submit(count) == ""
        while self.collect():
            pass
        return self.have(count)

    def have(self, count: int = COUNT) -> Counter[str]:
        """How many questions have a reply, are in a batch, and have neither."""
        keys = [key_of(self.model, one) for one in self.questions(count)]
        with closing(Reservations(self.path)) as store:
            replies, awaited = store.fetch(keys), store.awaited(keys)
        found = Counter[str]()
        for number, key in enumerate(keys):
            if key in replies:
                text = replies[key].text
                assert text == f"reply to q{number}" or not text
                found["reply" if text else "empty"] += 1
            else:
                found["in a batch" if key in awaited else "none"] += 1
        return found

    def replies(self, count: int = COUNT) -> list[Reply]:
        keys = [key_of(self.model, one) for one in self.questions(count)]
        with closing(Reservations(self.path)) as store:
            return list(store.fetch(keys).values())

    def ask(self, count: int = COUNT) -> list[Reply | Failure]:
        """The outcomes of a run that asks these questions singly."""

        async def run() -> list[Reply | Failure]:
            store = RunStore(self.path, StoreMode.ON)
            broker = Broker(Client(), [self.model], store, RequestLimits(retries=1))
            questions = self.questions(count)
            plan = broker.plan(questions)
            self.awaited = len(plan.awaited)
            broker.announce()
            asked = (broker.ask(question) for question in questions)
            outcomes = list(await asyncio.gather(*asked))
            await broker.close()
            return outcomes

        return self.runner.run(run())

    def break_off(self, *, creating: bool) -> None:
        """Leave the store as a command that was killed directly before or after it
        began to create a batch of one question.
        """
        with closing(self.file(1)) as file, closing(Reservations(self.path)) as store:
            (key,) = file.keys
            sent = file.sent(key)
            assert sent is not None
            intent = store.reserve({key: sent})
            if creating and intent:
                store.creating(intent)

    def age(self) -> None:
        """Let the batches in the store have been created two hours earlier."""
        with closing(sqlite3.connect(self.path)) as database, database:
            database.execute("UPDATE batches SET creating_at = creating_at - 7200")

    def asked_once(self, *, batches: int = 1) -> bool:
        """Whether no question was asked twice, and none is left in a batch."""
        is_once = set(self.server.asked.values()) == {1}
        return is_once and len(self.server.made) == batches and not self.rows("awaited")

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
OF_BOTH = pytest.mark.parametrize(
    "runs",
    [OPENAI, pytest.param(ANTHROPIC, marks=pytest.mark.proof)],
    indirect=True,
)


def said(call: Call) -> str:
    return f"reply to {call.prompt}"


# --- the usual way --------------------------------------------------------------------


@OF_BOTH
def test_submit_then_collect_while_single_questions_keep_away(runs: Runs) -> None:
    """While a question is in a batch no run asks it; the reply comes with its price
    and date, and is what a later run finds.
    """
    runs.server.polls = 2
    assert runs.submit() == ""
    assert runs.submit() == ""
    outcomes = runs.ask()
    assert runs.awaited == COUNT
    assert all(
        isinstance(one, Failure) and "llmarith batch collect" in one.message
        for one in outcomes
    )
    assert runs.submit(COUNT + 2) == ""
    assert [len(made.calls) for made in runs.server.made] == [COUNT, 2]
    assert runs.collect() == 2
    assert runs.collect() == 0
    assert runs.have(COUNT + 3) == {"reply": COUNT + 2, "none": 1}
    prompt, completion = PRICES[runs.target]
    (reply, *_) = runs.ask(COUNT + 2)
    assert isinstance(reply, Reply)
    assert reply.cost_usd == pytest.approx((7 * prompt + 3 * completion) / 1e6)
    assert (reply.latency_s, reply.attempts, reply.batched) == (None, 1, True)
    assert reply.stored
    assert (reply.asked_at or "")[:2] == "20"
    assert reply.sent is not None
    assert reply.sent.messages == [Message("user", "q0")]
    assert runs.asked_once(batches=2)
    assert runs.submit() == ""
    assert len(runs.server.made) == 2


def test_a_part_of_a_file_for_an_account_that_takes_no_more(runs: Runs) -> None:
    for left in (2, 0):
        assert runs.submit(most=4) == ""
        assert runs.have()["none"] == left
    assert [len(made.calls) for made in runs.server.made] == [4, 2]


def test_repeats_with_a_seed_have_batches_of_their_own(runs: Runs) -> None:
    """Their requests differ in a parameter, which each reply's record shows."""
    model = replace(runs.model, params={"max_tokens": 9, "seed": 3})
    path = runs.path.with_name("repeats.jsonl")
    path.parent.mkdir()
    planned = []
    for repeat in range(2):
        question = Question("m", "q0", 0, repeat=repeat)
        one = model.for_question(question)
        planned.append(Planned(repeat, key_of(one, question), one, question))
    write(path, Client(), planned)

    async def both() -> dict[str, Reply]:
        with closing(Reservations(runs.path)) as store:
            opened = Batches(store, runs.said.append)
            await opened.submit(QuestionFile(path))
            while await opened.collect():
                pass
            await opened.close()
            return store.fetch([one.key for one in planned])

    replies = runs.runner.run(both())
    sent = [replies[one.key].sent for one in planned]
    assert [one.params["seed"] for one in sent if one is not None] == [3, 4]
    bodies = [call.body for made in runs.server.made for call in made.calls.values()]
    assert [one["seed"] for one in bodies] == [3, 4]


@pytest.mark.parametrize("creating", [False, True])
def test_collecting_frees_the_questions_of_a_batch_that_was_not_created(
    runs: Runs, creating: bool
) -> None:
    """Another command that submits at that moment keeps its questions."""
    runs.break_off(creating=creating)
    with closing(Reservations(runs.path)) as store, store.submitting():
        assert runs.submit(1) == "locked"
        with pytest.raises(Locked):
            runs.collect()
    if creating:
        runs.server.go_away()
        runs.collect()
        assert runs.have(1) == {"in a batch": 1}
        runs.server.come_back()
    runs.collect()
    assert (runs.server.made, runs.rows("awaited"), runs.rows("batches")) == ([], 0, 0)
    assert runs.through(1) == {"reply": 1}


def test_two_commands_at_once_ask_each_question_once(runs: Runs) -> None:
    async def both() -> list[str]:
        return list(await asyncio.gather(runs._submit(COUNT), runs._submit(COUNT + 2)))

    assert "locked" in runs.runner.run(both())
    assert runs.through(COUNT + 2) == {"reply": COUNT + 2}
    assert set(runs.server.asked.values()) == {1}


def test_a_single_question_whose_batch_is_collected_at_that_moment(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not asked, although it was not stored at first and is in no batch
    afterwards.
    """
    runs.submit(1)
    find = RunStore.find

    def look(store: RunStore, key: str) -> tuple[Reply | None, str | None]:
        with closing(Reservations(runs.path)) as other:
            for batch in other.batches():
                other.settle(
                    dict.fromkeys(other.questions(batch.intent), Reply("late"))
                )
        return find(store, key)

    monkeypatch.setattr(RunStore, "find", look)
    runs.ask(1)
    assert (runs.server.asked, runs.rows("replies")) == ({"q0": 1}, 1)


def test_replies_that_come_during_the_upload(runs: Runs) -> None:
    """No batch is created for questions that have replies."""

    def happens(event: str) -> None:
        if event == "upload":
            with closing(Reservations(runs.path)) as other:
                (batch,) = other.batches()
                other.settle(dict.fromkeys(other.questions(batch.intent), Reply("x")))

    runs.server.happens = happens
    assert "got replies meanwhile" in runs.submit()
    assert runs.server.made == []


# --- replies and their absence --------------------------------------------------------


@OF_BOTH
def test_what_expired_is_free(runs: Runs) -> None:
    """The replies that came are stored; the others may be submitted again."""
    runs.server.end, runs.server.share = "expired", 0.5
    assert runs.through() == {"reply": COUNT // 2, "none": COUNT // 2}
    assert any("expired" in line or "24 hours" in line for line in runs.said)
    runs.server.share = 1.0
    assert runs.through() == {"reply": COUNT}
    assert [len(made.calls) for made in runs.server.made] == [COUNT, COUNT // 2]


@OF_BOTH
@pytest.mark.parametrize("code", [500, 400])
def test_what_failed_is_said_and_free(runs: Runs, code: int) -> None:
    runs.answers["answer"] = lambda call: (  # type: ignore[attr-defined]
        Answer(status=code) if call.prompt == "q1" else said(call)
    )
    assert runs.through() == {"reply": COUNT - 1, "none": 1}
    assert f"{code}" in runs.said[-1]
    assert "--llm-questions-out" in runs.said[-1]
    assert set(runs.server.asked.values()) == {1}


@pytest.mark.parametrize(
    "runs", ["hosted_vllm/x", "mistral/mistral-small-latest"], indirect=True
)
def test_a_model_without_a_batch_price(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its cost is unknown, not half of another price; a cap needs a price."""
    monkeypatch.setenv("MISTRAL_API_KEY", "sk-mistral-of-the-tests")
    assert "write --price=IN,OUT" in runs.submit(most_usd=1.0)
    assert runs.server.events == []
    assert runs.submit(most_usd=1.0, price=Price(1.0, 2.0)) == ""
    assert runs.through() == {"reply": COUNT}
    assert {reply.cost_usd for reply in runs.replies()} == {None}


@OF_BOTH
def test_a_cap_counts_the_worst_case(runs: Runs) -> None:
    """What is refused is not uploaded, and the message says which cap is enough; that
    one is.
    """
    refused = runs.submit(most_usd={OPENAI: 1e-4, ANTHROPIC: 1e-3}[runs.target])
    assert runs.server.events == []
    enough = float(refused.partition("write --max-cost=")[2].split(",")[0])
    assert runs.submit(most_usd=enough) == ""
    assert len(runs.server.made) == 1


@OF_ANTHROPIC
def test_no_cap_holds_for_web_searches(runs: Runs) -> None:
    """As for single questions."""
    runs.params["tools"] = [{"type": "web_search_20250305", "name": "web_search"}]
    assert "bills web searches" in runs.submit(most_usd=1000.0)
    assert runs.server.events == []


def test_a_filtered_question_has_a_reply(runs: Runs) -> None:
    """As a single question has."""
    error = {"code": "content_filter", "message": "filtered"}
    runs.answers["answer"] = lambda call: Answer(status=400, error=error)  # type: ignore[attr-defined]
    assert runs.through() == {"empty": COUNT}
    assert {one.finish_reason for one in runs.replies()} == {"content_filter"}


def key_in(line: bytes) -> Any:
    return json.loads(line)["custom_id"]


def failed(line: bytes) -> bytes:
    """A line of results, as that of a question that failed."""
    error = {"type": "api_error", "code": "request_timeout", "message": "failed"}
    row = {"custom_id": key_in(line), "response": None, "error": error}
    if "result" in json.loads(line):
        row["result"] = {"type": "errored", "error": {"error": error}}
    return json.dumps(row).encode()


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
    assert runs.through() == {"reply": COUNT - 1, "in a batch": 1}
    runs.server.change = lambda lines: lines
    assert runs.through() == {"reply": COUNT}
    assert runs.asked_once()


WRONG = {
    **{f"download: {name}": ("download", fault) for name, fault in SHORT.items()},
    "download: a page": ("download", MISREAD["a page"]),
    "download: bad gzip": ("download", MISREAD["bad gzip"]),
    "poll: a page": ("poll", MISREAD["a page"]),
    "poll: null": ("poll", MISREAD["null"]),
    "poll: not known yet": ("poll", status(404)),
}


@OF_BOTH
@pytest.mark.parametrize("case", WRONG)
def test_an_answer_that_is_wrong_for_a_while(runs: Runs, case: str) -> None:
    """The results are late, not missing: the questions stay in the batch, a line says
    what to do, and nothing is paid twice.
    """
    runs.server.polls = 0
    runs.submit()
    runs.server.alter = times(math.inf, *WRONG[case])
    runs.collect()
    assert runs.submit() == ""
    (line,) = [line for line in runs.said if "stay in the batch" in line]
    assert "llmarith batch cancel --forget" in line
    have = runs.have()
    assert have["none"] == 0
    assert have["in a batch"] == runs.rows("awaited") > 0
    runs.server.alter = lambda event, answer: answer
    runs.collect()
    assert runs.have() == {"reply": COUNT}
    assert runs.asked_once()


def test_a_status_that_goes_back(runs: Runs) -> None:
    """Such as that of a batch which has ended with half of its lines, then is in
    progress, then has ended.
    """
    server, short = runs.server, times(1, "download", SHORT["half of the lines"])

    def alter(event: str, answer: web.Response) -> web.Response:
        if event == "poll" and server.events.count(event) == 2:
            return in_progress(answer)
        return short(event, answer)

    server.polls, server.alter = 0, alter
    runs.submit()
    assert [runs.collect() for _ in range(3)] == [0, 1, 0]
    assert runs.have() == {"reply": COUNT}
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
    """Also when the results are read a second time."""
    server, as_polled = runs.server, runs.server._openai
    server.polls = 0
    for case, (end, counts, good, bad, is_free) in COUNTS.items():
        runs.path = runs.path.with_name(f"{case}.sqlite")
        server.end = end
        monkeypatch.setattr(server, "_openai", as_polled)
        runs.submit()
        rows = list(server._made_rows(server.made[-1]))
        errors = [
            json.loads(failed(json.dumps(row).encode())) for row in rows[COUNT - bad :]
        ]
        server.made[-1].rows = rows[:good] + errors
        told = {
            "output_file_id": f"output-{server.made[-1].id}" if good else None,
            "error_file_id": f"errors-{server.made[-1].id}" if bad else None,
            "request_counts": counts
            and dict(zip(("total", "completed", "failed"), counts, strict=True)),
        }
        monkeypatch.setattr(
            server, "_openai", lambda made, told=told: as_polled(made) | told
        )
        for _ in range(2):
            runs.collect()
            left = 0 if is_free else COUNT - good
            assert (case, runs.have()["reply"]) == (case, good)
            assert (case, runs.rows("awaited")) == (case, left)


def test_an_empty_file_of_errors_is_no_error(runs: Runs) -> None:
    runs.server.has_error_file = True
    assert runs.through() == {"reply": COUNT}


@OF_BOTH
def test_a_reply_that_cannot_be_used_is_said(runs: Runs) -> None:
    def change(lines: Lines) -> Lines:
        row = json.loads(lines[0])
        if runs.target == OPENAI:
            row["response"]["body"]["choices"] = []
        else:
            row["result"]["message"] = {"content": 7}
        return [failed(lines[0]), json.dumps(row).encode(), *lines[1:]]

    runs.server.change = change
    assert runs.through() == {"reply": COUNT - 1, "none": 1}
    assert "1 without" in runs.said[-1]


@OF_ANTHROPIC
def test_a_redirect_creates_no_batch(runs: Runs) -> None:
    def happens(event: str) -> None:
        raise web.HTTPTemporaryRedirect("http://127.0.0.1:9/v1")

    runs.server.happens = happens
    assert "redirected" in runs.submit()
    assert (runs.server.events, runs.rows("awaited")) == (["create"], 0)


def test_results_are_never_too_long_to_read(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch has so few questions that the longest replies to all of them can be
    read.
    """
    monkeypatch.setattr(batches, "LARGEST_RESULTS", 4 * 5 * 100)
    assert runs.through() == {"reply": COUNT}
    assert [len(made.calls) for made in runs.server.made] == [4, 2]


@OF_BOTH
def test_a_command_that_ends_amid_the_results_has_stored_the_first(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next one reads the results again, and stores the others."""
    monkeypatch.setattr(replies_in, "_PER_WRITE", 2)
    settle = Reservations.settle
    writes = Counter[str]()

    def fail(store: Reservations, replies: Mapping[str, Reply]) -> int:
        writes["all"] += 1
        if writes["all"] == 3:
            raise StoreError("disk full")
        return settle(store, replies)

    runs.server.polls = 0
    runs.submit()
    monkeypatch.setattr(Reservations, "settle", fail)
    with pytest.raises(StoreError, match="disk full"):
        runs.collect()
    assert (runs.rows("replies"), runs.rows("awaited")) == (4, 2)
    runs.collect()
    assert runs.have() == {"reply": COUNT}
    assert runs.asked_once()


@OF_BOTH
@pytest.mark.proof
@pytest.mark.parametrize("seed", range(int(os.environ.get("KILLS", "4"))))
def test_commands_that_are_broken_off_at_any_request(
    runs: Runs, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever was sent before the end of each command, no question is asked twice,
    and each gets its reply.

    A command is broken off as by a kill, as no task of it takes another step. In each
    an answer to one kind of request is wrong for a while.
    """
    random = Random(seed)
    monkeypatch.setattr(batches, "_MOST_REQUESTS", 3)
    server = runs.server
    for _ in range(12):
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
        server.polls, server.happens = random.randint(0, 2), happens
        with suppress(asyncio.CancelledError, Locked):
            if random.random() < 0.5:
                runs.submit(random.randint(1, COUNT))
            else:
                runs.collect()
    server.happens, server.alter = lambda event: None, lambda event, answer: answer
    for _ in range(20):  # batches whose owner is known when others have ended
        runs.submit(COUNT + 2)
        runs.collect()
    assert runs.have(COUNT + 2) == {"reply": COUNT + 2}
    assert len(server.asked) == COUNT + 2
    assert set(server.asked.values()) == {1}
    assert runs.rows("awaited") == 0


# --- creation -------------------------------------------------------------------------


@OF_BOTH
def test_a_creation_without_an_answer(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_llmarith.models.batch_providers._CALL_S", 1.5)
    monkeypatch.setattr("pytest_llmarith.models.batch_providers._UPLOAD_S", 1.5)
    runs.server.happens = lambda event: (
        runs.server.events.count(event) == 1 and event == "created"
    )
    assert runs.through() == {"reply": COUNT}
    assert len(runs.server.made) == 1
    runs.server.happens = lambda event: (
        runs.server.events.count(event) == 2 and event == "create"
    )
    assert runs.through(COUNT + 3) == {"reply": COUNT + 3}
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
    assert runs.submit() == ""
    while runs.collect() or runs.rows("awaited"):
        pass
    assert runs.have() == {"reply": COUNT}
    assert (set(runs.server.asked.values()), len(runs.server.made)) == ({1}, 1)


@pytest.mark.parametrize("drift_days", [-400, -3, 3])
def test_a_lost_answer_of_a_provider_without_metadata_and_with_a_wrong_clock(
    runs: Runs, drift_days: int
) -> None:
    """Its batch is found by the questions in its results."""
    lose = times(1, "create", status(500))

    def alter(event: str, answer: web.Response) -> web.Response:
        for made in runs.server.made:
            made.metadata = {}
            made.created_at += drift_days * 86_400
        return lose(event, answer)

    runs.server.alter = alter
    runs.server.polls = 0
    assert runs.submit() == ""
    runs.collect()
    assert runs.have() == {"reply": COUNT}
    assert (set(runs.server.asked.values()), len(runs.server.made)) == ({1}, 1)


@OF_BOTH
def test_a_key_in_the_id_of_a_batch_is_not_written(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The batch is looked for each time."""
    make = runs.server._make

    def named(*arguments: Any) -> Any:
        made = make(*arguments)
        made.id = f"batch-{os.environ['OPENAI_API_KEY']}"
        return made

    monkeypatch.setattr(runs.server, "_make", named)
    runs.server.polls = 2
    runs.submit()
    kept = [file for file in runs.path.parent.iterdir() if file.is_file()]
    assert b"of-the-tests" not in b"".join(file.read_bytes() for file in kept)
    while runs.collect() or runs.rows("awaited"):
        pass
    assert runs.have() == {"reply": COUNT}
    assert runs.asked_once()
    assert "of-the-tests" not in "\n".join(runs.said)


# Status of a creation that does not take place, whether the batch is looked for, and
# how often it is sent.
REFUSED = {400: (True, 1), 429: (True, 13), 401: (False, 1), 404: (False, 1)}


@pytest.mark.parametrize("code", REFUSED)
def test_a_creation_that_is_refused(
    runs: Runs, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "SETTLED_S", 0.0)

    def happens(event: str) -> None:
        if event == "create":
            raise refusal(code)

    runs.server.happens = happens
    assert str(code) in runs.submit()
    looked, sent = REFUSED[code]
    assert runs.server.events.count("create") == sent
    assert ("list" in runs.server.events) == looked
    assert (runs.rows("awaited"), runs.rows("batches")) == (0, 0)
    runs.server.happens = lambda event: None
    assert runs.through() == {"reply": COUNT}
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
    assert runs.through() == {"reply": COUNT}
    refused, code = 0, 500
    assert "500" in runs.submit(COUNT + 1)
    assert (refused, runs.rows("awaited")) == (4, 0)


@OF_ANTHROPIC
def test_a_batch_is_not_given_up_while_its_results_cannot_be_read(runs: Runs) -> None:
    """Of a batch without metadata only its results tell whether it is the one that was
    perhaps created.
    """
    runs.server.polls = 0
    create = times(1, "create", status(429))
    pages = times(math.inf, "download", MISREAD["a page"])
    runs.server.alter = lambda event, answer: pages(event, create(event, answer))
    assert "cannot be read" in runs.submit()
    assert runs.rows("awaited") == COUNT
    runs.server.alter = lambda event, answer: answer
    assert runs.through() == {"reply": COUNT}
    assert (set(runs.server.asked.values()), len(runs.server.made)) == ({1}, 1)


def test_a_batch_that_is_gone_or_failed(runs: Runs) -> None:
    runs.submit()
    gone = runs.server.made.pop()
    runs.collect()
    assert "404" in runs.said[-1]
    assert "llmarith batch cancel --forget" in runs.said[-1]
    assert runs.have() == {"in a batch": COUNT}
    runs.server.made.append(gone)
    gone.end = "failed"
    runs.server.errors = [{"code": "invalid", "message": "line 3 is bad", "line": 3}]
    runs.collect()
    assert "the batch failed: line 3 is bad" in runs.said[-1]
    assert runs.have() == {"none": COUNT}


@pytest.mark.parametrize("runs", ["mistral/mistral-small-latest"], indirect=True)
def test_a_batch_whose_owner_is_unclear_is_never_created_again(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of Mistral's batches litellm cannot make a list: one line names a way out."""
    monkeypatch.setenv("MISTRAL_API_KEY", "sk-mistral-of-the-tests")
    runs.break_off(creating=True)
    assert "llmarith batch cancel --forget" in runs.submit(1)
    runs.collect()
    assert "llmarith batch cancel --forget" in runs.said[-1]
    assert runs.rows("awaited") == 1
    assert runs.server.events == []


@OF_BOTH
def test_nothing_holds_a_key(runs: Runs) -> None:
    runs.through()
    files = [file for file in runs.path.parent.iterdir() if file.is_file()]
    content = json.dumps(runs.said).encode()
    content += b"".join(file.read_bytes() for file in files)
    assert b"of-the-tests" not in content
