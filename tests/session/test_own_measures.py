"""A task of one's own brings a measure: counted, written, and shown as any other."""

from __future__ import annotations

import json

import pytest

from pytest_llmarith.cli import main
from pytest_llmarith.figures.estimates import TASKS

_MODEL = """
import pytest

class Model:
    def reply(self, prompt):
        return "x"

@pytest.fixture
def model():
    return Model()
"""
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
    pytester.makeconftest(_MODEL)
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


_FAULTS = """
import pytest
from pytest_llmarith import Figure, Measure, Problem, Task

class Counter:
    def add(self, trial):
        pass

class Raising:
    def add(self, trial):
        raise KeyError("nope")

def measure(key, figures, unit="", counter=Counter):
    return Measure(key, key + " \\x1b[31m", unit, "how odd", counter, lambda leaves: figures)

measures = [
    measure("raises", [], counter=Raising),
    measure("infinite", [Figure(float("nan"))]),
    measure("flag", [Figure(True)], "%"),
    measure("large", [Figure(10**400)]),
    measure("negative", [Figure(1, n=-3)]),
    measure("share", [Figure("much")], "%"),
    measure("twice", [Figure(1), Figure(2)]),
    measure("nothing", None),
    measure("number", [7]),
    measure("word", [Figure("plenty")]),
]
words = Task("words", [Problem({"word": "a"}, "x")], lambda p: p["word"], measures=measures)

@pytest.mark.llmarith_task(words)
def test_words(problem, ask):
    ask(problem)
"""


def test_measures_that_fail_say_so(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    """The run has all its records, its summary and its page."""
    pytester.makeconftest(_MODEL)
    pytester.makepyfile(_FAULTS)
    done = pytester.runpytest_subprocess()
    assert done.ret == 0
    (run,) = (pytester.path / "reports").iterdir()
    assert (run / "report.html").exists()
    assert main(["report", str(run), "-v"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "measure raises: KeyError: 'nope'" in shown
    for key in ("infinite", "flag", "large", "negative", "share", "twice"):
        assert f"measure {key}: ValueError" in shown
    for key in ("nothing", "number"):
        assert f"measure {key}: TypeError" in shown
    assert "plenty" in shown
    assert "\x1b" not in shown


def test_two_measures_of_one_key_are_refused(pytester: pytest.Pytester) -> None:
    other = _BENCH.replace('"words",', '"others",', 1).replace("short %", "brief %")
    pytester.makeconftest(_MODEL)
    pytester.makepyfile(test_one=_BENCH, test_other=other)
    done = pytester.runpytest_subprocess("-q")
    assert done.ret == 2
    assert "measures of the key 'short'" in done.stderr.str() + done.stdout.str()
