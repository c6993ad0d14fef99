"""A task of one's own brings a measure: counted, written, and shown as any other."""

from __future__ import annotations

import json

import pytest

from pytest_llmarith.cli import main
from pytest_llmarith.figures.estimates import TASKS

_BENCH = """
import pytest
from pytest_llmarith import Grade, Grid, Problem, Task, share

def problem_at(seed, variant, depth, trial):
    return Problem({"word": f"{variant[0]}{'ab' * depth}{trial}"}, "x")

def grade(answer, problem):
    return Grade(0.5, {"short": len(problem["word"]) < 7})

short = share("short", "short %", "words of less than seven letters", lambda one: one["short"])
words = Task(
    "words",
    Grid(problem_at, ["plain", "odd"], [2, 3]),
    lambda problem: problem["word"],
    grade=grade,
    measures=[short],
)

class Model:
    def reply(self, prompt):
        return "x"

@pytest.fixture
def model():
    return Model()

@pytest.mark.llmarith_task(words, trials=2)
def test_words(problem, ask):
    ask(problem)
"""


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_a_measure_of_a_task(
    workers: tuple[str, ...],
    pytester: pytest.Pytester,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytester.makepyfile(_BENCH)
    done = pytester.runpytest_subprocess("-v", *workers)
    assert "short %" in done.stdout.str()
    (run,) = (pytester.path / "reports").iterdir()
    written = json.loads((run / "summary.json").read_text("utf-8"))
    assert written["measures"]["short"]["meaning"] == "words of less than seven letters"
    capsys.readouterr()
    for form in ("terminal", "csv", "markdown"):
        assert main(["report", str(run), f"--format={form}", *_VERBOSE[form]]) == 0
        out = capsys.readouterr().out
        assert "50.0" in out
        assert "short" in out
    monkeypatch.delitem(TASKS, "words", raising=False)
    assert main(["report", str(run), "--min-depth=3"]) == 0
    assert "left out, as only their task counts them: short" in capsys.readouterr().out
    page = (run / "report.html").read_text("utf-8")
    assert "<figcaption>words, short %</figcaption>" in page
    assert "Measures of the task" in page


_VERBOSE = {"terminal": ["-v"], "csv": [], "markdown": ["-v"]}
