"""Bundles of runs of fake models."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pytest_llmarith.cli import main
from tests.report.page.conftest import viewer  # noqa: F401  # a fixture

BENCH = """
import pytest

@pytest.mark.arithmetic(depths=[2, 3], trials=2)
def test_arithmetic(problem, ask):
    ask(problem)

"""
ADDITION = """
import pytest

@pytest.mark.integer_addition(trials=12)
def test_addition(problem, ask):
    ask(problem)
"""
OWN = """
import pytest
from pytest_llmarith import Problem, Task

WORDS = "apple", "river", "window", "garden", "purple"
backwards = Task(
    "backwards",
    [Problem({"word": word}, expected=word[::-1], label=word) for word in WORDS],
    lambda problem: f"Write this word backwards, and nothing else: {problem['word']}",
)

@pytest.mark.llmarith_task(backwards)
def test_backwards(problem, ask):
    ask(problem)
"""
SUMS = "test_bench.py", "-k", "int_add or int_mul"
BOTH = "test_bench.py", "test_addition.py", "-k", "int_add or int_mul or addition"
SLOPPY = "--llm-model=llmarith/sloppy"
ORACLES = "--llm-model=llmarith/oracle", "--llm-model=twin=llmarith/oracle"
JUNK = "--llm-model=llmarith/junk"
# In the order of time.
RUNS = {
    "fakes": (*BOTH, *ORACLES, JUNK),
    "sums": (*SUMS, SLOPPY),
    "prompt": (*SUMS, SLOPPY, "--llm-prompt-template=one/calc.txt"),
    "same name": (*SUMS, ORACLES[0], "--llm-prompt-template=two/calc.txt"),
    "conditions": (*SUMS, SLOPPY, "--llm-number-format=plain,comma"),
    "seed": (*BOTH, SLOPPY, "--llm-seed=3"),
    "parameter": (*BOTH, f"{SLOPPY}?temperature=1"),
    "again": (*BOTH, ORACLES[1]),
    "search": (*BOTH, *ORACLES[:1], SLOPPY, "--llm-adaptive=2,20"),
    "own": ("test_own.py", ORACLES[0], JUNK),
}


@pytest.fixture(scope="session")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A bundle of each of these runs."""
    project = tmp_path_factory.mktemp("site")
    (project / "test_bench.py").write_text(BENCH)
    (project / "test_own.py").write_text(OWN)
    (project / "test_addition.py").write_text(ADDITION)
    for name, word in (("one", "What is"), ("two", "Say")):
        (project / name).mkdir()
        (project / name / "calc.txt").write_text(f"{word} {{lhs}} {{sign}} {{rhs}}")
    found = {}
    for name, options in RUNS.items():
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options]
        command += ["--llm-store=off", f"--llm-reports={name}"]
        subprocess.run(command, cwd=project, check=True, capture_output=True)
        [run] = (project / name).iterdir()
        found[name] = project / f"bundle-{name}"
        assert main(["publish", str(run), f"--output={found[name]}"]) == 0
    return found
