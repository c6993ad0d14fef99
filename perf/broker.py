"""The throughput of one broker without pytest:

`python -m perf.broker URL CONCURRENCY QUESTIONS FOLDER`.

Prints questions a second and milliseconds of processor time per question, litellm and
the store included.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

from pytest_llmarith.models.broker import Broker
from pytest_llmarith.models.client import Client
from pytest_llmarith.models.store import RunStore
from pytest_llmarith.records import Reply
from pytest_llmarith.types import Model, Question, RequestLimits, StoreMode

_WORKERS = 8  # each waits for one reply at a time
_WARM = 50  # the first requests open connections


async def _measure(
    url: str, concurrency: int, count: int, folder: Path
) -> tuple[float, float]:
    model = Model("stub", "openai/stub", api_base=url)
    limits = RequestLimits(concurrency=concurrency, timeout_s=60)
    broker = Broker(
        Client(), [model], RunStore(folder / "store.sqlite", StoreMode.ON), limits
    )
    await _ask(broker, [Question("stub", "warm up", trial) for trial in range(_WARM)])
    start, processor = time.perf_counter(), time.process_time()
    await _ask(
        broker,
        [Question("stub", f"{trial} + {trial}", trial) for trial in range(count)],
    )
    seconds, processor = time.perf_counter() - start, time.process_time() - processor
    await broker.close()
    return count / seconds, 1000 * processor / count


async def _ask(broker: Broker, questions: list[Question]) -> None:
    """Announce all questions; every worker asks its share."""
    broker.plan(questions)
    broker.announce()

    async def ask(worker: int) -> None:
        for question in questions[worker::_WORKERS]:
            outcome = await broker.ask(question, f"{worker}")
            assert isinstance(outcome, Reply), outcome

    await asyncio.gather(*map(ask, range(_WORKERS)))


if __name__ == "__main__":
    a_second, milliseconds = asyncio.run(
        _measure(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
    )
    print(a_second, milliseconds)  # noqa: T201  # the parent reads it
