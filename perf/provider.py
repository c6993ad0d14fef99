"""A provider that answers every question after 50 ms, in a process of its own:

`python -m perf.provider [MOST]`.

It takes MOST requests at a time and refuses the rest with 429. It prints its base URL
and serves until its standard input closes.
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
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "42"},
        }
    ],
    "usage": {"prompt_tokens": 30, "completion_tokens": 1, "total_tokens": 31},
}


@contextlib.contextmanager
def provider(most: int = 10**6) -> Iterator[str]:
    """The base URL of a provider that runs until the block ends, and takes `most`
    requests at a time.
    """
    with subprocess.Popen(
        [sys.executable, "-m", "perf.provider", f"{most}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate()


async def _serve(most: int) -> None:
    in_flight = 0

    async def answer(request: web.Request) -> web.Response:
        nonlocal in_flight
        await request.read()
        if in_flight >= most:
            return web.json_response(
                {"error": {"message": "too many requests at a time"}}, status=429
            )
        in_flight += 1
        await asyncio.sleep(DELAY_S)
        in_flight -= 1
        return web.json_response(_REPLY)

    application = web.Application()
    application.router.add_post("/v1/chat/completions", answer)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    print(f"http://{host}:{port}/v1", flush=True)  # noqa: T201  # the parent reads it
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1])))
