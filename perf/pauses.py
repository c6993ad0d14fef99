"""The longest step of the broker's loop while a provider answers with huge bodies.

As a program it serves them.

During a step no other request goes on. A step is measured in processor time, which
other programs do not lengthen.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

from aiohttp import web

from perf.measures import Measure
from pytest_llmarith.models.broker import Broker
from pytest_llmarith.models.client import Client
from pytest_llmarith.models.store import RunStore
from pytest_llmarith.types import Model, Question, RequestLimits, StoreMode

MOST_S = 0.05
_MEGABYTES = 100
_QUESTIONS = 4  # of each kind, one after the other


def _bytes(unit: bytes, megabytes: int = _MEGABYTES) -> bytes:
    return unit * (megabytes * 1_000_000 // len(unit))


def _bomb(megabytes: int) -> bytes:
    return gzip.compress(bytes(megabytes * 1_000_000), 1)


def _reply(text: str) -> bytes:
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": text},
    }
    reply = {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "stub",
        "choices": [choice],
    }
    return json.dumps(reply).encode()


# The status and the body by name; what is no reply is bounded.
_NO_REPLIES: dict[str, tuple[int, Callable[[], bytes]]] = {
    "500, letters": (500, lambda: _bytes(b"x")),
    "500, HTML": (500, lambda: _bytes(b"<p>Error: the server said aB3</p>\n")),
    "500, JSON": (
        500,
        lambda: b'{"error": {"message": "' + _bytes(b"Error: ") + b'"}}',
    ),
    "500, gzip of 1 GB": (500, lambda: _bomb(1000)),
    "429, spaces": (429, lambda: _bytes(b" ")),
    "200, HTML": (200, lambda: _bytes(b"<p>Error: </p>\n")),
    "200, HTML of 30 MB": (200, lambda: _bytes(b"<p>Error: </p>\n", 30)),
    "200, gzip of 1 GB": (200, lambda: _bomb(1000)),
    "200, gzip of 33 MB": (200, lambda: _bomb(33)),
}
_REPLIES: dict[str, tuple[int, Callable[[], bytes]]] = {
    "a reply of 1 MB": (200, lambda: _reply("7" * 1_000_000)),
    "a reply of 30 MB": (200, lambda: _reply("7" * 30_000_000)),
    "JSON of 30 MB without choices": (
        200,
        lambda: b'{"x": "' + _bytes(b"Error: ", 30) + b'"}',
    ),
}


def measure() -> list[Measure]:
    """The longest step, bounded for what is no reply."""
    with _served() as url, tempfile.TemporaryDirectory() as folder:
        steps = asyncio.run(_steps(url, Path(folder)))
    worst = max(_NO_REPLIES, key=lambda name: steps[name])
    said = (
        f"longest step of the broker, worst of {len(_NO_REPLIES)} bodies that are "
        f"no reply: {worst}"
    )
    bounded = Measure(said, 1000 * steps[worst], "ms", at_most=1000 * MOST_S)
    return [
        bounded,
        *(
            Measure(f"longest step for {name}", 1000 * steps[name], "ms")
            for name in _REPLIES
        ),
    ]


async def _steps(url: str, folder: Path) -> dict[str, float]:
    """Seconds of the longest step by the body; each kind is asked once before, as
    litellm imports parts of it late.
    """
    steps: dict[str, float] = {}
    client = Client()
    client.prepare(Model("stub", "openai/stub", api_base=url))
    for number, name in enumerate({**_NO_REPLIES, **_REPLIES}):
        model = Model("stub", "openai/stub", api_base=f"{url}/{number}")
        broker = Broker(
            client,
            [model],
            RunStore(folder / f"{number}.sqlite", StoreMode.ON),
            RequestLimits(timeout_s=120, retries=0),
        )
        await broker.ask(Question("stub", "warm up", 0))
        async with _measured(steps, name):
            for trial in range(_QUESTIONS):
                await broker.ask(Question("stub", "1 + 1", trial))
        await broker.close()
    return steps


@contextlib.asynccontextmanager
async def _measured(steps: dict[str, float], name: str) -> AsyncIterator[None]:
    steps[name] = 0.0

    async def watch() -> None:
        while True:
            began = time.thread_time()
            await asyncio.sleep(0.001)
            steps[name] = max(steps[name], time.thread_time() - began)

    watching = asyncio.create_task(watch())
    yield
    watching.cancel()


@contextlib.contextmanager
def _served() -> Iterator[str]:
    with subprocess.Popen(
        [sys.executable, "-m", "perf.pauses"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate()


async def _serve() -> None:
    kinds = list({**_NO_REPLIES, **_REPLIES}.items())
    made: dict[int, bytes] = {}

    async def answer(request: web.Request) -> web.Response:
        number = int(request.match_info["number"])
        name, (status, body) = kinds[number]
        if number not in made:
            made.clear()
            made[number] = body()
        headers = {"Content-Encoding": "gzip"} if "gzip" in name else {}
        return web.Response(
            body=made[number],
            status=status,
            headers=headers,
            content_type="application/json",
        )

    application = web.Application()
    application.router.add_post("/{number}/chat/completions", answer)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    print(f"http://{host}:{port}", flush=True)  # noqa: T201  # the parent reads it
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(_serve())
