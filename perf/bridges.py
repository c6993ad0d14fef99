"""Time to collect the questions of generators, beside that of the generators alone."""

from __future__ import annotations

import tempfile
from importlib.util import find_spec
from pathlib import Path

from perf.commands import run_module, run_pytest
from perf.measures import Measure

# Generators of quick questions, and of slow ones, with the number of questions.
_GENERATORS = {
    "chain_sum": 10_000,
    "leg_counting": 10_000,
    "spell_backward": 10_000,
    "mini_sudoku": 2_000,
}
_ROUNDS = 3
_ALONE = (
    "import reasoning_gym; "
    "made = reasoning_gym.create_dataset('{name}', seed=1, size={size}); "
    "[made[place] for place in range({size})]"
)
_TEST = """
import pytest
from pytest_llmarith import bridges

@pytest.mark.llmarith_task(bridges.reasoning_gym("{name}", size={size}))
def test_it(problem, ask):
    ask(problem)
"""


def measure() -> list[Measure]:
    """Collecting takes at most twice the generator's own time and a second."""
    if find_spec("reasoning_gym") is None:
        return []
    return [_ratio(name, size) for name, size in _GENERATORS.items()]


def _ratio(name: str, size: int) -> Measure:
    """Of the shortest times of runs in turns."""
    alone, collected = [], []
    with tempfile.TemporaryDirectory() as folder:
        test = Path(folder, "test_it.py")
        test.write_text(_TEST.format(name=name, size=size), encoding="utf-8")
        for _ in range(_ROUNDS):
            made = run_module(
                "timeit", "-n1", "-r1", _ALONE.format(name=name, size=size)
            )
            alone.append(made.seconds)
            run = run_pytest(
                *("--collect-only", "-q", "--llm-model=llmarith/oracle"),
                cwd=test.parent,
            )
            collected.append(run.seconds)
    return Measure(
        f"collecting {size:,} questions of {name} less a second, generator alone",
        (min(collected) - 1) / min(alone),
        "times",
        at_most=2,
    )
