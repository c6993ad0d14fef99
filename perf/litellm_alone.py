"""The same questions through litellm alone, without pytest, as a lower bound: `python -m perf.litellm_alone URL`."""

from __future__ import annotations

import asyncio
import sys

from pytest_llmarith.models.client import Client
from pytest_llmarith.tasks import arithmetic
from pytest_llmarith.types import Model

IN_FLIGHT = 64


async def _ask_all(url: str) -> None:
    client, places = Client(), asyncio.Semaphore(IN_FLIGHT)
    client.prepare()
    model = Model("stub", "openai/stub", api_base=url)

    async def ask(prompt: str) -> None:
        async with places:
            await client.complete(model, prompt, timeout_s=60)

    problems = arithmetic.problems(0, range(2, 11), 10)
    await asyncio.gather(*(ask(arithmetic.prompt(problem)) for problem in problems))
    await client.close()


if __name__ == "__main__":
    asyncio.run(_ask_all(sys.argv[1]))
