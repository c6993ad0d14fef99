"""The main program of the broker's process, which `models.process` starts.

It reads a line of setup and then messages from standard input, and writes messages to
standard output.
"""

from __future__ import annotations

import asyncio
import json
import os
import queue
import signal
import threading
import warnings
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import msgspec

from pytest_llmarith.models import redact
from pytest_llmarith.models.broker import Broker
from pytest_llmarith.models.fake import starter_sequences
from pytest_llmarith.models.llama import LlamaClient
from pytest_llmarith.models.process import KINDS, Setup, decoded, encoded
from pytest_llmarith.models.providers import dotenv_variables
from pytest_llmarith.models.store import RunStore
from pytest_llmarith.records import Reply
from pytest_llmarith.types import Failure, Plan, Question

# How long to wait for requests in flight if the controller is gone.
ORPHAN_DRAIN_S = 60.0

Write = Callable[..., None]


class Server:
    """Dispatches the controller's messages to the broker."""

    def __init__(self, setup: Setup, write: Write) -> None:
        self._write = write
        self._client = LlamaClient(
            lambda: starter_sequences(setup.oeis_cache), setup.transport
        )
        self._models = {
            model.name: replace(model, batched=setup.batch is not None)
            for model in setup.models
        }
        self._broker = Broker(
            self._client,
            setup.models,
            RunStore(setup.store_path, setup.store_mode),
            setup.limits,
            setup.store_mode,
            on_stop=lambda failure: write("stopped", encoded(failure)),
            batch=setup.batch,
            say=lambda line: write("say", line),
        )
        self._messages: asyncio.Queue[list[Any] | None] = (
            asyncio.Queue()
        )  # None at the end
        self._tasks: set[asyncio.Task[None]] = set()
        self._closing: asyncio.Task[None] | None = None

    async def serve(self, lines: Iterable[bytes]) -> None:
        """Serve until the controller closes the broker or is gone."""
        loop = asyncio.get_running_loop()

        def read() -> None:
            for line in lines:
                loop.call_soon_threadsafe(self._messages.put_nowait, json.loads(line))
            loop.call_soon_threadsafe(self._messages.put_nowait, None)

        threading.Thread(target=read, daemon=True).start()
        while (message := await self._messages.get()) is not None:
            self._received(*message)
        await (self._closing or self._broker.close(ORPHAN_DRAIN_S))
        await asyncio.gather(*self._tasks)
        self._write("closed", encoded(self._broker.progress()))

    def _received(self, kind: str, *said: Any) -> None:
        broker = self._broker
        asked: Awaitable[Reply | Failure | None]
        if kind in ("ask", "batch", "serve"):
            if kind == "ask":
                asked = self._ask(*said[1:])
            elif kind == "batch":
                asked = broker.batch()
            else:
                asked = self._serve(*said[1:])
            task = asyncio.create_task(self._answer(said[0], asked))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        elif kind == "plan":
            self._write("answer", said[0], "plan", encoded(self._plan(*said[1:])))
        elif kind == "progress":
            self._write("answer", said[0], "progress", encoded(broker.progress()))
        elif kind == "prepare":
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
            self._closing.add_done_callback(
                lambda task: self._messages.put_nowait(None)
            )
        else:
            broker.cut()

    async def _serve(self, names: list[str]) -> Failure | None:
        why = await self._client.serve(self._models[name] for name in names)
        return None if why is None else Failure(why)

    async def _ask(self, worker: str, question: dict[str, Any]) -> Reply | Failure:
        return await self._broker.ask(msgspec.convert(question, Question), worker)

    async def _answer(
        self, number: int, asked: Awaitable[Reply | Failure | None]
    ) -> None:
        """Write the outcome, or the progress if there is none."""
        try:
            outcome = await asked or self._broker.progress()
        except Exception as error:  # a bug here must not leave a test waiting
            outcome = Failure(_one_line(error))
        (kind,) = [kind for kind, type_ in KINDS.items() if isinstance(outcome, type_)]
        self._write("answer", number, kind, encoded(outcome))

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
    for name in (
        "SIGINT",
        "SIGTERM",
        "SIGHUP",
    ):  # the process ends after the controller
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    warnings.simplefilter(
        "ignore"
    )  # those of litellm and pydantic, independent of PYTHONWARNINGS
    lines, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # litellm prints to standard output
    outgoing: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def write_all() -> None:
        """Runs on a thread, so that requests continue while the controller does not
        read.
        """
        while (line := outgoing.get()) is not None:
            try:
                replies.write(f"{line}\n".encode())
                replies.flush()
            except OSError:  # the controller is gone
                return

    writer = threading.Thread(target=write_all, daemon=True)
    writer.start()

    def write(*message: Any) -> None:
        outgoing.put(json.dumps(message))

    async def serve() -> None:
        setup = decoded(lines.readline(), Setup)
        for name, value in dotenv_variables(setup.dotenv_path).items():
            os.environ.setdefault(name, value)
        await Server(setup, write).serve(lines)

    asyncio.run(serve())
    outgoing.put(None)
    writer.join()
    os._exit(0)


if __name__ == "__main__":
    main()
