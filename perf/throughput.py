"""720 items against a provider that answers in 50 ms: one at a time, and 64 in flight with and without workers."""

from __future__ import annotations

import tempfile

from perf.commands import run_pytest
from perf.measures import Measure
from perf.provider import provider

WAYS = {
    "a": ("one at a time", ("-n", "0", "--llm-concurrency=1")),
    "b": ("-n 0, 64 in flight", ("-n", "0", "--llm-concurrency=64")),
    "c": ("-n 8, 64 in flight", ("-n", "8", "--llm-concurrency=64")),
}


def measure() -> list[Measure]:
    """(b) is to be 5 times faster than (a), (c) 3.5 times."""
    with provider() as url:
        seconds = {way: _seconds(url, args) for way, (_, args) in WAYS.items()}
    return [
        *(Measure(f"720 items, ({way}) {name}", seconds[way], "s") for way, (name, _) in WAYS.items()),
        Measure("(b) faster than (a)", seconds["a"] / seconds["b"], "times", at_least=5),
        Measure("(c) faster than (a)", seconds["a"] / seconds["c"], "times", at_least=3.5),
    ]


def _seconds(url: str, args: tuple[str, ...]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        return run_pytest(
            "benches/test_arithmetic.py",
            "--llm-model=openai/stub",
            f"--llm-api-base={url}",
            f"--llm-store-dir={folder}",
            f"--llm-reports={folder}",
            "-q",
            *args,
            environment={"OPENAI_API_KEY": "none"},
        ).seconds
