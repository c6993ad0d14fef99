"""The broker of a run: it takes questions from all workers and answers each of them
exactly once.

The request queue orders the questions, the store holds replies of earlier runs, and the
requester asks models within the limits and the budget.

This is also the main program of the broker's process, which `models.process` starts: it
reads a line of setup and then messages from standard input, and writes messages to
standard output.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
import warnings
from collections.abc import (
    AsyncIterable,
    Awaitable,
    Callable,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from pytest_llmarith.models import redact
from pytest_llmarith.models.asking import NEVER_ASKED, Plan
from pytest_llmarith.models.budget import Budget, Prices
from pytest_llmarith.models.client import Client
from pytest_llmarith.models.planner import Planner
from pytest_llmarith.models.process import KINDS, Setup, decoded, encoded
from pytest_llmarith.models.provider_errors import NotSent
from pytest_llmarith.models.providers import dotenv_variables, with_dotenv
from pytest_llmarith.models.request_queue import Entry, RequestQueue, Waiter
from pytest_llmarith.models.retry import RequestCounts, Requester
from pytest_llmarith.models.store import RunStore, StoreError, awaited_since, key_of
from pytest_llmarith.records import Reply
from pytest_llmarith.types import (
    Failure,
    FailureCode,
    Model,
    Progress,
    Prompt,
    Question,
    RequestLimits,
    StoreMode,
)

_LOG = logging.getLogger(__name__)
_SMALLEST_WINDOW = 128
_CUT_S = 0.05  # for questions that wait for a retry to end
_TOO_LATE = Failure("the run ended before the reply arrived")
# How long to wait for requests in flight if the controller is gone.
ORPHAN_DRAIN_S = 60.0
_LONGEST_LINE = 2**31  # a plan has all questions in one line

Write = Callable[..., None]  # of words, the last of them JSON


class Broker:
    """Asks models, once per question.

    `on_stop` is called when the run must end, before the waiters are answered,
    `on_ready` with the number of an announced question in the plan, and its outcome,
    unless a test waits for it. `fetched` tells which of them tests have fetched.

    A plan refuses models without a key, unless nothing `asks`.
    """

    def __init__(
        self,
        client: Client,
        models: Iterable[Model],
        store: RunStore,
        limits: RequestLimits,
        store_mode: StoreMode = StoreMode.ON,
        on_stop: Callable[[Failure], None] = lambda failure: None,
        on_ready: Callable[[int, Reply | Failure], None] = lambda number, outcome: None,
        *,
        asks: bool = True,
    ) -> None:
        self.stopped: Failure | None = None
        self._client = client
        self._models = {model.name: model for model in models}
        self._store = store
        self._store_mode = store_mode
        self._on_stop = on_stop
        self._on_ready = on_ready
        self._counts = RequestCounts()
        self._prices = Prices(client, limits.price)
        self._budget = Budget(limits, self._prices)
        self._requester = Requester(
            client,
            self._models.values(),
            limits,
            self._counts,
            self._budget,
            on_capacity=self._send_next,
        )
        self._queue = RequestQueue(window=max(_SMALLEST_WINDOW, 4 * limits.concurrency))
        # The numbers of announced keys, and announced questions with a stored reply.
        self._numbers: dict[str, list[int]] = {}
        self._stored: set[Question] = set()
        self._ready: dict[int, tuple[str, Model]] = {}  # not known to be fetched
        self._requests: set[asyncio.Task[Any]] = set()
        # Whether there is a reply to the keys whose outcome is counted.
        self._settled: dict[str, bool] = {}
        self._closed: Failure | None = None
        self._store_failure: Failure | None = None
        self._planner = Planner(
            client,
            store,
            self._prices,
            self._budget,
            asks,
            self._model,
            self._may_ask,
        )

    def progress(self) -> Progress:
        """The counts so far."""
        return self._counts.progress(
            kept=len(self._store.written), unsaved=len(self._store.unwritten)
        )

    # --- the plan ---------------------------------------------------------------------

    def plan(self, questions: Sequence[Question], later: Iterable[str] = ()) -> Plan:
        """Look up these questions in store and budget.

        `later` names models that may be asked further questions.
        """
        return self._planner.plan(questions, [self._models[name] for name in later])

    def write(self, paths: Mapping[str, str]) -> Failure | None:
        """Write the planned questions that have to be asked into files, by the name of
        their model; returns why that fails, or None.
        """
        from pytest_llmarith.models.question_files import QuestionsError, write

        for name, path in paths.items():
            planned = [one for one in self._planner.to_ask if one.model.name == name]
            try:
                write(Path(path), self._client, planned)
            except (QuestionsError, NotSent) as error:
                return Failure(f"{name}: {error}")
        return None

    def announce(self) -> None:
        """Queue the planned questions in their order, to be asked ahead while there is
        free capacity.
        """
        stored = self._planner.stored
        self._counts.numbers["announced"] += len(self._planner.planned)
        for one in self._planner.planned:
            is_stored = one.key in stored
            if is_stored and stored[one.key].stored:
                self._counts.numbers["announced_stored"] += 1
            if self._closed is None and (is_stored or self._may_ask(one.model)):
                if is_stored and one.key not in self._queue:
                    self._stored.add(one.question)
                self._queue.announce(one.key, one.question)
                self._numbers.setdefault(one.key, []).append(one.number)
        self._planner.planned, self._planner.to_ask, self._planner.stored = [], [], {}
        self._send_next()

    def _may_ask(self, model: Model) -> bool:
        return model.simulated or self._store_mode is not StoreMode.ONLY

    # --- questions --------------------------------------------------------------------

    async def ask(self, question: Question, worker: str = "") -> Reply | Failure:
        """The reply from the store or the model, or why there is none."""
        outcome = self.begin(question, worker)
        if isinstance(outcome, asyncio.Future):
            return await outcome
        return outcome

    def begin(
        self, question: Question, worker: str = ""
    ) -> Reply | Failure | asyncio.Future[Reply | Failure]:
        """What `ask` returns, or its future if the reply has not arrived."""
        model = self._model(question)
        if model is None:
            return Failure(f"there is no model named {question.model!r} in this run")
        key = self._planner.keys.pop(question, None) or key_of(model, question)
        outcome = self._take(key, model, worker)
        if outcome is None and key not in self._queue:
            outcome = self._known(key, model, question.prompt)
            if outcome is not None:
                self._settle(key, model, outcome)
        if outcome is None:
            loop = asyncio.get_running_loop()
            reply: asyncio.Future[Reply | Failure] = loop.create_future()
            self._queue.wait(key, question, Waiter(worker, reply))
            self._send_next()
            return reply
        self._send_next()
        self._stop_after_store_failure()
        return outcome

    def fetched(self, numbers: Iterable[tuple[str, int]]) -> None:
        """Workers have fetched outcomes that `on_ready` has passed on."""
        for worker, number in numbers:
            if number in self._ready:
                self._take(*self._ready.pop(number), worker)
        self._send_next()
        self._stop_after_store_failure()

    def _take(self, key: str, model: Model, worker: str) -> Reply | Failure | None:
        """Fetch the outcome of a question that was asked ahead, if it has arrived."""
        outcome = self._queue.take(key, worker)
        if isinstance(outcome, Reply):  # that of the store is not counted
            self._settle(key, model, outcome)
        return outcome

    def forget(self, worker: str) -> None:
        """Drop the waiting questions of a worker that is gone.

        Replies in flight still reach the store.
        """
        self._queue.forget(worker)
        self._send_next()

    def _settle(self, key: str, model: Model, outcome: Reply | Failure) -> None:
        """Count an outcome, unless its key has one: questions may share a reply, and a
        test that is run again asks again. A reply counts in place of a failure.
        """
        has_reply = isinstance(outcome, Reply)
        before = self._settled.get(key)
        if before or (before is False and not has_reply):
            return
        self._settled[key] = has_reply
        self._counts.settled(model, outcome, has_failed=before is False)

    def _known(self, key: str, model: Model, prompt: Prompt) -> Reply | Failure | None:
        """What is known without asking the model."""
        outcome = self._closed or self._find(key, model, prompt)
        if outcome is None and not self._may_ask(model):
            return Failure("no stored reply, and --llm-store=only asks no model")
        return outcome

    def _find(self, key: str, model: Model, prompt: Prompt) -> Reply | Failure | None:
        """The stored reply, counted in the budget, or that it is asked elsewhere; None
        if the model has to be asked.
        """
        if model.simulated:
            return None
        try:
            reply, since = self._store.find(key)
        except StoreError as error:
            return self._fail_store(error)
        if reply is None:
            return awaited_since(since) if since else None
        reply = self._prices.priced(model, reply)
        if reply.stored:
            self._budget.count(key, model, prompt, reply)
        return reply

    # --- requests ---------------------------------------------------------------------

    def _send_next(self) -> None:
        """Begin as many requests as the limits allow, and pass stored replies on."""
        while self._stored or not self._requester.is_full():
            entry = self._queue.next(self._has_capacity)
            if entry is None:
                return
            question = entry.question
            model = self._models[question.model].for_question(question)
            if question in self._stored:
                self._stored.discard(question)
                known = self._known(entry.key, model, question.prompt)
                if known is not None:
                    waiters = self._queue.arrived(entry, known)
                    self._pass_on(entry, model, known, waiters)
                    continue
            self._requester.enter(model)
            task = asyncio.create_task(self._answer(entry, model))
            self._requests.add(task)
            task.add_done_callback(partial(self._answered, model))

    def _has_capacity(self, question: Question) -> bool:
        if question in self._stored:
            return True
        return self._requester.has_capacity(self._models[question.model])

    def _model(self, question: Question) -> Model | None:
        model = self._models.get(question.model)
        return None if model is None else model.for_question(question)

    def _answered(self, model: Model, task: asyncio.Task[None]) -> None:
        self._requests.discard(task)
        self._requester.leave(model)
        self._send_next()
        self._stop_after_store_failure()

    async def _answer(self, entry: Entry, model: Model) -> None:
        try:
            outcome = await self._obtain(entry, model)
        except asyncio.CancelledError:
            outcome = _TOO_LATE
        except Exception as error:  # a bug here must not leave a test waiting
            _LOG.debug("a question failed", exc_info=True)
            why = f"{model.target}: {type(error).__name__}: {error}"
            outcome = Failure(redact.one_line(why, os.environ))
        never_asked = (
            isinstance(outcome, Failure) and outcome.code is FailureCode.NOT_ASKED
        )
        if never_asked:
            outcome = self._closed or NEVER_ASKED
        waiters = self._queue.arrived(entry, outcome)
        if waiters or not never_asked:
            self._settle(entry.key, model, outcome)
        may_stop = self._store_failure is None
        if may_stop and isinstance(outcome, Failure) and outcome.stops_run:
            self.stop(outcome)
        self._pass_on(entry, model, outcome, waiters)

    def _pass_on(
        self,
        entry: Entry,
        model: Model,
        outcome: Reply | Failure,
        waiters: Iterable[Waiter],
    ) -> None:
        """Deliver an outcome to the tests that wait for it, and to those to come."""
        _deliver(waiters, outcome)
        if entry.due:
            for number in self._numbers[entry.key][-entry.due :]:
                self._ready[number] = entry.key, model
                self._on_ready(number, outcome)

    async def _obtain(self, entry: Entry, model: Model) -> Reply | Failure:
        """The reply from the store, which another run may have added meanwhile, or from
        the model.
        """
        key, prompt = entry.key, entry.question.prompt
        if model.simulated:
            return await self._requester.request(model, prompt)
        try:
            await self._store.prepare()
        except StoreError as error:
            return self._fail_store(error)
        stored = self._find(key, model, prompt)
        if stored is not None:
            return stored
        outcome = await self._requester.request(model, prompt)
        if isinstance(outcome, Failure):
            return outcome
        reply = self._prices.priced(model, outcome)
        self._counts.paid(reply)
        try:
            await self._store.put(key, outcome)
        except StoreError as error:
            self._fail_store(error)
        return reply

    # --- the end ----------------------------------------------------------------------

    def stop(self, failure: Failure) -> None:
        """Stop asking: every test that waits or asks later gets this reason.

        Requests in flight may still finish.
        """
        if self.stopped is None:
            self.stopped = failure
            self._on_stop(failure)
            self._close(_stopping(failure), spare_in_flight=False)

    async def close(self, drain_s: float = 0.0) -> None:
        """Send no more requests, wait this long for those in flight, then cancel them
        and close the store.
        """
        self._close(NEVER_ASKED, spare_in_flight=True)
        if self._requests:
            await asyncio.wait(self._requests, timeout=max(drain_s, _CUT_S))
        self.cut()
        await asyncio.gather(*self._requests, return_exceptions=True)
        # A task may have been cancelled before its first step.
        self._abandon(_TOO_LATE, spare_in_flight=False)
        if self._store_failure is not None:
            self.stop(self._store_failure)
        await self._store.close()
        with suppress(Exception):
            await self._client.close()

    def cut(self) -> None:
        """Cancel the requests in flight, so that `close` returns."""
        for request in self._requests:
            request.cancel()

    def _close(self, failure: Failure, *, spare_in_flight: bool) -> None:
        self._closed = self._closed or failure
        self._requester.halt()
        self._abandon(self._closed, spare_in_flight=spare_in_flight)

    def _abandon(self, failure: Failure, *, spare_in_flight: bool) -> None:
        waiters = self._queue.abandon(spare_in_flight=spare_in_flight)
        self._counts.numbers["failed"] += len(waiters)
        _deliver(waiters, failure)

    def _fail_store(self, error: StoreError) -> Failure:
        """Begin no further request; those in flight may finish, and their replies can
        be fetched.
        """
        if self._store_failure is None:
            self._store_failure = Failure(str(error), stops_run=True)
            self._close(_stopping(self._store_failure), spare_in_flight=True)
        return self._store_failure

    def _stop_after_store_failure(self) -> None:
        """Stop the run once tests have fetched the replies that exist only in
        memory.
        """
        if self._store_failure is None or self._requests:
            return
        if not any(key in self._queue for key in self._store.unwritten):
            self.stop(self._store_failure)


def _deliver(waiters: Iterable[Waiter], outcome: Reply | Failure) -> None:
    for waiter in waiters:
        if not waiter.reply.done():
            waiter.reply.set_result(outcome)


def _stopping(failure: Failure) -> Failure:
    """What all other questions get if this failure ends the run."""
    return Failure(failure.message, stops_run=True, code=FailureCode.STOPPED)


# --- the process ----------------------------------------------------------------------


class Server:
    """Dispatches the controller's messages to the broker."""

    def __init__(self, setup: Setup, write: Write) -> None:
        self._write = write
        self._client = Client(setup.transport)
        self._models = {model.name: model for model in setup.models}
        self._broker = Broker(
            self._client,
            setup.models,
            RunStore(setup.store_path, setup.store_mode),
            setup.limits,
            setup.store_mode,
            on_stop=lambda failure: write("stopped", encoded(failure)),
            on_ready=partial(self._tell, "ready"),
            asks=setup.asks,
        )
        self._tasks: set[asyncio.Task[None]] = set()
        self._reading: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None

    async def serve(self, lines: AsyncIterable[bytes]) -> None:
        """Serve until the controller closes the broker or is gone."""
        self._reading = asyncio.create_task(self._read(lines))
        with suppress(asyncio.CancelledError):
            await self._reading
        await (self._closing or self._broker.close(ORPHAN_DRAIN_S))
        await asyncio.gather(*self._tasks)
        self._write("closed", encoded(self._broker.progress()))

    async def _read(self, lines: AsyncIterable[bytes]) -> None:
        async for line in lines:
            self._received(*json.loads(line))

    def _received(self, kind: str, *said: Any) -> None:
        broker = self._broker
        if kind == "ask":
            self._ask(*said)
        elif kind == "write":
            self._answer(said[0], broker.write(said[1]) or broker.progress())
        elif kind == "serve":
            self._answer_later(said[0], self._serve(*said[1:]))
        elif kind == "plan":
            self._answer(said[0], self._plan(*said[1:]))
        elif kind == "progress":
            self._answer(said[0], broker.progress())
        elif kind == "prepare":
            if not any(self._client.missing_key(one) for one in self._models.values()):
                with suppress(ImportError):  # the first question reports it
                    self._client.prepare(*self._models.values())
        elif kind == "announce":
            broker.announce()
        elif kind == "fetched":
            broker.fetched(*said)
        elif kind == "forget":
            broker.forget(*said)
        elif kind == "stop":
            broker.stop(Failure(said[0], stops_run=True))
        elif self._closing is None:
            self._closing = asyncio.create_task(broker.close(*said))
            reading = self._reading
            assert reading is not None
            self._closing.add_done_callback(lambda closed: reading.cancel())
        else:
            broker.cut()

    async def _serve(self, names: list[str]) -> Failure | None:
        why = await self._client.serve(self._models[name] for name in names)
        return None if why is None else Failure(why)

    def _ask(self, number: int, worker: str, question: dict[str, Any]) -> None:
        """Answer a question at once if its reply is there, as most are."""
        try:
            outcome = self._broker.begin(msgspec.convert(question, Question), worker)
        except Exception as error:  # a bug here must not leave a test waiting
            outcome = Failure(_one_line(error))
        if isinstance(outcome, asyncio.Future):
            self._answer_later(number, outcome)
        else:
            self._answer(number, outcome)

    def _answer_later(
        self, number: int, asked: Awaitable[Reply | Failure | None]
    ) -> None:
        """Answer with the outcome, or with the progress if there is none."""

        async def answer() -> None:
            try:
                outcome = await asked or self._broker.progress()
            except Exception as error:  # a bug here must not leave a test waiting
                outcome = Failure(_one_line(error))
            self._answer(number, outcome)

        task = asyncio.create_task(answer())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _answer(self, number: int, outcome: Reply | Failure | Plan | Progress) -> None:
        self._tell("answer", number, outcome)

    def _tell(
        self, what: str, number: int, outcome: Reply | Failure | Plan | Progress
    ) -> None:
        for kind, type_ in KINDS.items():
            if isinstance(outcome, type_):
                self._write(what, f"{number}", kind, encoded(outcome))

    def _plan(self, questions: list[dict[str, Any]], later: list[str]) -> Plan:
        try:
            return self._broker.plan(msgspec.convert(questions, list[Question]), later)
        # such as a failing import of litellm, which the first question reports
        except Exception as error:
            return Plan(error=_one_line(error))


def _one_line(error: Exception) -> str:
    return redact.one_line(f"{type(error).__name__}: {error}", os.environ)


def main() -> None:
    """Serve, and exit without Python's cleanup: collecting litellm's objects takes
    seconds.
    """
    # The process ends after the controller.
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    # Those of litellm and pydantic, independent of PYTHONWARNINGS.
    warnings.simplefilter("ignore")
    asyncio.run(_serve(os.dup(0), os.dup(1)))
    os._exit(0)


async def _serve(received: int, sent: int) -> None:
    os.dup2(2, 1)  # litellm prints to standard output
    # What a function starts must not read the controller's messages.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    loop = asyncio.get_running_loop()
    lines = asyncio.StreamReader(limit=_LONGEST_LINE)
    await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(lines), os.fdopen(received, "rb")
    )
    # Answers wait in memory while the controller does not read.
    transport, protocol = await loop.connect_write_pipe(
        asyncio.streams.FlowControlMixin, os.fdopen(sent, "wb")
    )
    transport.set_write_buffer_limits(0)
    answers = asyncio.StreamWriter(transport, protocol, None, loop)
    setup = decoded(await lines.readline(), Setup)
    sys.path += [one for one in setup.python_path if one not in sys.path]
    os.environ.update(with_dotenv(os.environ, dotenv_variables(setup.dotenv_path)))
    server = Server(
        setup, lambda *words: answers.write(f"{' '.join(words)}\n".encode())
    )
    await server.serve(lines)
    with suppress(OSError):  # the controller is gone
        await answers.drain()


if __name__ == "__main__":
    main()
