"""Start-up time that the unused plugin adds to pytest, the time to collect many items,
and that of a short run through litellm, whose import takes most of it.
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path

from perf.commands import run_module, run_pytest
from perf.measures import Measure
from perf.provider import provider

_ROUNDS = 15
_TEN = ("benches/test_arithmetic.py", "-k", "int_add and depth_3", "--llm-store=off")
_TEN_ROUNDS = 3


def measure() -> list[Measure]:
    """The unused plugin adds at most 30 ms to the start of pytest, and ten questions
    through litellm take at most 3 s.
    """
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
        *_through_litellm(),
    ]


def _through_litellm() -> list[Measure]:
    """The shortest times of runs in turns with the import of litellm alone."""
    runs, imports = [], []
    with provider() as url, tempfile.TemporaryDirectory() as reports:
        for _ in range(_TEN_ROUNDS):
            runs.append(
                run_pytest(
                    *_TEN,
                    f"--llm-model=openai/stub?api_base={url}",
                    "-ollm_transport=litellm",
                    f"--llm-reports={reports}",
                    environment={"OPENAI_API_KEY": "none"},
                )
            )
            imports.append(
                run_module(
                    *("timeit", "-n1", "-r1", "import litellm"),
                    environment={"LITELLM_LOCAL_MODEL_COST_MAP": "True"},
                )
            )
    run, floor = min(runs), min(imports)
    return [
        Measure("ten questions through litellm", run.seconds, "s", at_most=3),
        Measure("ten questions through litellm, processor", run.processor_seconds, "s"),
        Measure("import of litellm alone", floor.seconds, "s"),
        Measure("import of litellm alone, processor", floor.processor_seconds, "s"),
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
