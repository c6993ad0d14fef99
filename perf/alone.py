"""820 questions without pytest, broker and store, as a lower bound:

`python -m perf.alone URL litellm|aiohttp`.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterable

from pytest_llmarith.tasks import addition, arithmetic
from pytest_llmarith.tasks.checks import problems_of
from pytest_llmarith.types import Prompt

IN_FLIGHT = 64
BENCHES = ("benches/test_arithmetic.py", "benches/test_integer_addition.py")


def _prompts() -> list[Prompt]:
    """Those of `BENCHES`."""
    problems = [
        *problems_of(arithmetic.task(), 0, 10),
        *problems_of(addition.TASK, 0, 100),
    ]
    return [problem.prompt for problem in problems]


async def _ask_all(
    ask: Callable[[Prompt], Awaitable[object]], prompts: Iterable[Prompt]
) -> None:
    places = asyncio.Semaphore(IN_FLIGHT)

    async def ask_in_place(prompt: Prompt) -> None:
        async with places:
            await ask(prompt)

    await asyncio.gather(*map(ask_in_place, prompts))


async def _through_litellm(url: str) -> None:
    from pytest_llmarith.models.asking import Transport
    from pytest_llmarith.models.client import Client
    from pytest_llmarith.types import Model

    client, model = (
        Client(transport=Transport.LITELLM),
        Model("stub", "openai/stub", api_base=url),
    )
    client.prepare(model)
    await _ask_all(
        lambda prompt: client.complete(model, prompt, timeout_s=60), _prompts()
    )
    await client.close()


async def _through_aiohttp(url: str) -> None:
    import aiohttp

    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0)
    ) as session:

        async def ask(prompt: Prompt) -> object:
            body = {"model": "stub", "messages": [{"role": "user", "content": prompt}]}
            async with session.post(f"{url}/chat/completions", json=body) as response:
                return await response.json()

        await _ask_all(ask, _prompts())


if __name__ == "__main__":
    asyncio.run(
        {"litellm": _through_litellm, "aiohttp": _through_aiohttp}[sys.argv[2]](
            sys.argv[1]
        )
    )
