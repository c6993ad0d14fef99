"""Questions to a server of one's own that answers in 50 ms: a whole run, many at once,
few, and the first with workers.

litellm alone and aiohttp alone ask the same 820 questions without pytest. Every way is
run in turn and its best time counts, as other load on the machine can triple a time.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from perf.alone import BENCHES, IN_FLIGHT
from perf.commands import run_module
from perf.measures import Measure
from perf.provider import provider
from perf.sampling import Watched, watched_pytest
from perf.scale import broker_throughput

_KEY = {"OPENAI_API_KEY": "none"}
_ROUNDS = 3
_MANY, _MANY_IN_FLIGHT = 100, 256  # 7,200 questions
_TEN = ("benches/test_arithmetic.py", "-k", "int_add and depth_3")


def measure(rounds: int = _ROUNDS) -> list[Measure]:
    """A run takes at most half the time of litellm alone, whose import is a large part
    of it.
    """
    with provider() as url:
        return [
            *_whole_run(url, rounds),
            *_many(url, rounds),
            Measure(
                "ten questions, from the command to its end",
                min(_run(url, *_TEN).seconds for _ in range(rounds)),
                "s",
                at_most=3,
            ),
            Measure(
                "the first of 720 results with -n 2",
                min(
                    _run(url, BENCHES[0], "-n", "2").samples[0].seconds
                    for _ in range(rounds)
                ),
                "s",
                at_most=5,
            ),
        ]


def _whole_run(url: str, rounds: int) -> list[Measure]:
    in_flight = f"--llm-concurrency={IN_FLIGHT}"
    seconds: dict[str, list[float]] = {
        "litellm": [],
        "aiohttp": [],
        "run": [],
        "run through litellm": [],
    }
    for _ in range(rounds):
        for way in ("litellm", "aiohttp"):
            seconds[way].append(
                run_module("perf.alone", url, way, environment=_KEY).seconds
            )
        seconds["run"].append(_run(url, *BENCHES, in_flight).seconds)
        seconds["run through litellm"].append(
            _run(url, *BENCHES, in_flight, "-ollm_transport=litellm").seconds
        )
    best = {way: min(times) for way, times in seconds.items()}
    return [
        Measure(
            f"820 questions, {IN_FLIGHT} in flight, litellm alone", best["litellm"], "s"
        ),
        Measure(
            f"820 questions, {IN_FLIGHT} in flight, aiohttp alone", best["aiohttp"], "s"
        ),
        Measure(f"820 questions, {IN_FLIGHT} in flight, a run", best["run"], "s"),
        Measure(
            "that run against litellm alone",
            best["run"] / best["litellm"],
            "times as long",
            at_most=0.5,
        ),
        Measure(
            "that run against aiohttp alone",
            best["run"] / best["aiohttp"],
            "times as long",
        ),
        Measure("a run through litellm", best["run through litellm"], "s"),
    ]


def _many(url: str, rounds: int) -> list[Measure]:
    questions, at_once = _MANY * 72, f"{_MANY_IN_FLIGHT} in flight"
    runs = [
        _run(
            url,
            BENCHES[0],
            f"--llm-trials={_MANY}",
            f"--llm-concurrency={_MANY_IN_FLIGHT}",
        )
        for _ in range(rounds)
    ]
    alone = [broker_throughput(url, _MANY_IN_FLIGHT, questions) for _ in range(rounds)]
    fastest, least = (
        max(a_second for a_second, _ in alone),
        min(milliseconds for _, milliseconds in alone),
    )
    return [
        Measure(
            f"{questions:,} questions, {at_once}",
            max(run.per_second for run in runs),
            "a second",
            at_least=400,
        ),
        Measure(
            f"{questions:,} questions, {at_once}, broker alone",
            fastest,
            "a second",
            at_least=1500,
        ),
        Measure(
            f"{questions:,} questions, {at_once}, broker alone: processor time",
            least,
            "ms each",
        ),
        Measure(
            "memory of the broker of that run",
            min(run.broker_megabytes for run in runs),
            "MB",
            at_most=120,
        ),
    ]


def _run(url: str, *args: str) -> Watched:
    with tempfile.TemporaryDirectory() as folder:
        return watched_pytest(
            Path(folder, "reports"),
            "--llm-model=openai/stub",
            f"--llm-api-base={url}",
            f"-ollm_store_dir={folder}",
            "-q",
            *args,
            environment=_KEY,
        )
