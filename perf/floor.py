"""What an item costs, against the least that pytest and aiohttp need for it: asking a
server of one's own, rerunning what is stored, collecting, and memory.

The floors are empty parametrized tests in plain pytest, without any plugin, and that
after as many requests by aiohttp in the same process. Ways alternate, and the median
counts. Times are of the processor, as others load the machine.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from perf.commands import Run, run_module, run_pytest
from perf.measures import Measure
from perf.provider import provider
from perf.sampling import watched_bench

_ITEMS_PER_TRIAL = 72  # eight variants at nine depths
_ROUNDS = 3
_PLAIN = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
_TEST = """
import pytest

@pytest.mark.parametrize("number", range({items}))
def test_number(number):
    pass
"""
_FLOOR = """
import asyncio
import sys

import aiohttp
import pytest

url, count, *rest = sys.argv[1:]

async def ask_all():
    connector = aiohttp.TCPConnector(limit=64)
    async with aiohttp.ClientSession(connector=connector) as session:
        async def ask(number):
            said = [{"role": "user", "content": f"{number} + {number}"}]
            body = {"model": "stub", "messages": said}
            async with session.post(f"{url}/chat/completions", json=body) as response:
                return await response.json()
        await asyncio.gather(*map(ask, range(int(count))))

asyncio.run(ask_all())
sys.exit(pytest.main(rest))
"""


def measure(trials: int = 28, rounds: int = _ROUNDS) -> list[Measure]:
    """28 trials are 2,016 items; 36 times as many are collected."""
    with provider() as url, tempfile.TemporaryDirectory() as folder:
        return [
            *_asking(url, Path(folder), trials, rounds),
            *_collecting(Path(folder), 36 * trials, rounds),
        ]


def _asking(url: str, folder: Path, trials: int, rounds: int) -> list[Measure]:
    items = trials * _ITEMS_PER_TRIAL
    (folder / "floor.py").write_text(_FLOOR)
    plain, floor, asked, few, stored = [], [], [], [], []
    for number in range(rounds):
        store = folder / f"{number}"
        plain.append(_plain(folder, "pytest", items))
        floor.append(_plain(folder, "floor", items, url, f"{items}"))
        asked.append(watched_bench(url, trials, store))
        few.append(watched_bench(url, trials // 4, folder / f"few-{number}"))
        stored.append(watched_bench(url, trials, store, "--llm-store=only"))
    plain_ms, floor_ms, asked_ms, stored_ms = (
        1000 * _middle(runs, lambda run: run.processor_seconds) / items
        for runs in (plain, floor, asked, stored)
    )
    broker_ms = 1000 * _middle(asked, lambda run: run.broker_processor_seconds) / items
    peaks = [_middle(runs, lambda run: run.peak_megabytes) for runs in (few, asked)]
    thousands = (trials - trials // 4) * _ITEMS_PER_TRIAL / 1000
    name = f"{items:,} questions to a server of one's own"
    return [
        Measure(f"{items:,} empty tests, plain pytest", plain_ms, "ms each"),
        Measure("the same after as many requests by aiohttp", floor_ms, "ms each"),
        Measure(name, asked_ms, "ms each"),
        Measure(
            "that against pytest and aiohttp",
            asked_ms / floor_ms,
            "times",
            at_most=2.6,
        ),
        Measure("the broker's part of it", broker_ms, "ms each", at_most=0.5),
        Measure(
            "memory of its controller per 1,000 items",
            (peaks[1] - peaks[0]) / thousands,
            "MB",
            at_most=10,
        ),
        Measure(f"{items:,} stored replies", stored_ms, "ms each"),
        Measure(
            "that against plain pytest", stored_ms / plain_ms, "times", at_most=2.5
        ),
    ]


def _collecting(folder: Path, trials: int, rounds: int) -> list[Measure]:
    items = trials * _ITEMS_PER_TRIAL
    shown = ("--collect-only", "-qq")
    plain, ours = [], []
    for _ in range(rounds):
        plain.append(_plain(folder, "pytest", items, *shown))
        ours.append(
            run_pytest(
                "benches/test_arithmetic.py",
                "--llm-model=o4-mini",
                f"--llm-trials={trials}",
                *shown,
            )
        )
    seconds = [
        _middle(runs, lambda run: run.processor_seconds) for runs in (plain, ours)
    ]
    megabytes = [_middle(runs, lambda run: run.megabytes) for runs in (plain, ours)]
    name = f"collecting {items:,} items"
    return [
        Measure(f"{name}, plain pytest", seconds[0], "s of processor time"),
        Measure(f"{name}, plain pytest: memory", megabytes[0], "MB"),
        Measure(name, seconds[1], "s of processor time"),
        Measure(
            "that against plain pytest", seconds[1] / seconds[0], "times", at_most=1.4
        ),
        Measure(f"{name}: memory", megabytes[1], "MB", at_most=280),
    ]


def _plain(folder: Path, module: str, items: int, *args: str) -> Run:
    test = folder / "test_plain.py"
    test.write_text(_TEST.format(items=items))
    paths = ("-q", f"--rootdir={folder}", "-c/dev/null", f"{test}")
    return run_module(module, *args, *paths, cwd=folder, environment=_PLAIN)


def _middle(runs: Sequence[Any], of: Callable[[Any], float]) -> float:
    return median(map(of, runs))
