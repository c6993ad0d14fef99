"""A provider that answers every question after 50 ms, in a process of its own: `python -m perf.provider`.

Prints its base URL and serves until its standard input closes.
"""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import Iterator

from aiohttp import web

DELAY_S = 0.05
_REPLY = {
    "id": "1",
    "object": "chat.completion",
    "created": 1,
    "model": "stub",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "42"}}],
    "usage": {"prompt_tokens": 30, "completion_tokens": 1, "total_tokens": 31},
}


@contextlib.contextmanager
def provider() -> Iterator[str]:
    """The base URL of a provider that runs as long as the block does."""
    with subprocess.Popen(
        [sys.executable, "-m", "perf.provider"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate()


async def _answer(request: web.Request) -> web.Response:
    await request.read()
    await asyncio.sleep(DELAY_S)
    return web.json_response(_REPLY)


async def _serve() -> None:
    application = web.Application()
    application.router.add_post("/v1/chat/completions", _answer)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    print(f"http://{host}:{port}/v1", flush=True)  # noqa: T201  # the parent reads it
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(_serve())
