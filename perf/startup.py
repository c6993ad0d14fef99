"""Start-up time that the unused plugin adds to pytest, and the time to collect many
items.
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path

from perf.commands import run_pytest
from perf.measures import Measure

_ROUNDS = 15


def measure() -> list[Measure]:
    """The unused plugin adds at most 30 ms to the start of pytest."""
    collected = run_pytest(
        "benches/test_arithmetic.py",
        "--collect-only",
        "-qq",
        "--llm-model=o4-mini",
        "--llm-trials=1000",
    )
    return [
        Measure(
            "start-up added by the unused plugin",
            _added_start_up() * 1000,
            "ms",
            at_most=30,
        ),
        Measure("collecting 72,000 items", collected.seconds, "s"),
        Measure("collecting 72,000 items, peak memory", collected.megabytes, "MB"),
    ]


def _added_start_up() -> float:
    """The difference of the medians; the runs alternate, so that other load on the
    machine affects both.
    """
    with tempfile.TemporaryDirectory() as folder:
        test = Path(folder, "test_nothing.py")
        test.write_text("def test_nothing(): pass\n", encoding="utf-8")
        rounds = [
            (
                run_pytest("-q", cwd=test.parent).seconds,
                run_pytest("-q", "-p", "no:llmarith", cwd=test.parent).seconds,
            )
            for _ in range(_ROUNDS)
        ]
    return statistics.median(used for used, _ in rounds) - statistics.median(
        unused for _, unused in rounds
    )
