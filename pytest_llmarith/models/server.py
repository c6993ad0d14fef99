"""The main program of the broker's process, which `models.process` starts.

It reads a line of setup and then messages from standard input, and writes messages to
standard output.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import warnings
from collections.abc import AsyncIterable, Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import msgspec

from pytest_llmarith.models import redact
from pytest_llmarith.models.broker import Broker
from pytest_llmarith.models.client import Client
from pytest_llmarith.models.fake import starter_sequences
from pytest_llmarith.models.process import KINDS, Setup, decoded, encoded
from pytest_llmarith.models.providers import dotenv_variables, unusable_key, with_dotenv
from pytest_llmarith.models.store import RunStore
from pytest_llmarith.records import Reply
from pytest_llmarith.types import Failure, Plan, Progress, Question

# How long to wait for requests in flight if the controller is gone.
ORPHAN_DRAIN_S = 60.0
_LONGEST_LINE = 2**31  # a plan has all questions in one line

Write = Callable[..., None]  # of words, the last of them JSON


class Server:
    """Dispatches the controller's messages to the broker."""

    def __init__(self, setup: Setup, write: Write) -> None:
        self._write = write
        self._client = Client(
            lambda: starter_sequences(setup.oeis_cache), setup.transport
        )
        self._models = {}
        for model in setup.models:
            batched = setup.batch is not None
            self._models[model.name] = replace(model, batched=batched)
        self._broker = Broker(
            self._client,
            setup.models,
            RunStore(setup.store_path, setup.store_mode),
            setup.limits,
            setup.store_mode,
            on_stop=lambda failure: write("stopped", encoded(failure)),
            batch=setup.batch,
            asks=setup.asks,
            say=lambda line: write("say", encoded(line)),
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
        elif kind == "batch":
            self._answer_later(said[0], broker.batch())
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
        for kind, type_ in KINDS.items():
            if isinstance(outcome, type_):
                self._write("answer", f"{number}", kind, encoded(outcome))

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
    os.environ.update(with_dotenv(os.environ, dotenv_variables(setup.dotenv_path)))
    for model in setup.models:
        unusable_key(model.target, os.environ)  # batches need it without spaces, too
    server = Server(
        setup, lambda *words: answers.write(f"{' '.join(words)}\n".encode())
    )
    await server.serve(lines)
    with suppress(OSError):  # the controller is gone
        await answers.drain()


if __name__ == "__main__":
    main()
