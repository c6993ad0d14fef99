"""720 items through litellm, whose provider answers in 50 ms: one at a time, and 64 in
flight with and without workers.

litellm alone needs milliseconds of processor time per question and seconds to be
imported, so it is measured too, with 820 questions. Each way is run three times, in
turn, and its best time counts, as other load can triple a time.
"""

from __future__ import annotations

import tempfile

from perf.commands import run_module, run_pytest
from perf.measures import Measure
from perf.provider import provider

_KEY = {"OPENAI_API_KEY": "none"}
_ROUNDS = 3
WAYS = {
    "a": ("one at a time", ("-n", "0", "--llm-concurrency=1")),
    "b": ("-n 0, 64 in flight", ("-n", "0", "--llm-concurrency=64")),
    "c": ("-n 8, 64 in flight", ("-n", "8", "--llm-concurrency=64")),
}


_MOST = 8  # requests that the narrow provider takes at a time


def measure() -> list[Measure]:
    """Plain within 1.3 times litellm alone, `-n 8` within 2 times, 64 at once against a
    limit of 8 within 1.2 times.
    """
    with provider() as url:
        rounds = [_round(url) for _ in range(_ROUNDS)]
    with provider(_MOST) as url:
        eight = min(
            _seconds(url, ("-n", "0", f"--llm-concurrency={_MOST}"))
            for _ in range(_ROUNDS)
        )
        refused = min(
            _seconds(url, ("-n", "0", "--llm-concurrency=64")) for _ in range(_ROUNDS)
        )
    seconds = {way: min(times[way] for times in rounds) for way in WAYS}
    alone = min(times["alone"] for times in rounds)
    return [
        Measure("820 questions through litellm alone, 64 in flight", alone, "s"),
        *(
            Measure(f"720 items, ({way}) {name}", seconds[way], "s")
            for way, (name, _) in WAYS.items()
        ),
        Measure(
            "(b) faster than (a)", seconds["a"] / seconds["b"], "times", at_least=5
        ),
        Measure(
            "(b) against litellm alone",
            seconds["b"] / alone,
            "times as long",
            at_most=1.3,
        ),
        Measure(
            "(c) faster than (a)", seconds["a"] / seconds["c"], "times", at_least=3.5
        ),
        Measure(
            "(c) against litellm alone",
            seconds["c"] / alone,
            "times as long",
            at_most=2,
        ),
        Measure("720 items, a provider that takes 8 at once, 8 in flight", eight, "s"),
        Measure("720 items, the same provider, 64 in flight", refused, "s"),
        Measure(
            "64 in flight against 8 there",
            refused / eight,
            "times as long",
            at_most=1.2,
        ),
    ]


def _round(url: str) -> dict[str, float]:
    alone = run_module("perf.alone", url, "litellm", environment=_KEY).seconds
    return {
        "alone": alone,
        **{way: _seconds(url, args) for way, (_, args) in WAYS.items()},
    }


def _seconds(url: str, args: tuple[str, ...]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        return run_pytest(
            "benches/test_arithmetic.py",
            "--llm-model=openai/stub",
            f"--llm-api-base={url}",
            "-ollm_transport=litellm",
            f"-ollm_store_dir={folder}",
            f"--llm-reports={folder}",
            "-q",
            *args,
            environment=_KEY,
        ).seconds
