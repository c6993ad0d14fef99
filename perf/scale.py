"""Growth with the number of items: collecting, asking, memory, files, replay; and the
throughput of a broker; two addresses of one model; replies graded again by parts.

Every measurement is repeated and the best result counts, as in `perf.throughput`; the
last row is the time taken by a hypervisor. The bounds are on growth, not on speed.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from perf import parts
from perf.alone import BENCHES, IN_FLIGHT
from perf.commands import run_module, run_pytest
from perf.measures import Measure
from perf.provider import provider
from perf.sampling import Watched, watched_bench, watched_pytest

_ITEMS_PER_TRIAL = 72  # eight variants at nine depths
_ROUNDS = 2
_KEY = {"OPENAI_API_KEY": "none"}
_CONCURRENCIES = (16, 64, 256)
_WAYS = {"-n 0": ("-n", "0"), "-n 2": ("-n", "2")}


def measure(trials: int = 100, rounds: int = _ROUNDS) -> list[Measure]:
    """100 trials are 7,200 questions; up to ten times as many items are collected."""
    before = _processor_time()
    with provider() as url:
        measures = [
            *_collecting([trials // 10, trials, 5 * trials, 10 * trials], rounds),
            *_broker_alone(url, trials * _ITEMS_PER_TRIAL, rounds),
            *(each for way in _WAYS for each in _running(url, way, trials, rounds)),
        ]
    return [
        *measures,
        _two_addresses(rounds),
        *parts.measure(),
        Measure(
            "of its time taken from this machine meanwhile",
            _stolen_percent(before),
            "%",
        ),
    ]


def _collecting(trials: list[int], rounds: int) -> list[Measure]:
    """Additional time and memory per 1,000 items, compared with the fewest items."""
    (few, fewest), *more = [
        (count * _ITEMS_PER_TRIAL, _collected(count, rounds)) for count in trials
    ]
    measures = []
    for items, (seconds, megabytes) in more:
        thousands, name = (items - few) / 1000, f"collecting {items:,} items"
        measures += [
            Measure(
                f"{name}: processor time per 1,000",
                (seconds - fewest[0]) / thousands * 1000,
                "ms",
            ),
            Measure(
                f"{name}: memory per 1,000", (megabytes - fewest[1]) / thousands, "MB"
            ),
        ]
    return measures


def _collected(trials: int, rounds: int) -> tuple[float, float]:
    arguments = (
        "--collect-only",
        "-qq",
        "--llm-model=o4-mini",
        f"--llm-trials={trials}",
    )
    runs = [run_pytest("benches/test_arithmetic.py", *arguments) for _ in range(rounds)]
    return min(run.processor_seconds for run in runs), min(
        run.megabytes for run in runs
    )


def _broker_alone(url: str, count: int, rounds: int) -> list[Measure]:
    """The broker alone, with its store."""
    measures = []
    for concurrency in _CONCURRENCIES:
        results = [broker_throughput(url, concurrency, count) for _ in range(rounds)]
        name = f"broker alone, {concurrency} in flight"
        measures += [
            Measure(name, max(a_second for a_second, _ in results), "a second"),
            Measure(
                f"{name}: processor time",
                min(milliseconds for _, milliseconds in results),
                "ms each",
            ),
        ]
    return measures


def broker_throughput(url: str, concurrency: int, count: int) -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as folder:
        run = run_module(
            "perf.broker", url, f"{concurrency}", f"{count}", folder, environment=_KEY
        )
    a_second, milliseconds = map(float, run.output.split()[-2:])
    return a_second, milliseconds


def _two_addresses(rounds: int) -> Measure:
    """820 questions to two servers that take 32 requests at once, against one that
    takes 64.
    """
    best = []
    with provider(32) as one, provider(32) as other, provider(64) as large:
        for address in (large, f"{one},{other}"):
            seconds = []
            for _ in range(rounds):
                with tempfile.TemporaryDirectory() as folder:
                    run = watched_pytest(
                        Path(folder, "reports"),
                        "--llm-model=openai/stub",
                        f"--llm-api-base={address}",
                        f"-ollm_store_dir={folder}",
                        f"--llm-concurrency={IN_FLIGHT}",
                        "-q",
                        *BENCHES,
                        environment=_KEY,
                    )
                    seconds.append(run.seconds)
            best.append(min(seconds))
    return Measure(
        "820 questions: two addresses against one",
        best[1] / best[0],
        "times",
        at_most=1.1,
    )


def _running(url: str, way: str, trials: int, rounds: int) -> list[Measure]:
    """A run, and its replay from the store."""
    items, runs, replays = f"{trials * _ITEMS_PER_TRIAL:,} items, {way}", [], []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            asking = url, trials, Path(folder), *_WAYS[way]
            runs.append(watched_bench(*asking))
            stored = (Path(folder) / "store.sqlite").stat().st_size
            replays.append(watched_bench(*asking, "--llm-store=only"))
    run, replay = min(runs, key=_seconds), min(replays, key=_seconds)
    thousands = trials * _ITEMS_PER_TRIAL / 1000
    return [
        Measure(f"{items}: the run", run.seconds, "s"),
        Measure(f"{items}: while it asks", run.per_second, "a second"),
        Measure(f"{items}: controller at its start", run.samples[0].megabytes, "MB"),
        Measure(f"{items}: controller at its end", run.samples[-1].megabytes, "MB"),
        Measure(
            f"{items}: controller grows per 1,000",
            min(each.growth_per_1000 for each in runs),
            "MB",
            at_most=12,
        ),
        Measure(
            f"{items}: controller at most, reports and all", run.peak_megabytes, "MB"
        ),
        Measure(f"{items}: run log per 1,000", run.log_bytes / 2**20 / thousands, "MB"),
        Measure(f"{items}: store per 1,000", stored / 2**20 / thousands, "MB"),
        Measure(f"{items}: replay from the store", replay.seconds, "s"),
        Measure(f"{items}: replay, controller at most", replay.peak_megabytes, "MB"),
    ]


def _seconds(run: Watched) -> float:
    return run.seconds


def _processor_time() -> list[int]:
    return list(map(int, Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]))


def _stolen_percent(before: list[int]) -> float:
    """The share of busy time that a hypervisor gave to other machines."""
    passed = [
        after - earlier
        for earlier, after in zip(before, _processor_time(), strict=True)
    ]
    user, nice, system, _, _, interrupts, soft_interrupts, stolen = passed
    return (
        100
        * stolen
        / max(1, user + nice + system + interrupts + soft_interrupts + stolen)
    )
