"""Curves, heatmaps and plots of a task with fractions are of mean scores."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_llmarith.cli import main

pytestmark = pytest.mark.usefixtures("known_tasks")

_BENCH = """
import pytest
from pytest_llmarith import Grade, Grid, Problem, Task, mean

class Model:
    def reply(self, prompt):
        return "x"

@pytest.fixture
def model():
    return Model()

def problem_at(seed, variant, depth, trial):
    return Problem({"at": f"{variant} {depth} {trial}", "trial": trial, "depth": depth}, "x")

def grade(answer, problem):
    score = (problem["trial"] + 1) / 4 / problem["depth"]
    return Grade(score, {"off": problem["trial"]}, scores={"near": 0.25 * problem["depth"]})

def task(name, variants):
    return Task(
        name,
        Grid(problem_at, variants, [1, 2]),
        lambda problem: f"{name} {problem['at']}",
        grade=grade,
        measures=[mean(f"{name}_off", "off by", "how far off", lambda one: one["off"])],
    )

parts, whole = task("parts", ["odd", "even"]), task("whole", [""])

@pytest.mark.llmarith_task(parts, trials=4)
def test_parts(problem, ask):
    ask(problem)

@pytest.mark.llmarith_task(whole, trials=4)
def test_whole(problem, ask):
    ask(problem)
"""


@pytest.fixture
def run(pytester: pytest.Pytester) -> Path:
    pytester.makepyfile(_BENCH)
    assert pytester.runpytest_inprocess("-p", "no:xdist", "-q").ret == 0
    (found,) = (pytester.path / "reports").iterdir()
    return found


def test_the_page(run: Path) -> None:
    """One in four is correct at depth 1, where the mean score is 62.5 %."""
    page = (run / "report.html").read_text("utf-8")
    assert "Mean score % by depth: odd, mean score" in page
    assert "Mean score % by depth: whole, mean score" in page
    assert "Near by depth: parts, near" in page
    assert "Off by by depth: parts, off by" in page
    told = re.findall(r"depth ([12]): (mean of \d+, [0-9.]+ %)", page)
    assert ("1", "mean of 4, 62.5 %") in told
    assert ("2", "mean of 4, 31.2 %") in told
    assert ("1", "mean of 8, 25.0 %") in told  # near, which does not vary
    assert "mean score % by depth" in page


def test_plots(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for kind, text in [("curves", "odd, mean score"), ("heatmap", ">62<")]:
        figure = run.parent / f"{kind}.svg"
        capsys.readouterr()
        assert main(["plot", str(run), f"--kind={kind}", f"--output={figure}"]) == 0
        assert text in figure.read_text("utf-8")


def test_the_terminal(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["report", str(run), "-v", "--task=parts"]) == 0
    table = capsys.readouterr().out.partition("mean score % by depth")[2]
    rows = [line.split() for line in table.splitlines()[3:5]]
    assert [row[:3] for row in rows] == [["odd", "62", "31"], ["even", "62", "31"]]
