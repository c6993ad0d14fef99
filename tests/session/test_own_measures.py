"""A task of one's own brings a measure: counted, written, and shown as any other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import pytest_llmarith
from pytest_llmarith import Task
from pytest_llmarith.cli import main
from pytest_llmarith.figures.estimates import TASKS

pytestmark = pytest.mark.usefixtures("known_tasks")


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
from pytest_llmarith import Field, Figure, Grade, Grid, Measure, Problem, Task, View, share

class Lengths(dict):
    def add(self, trial):
        length = len(trial.record.problem.inputs["word"])
        self[length] = self.get(length, 0) + 1

def lengths(leaves):
    found = {}
    for leaf in leaves:
        for length, count in leaf.counted.items():
            found[length] = found.get(length, 0) + count
    for length, count in sorted(found.items()):
        yield Figure(count, n=sum(found.values()), by="length", at=str(length))

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
    measures=[short, Measure("lengths", "length", "words", "words by length", Lengths, lengths)],
    views=[
        View("short words", "variant", [
            Field("share of them", "how many are short", "{short}"),
            Field("of each length", "of 6 and of 8", "{lengths:6} and {lengths:8}"),
        ]),
        View("words by length", "lengths", [Field("count", "how many", "{lengths}")]),
    ],
)

@pytest.mark.llmarith_task(words, trials=2)
def test_words(problem, ask):
    ask(problem)
"""


_PLAIN = """
import os
import pytest
from pytest_llmarith import Problem, Task

with open("importers", "a") as file:
    file.write(os.environ.get("PYTEST_XDIST_WORKER", "controller") + " ")
plain = Task("plain", [Problem({"word": "a"}, "x")], lambda problem: problem["word"])

@pytest.mark.llmarith_task(plain)
def test_plain(problem, ask):
    ask(problem)
"""


def test_a_task_in_a_conftest_with_workers(pytester: pytest.Pytester) -> None:
    """Its measures are counted; a file whose task has none is imported by the workers
    alone.
    """
    task, test = _BENCH.split("@pytest.mark")
    pytester.makeconftest(task + _MODEL)
    test = f"import conftest, pytest\n@pytest.mark{test}"
    pytester.makepyfile(
        test_words=test.replace("(words", "(conftest.words"), test_plain=_PLAIN
    )
    done = pytester.runpytest_subprocess("-n", "2")
    assert done.ret == 0
    (run,) = (pytester.path / "reports").iterdir()
    assert "short" in json.loads((run / "summary.json").read_text("utf-8"))["measures"]
    assert "controller" not in (pytester.path / "importers").read_text("utf-8")


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
        if form != "csv":
            assert "words: short words" in out
            assert "2 and 2" in out
            assert "words: words by length" in out
    monkeypatch.delitem(TASKS, "words", raising=False)
    assert main(["report", str(run), "--min-depth=3"]) == 0
    assert (
        "left out, as only their task counts them: lengths, short"
        in capsys.readouterr().out
    )
    merge = ["merge", str(run), "--output"]
    assert main([*merge, "merged"]) == 0
    assert "--task=FILE:NAME" in capsys.readouterr().err
    file = pytester.path / "test_a_measure_of_a_task.py"
    assert main([*merge, "merged_all", f"--task={file}:words"]) == 0
    assert "--task" not in capsys.readouterr().err
    whole = json.loads(Path("merged_all", "summary.json").read_text("utf-8"))
    assert whole["measures"]["short"] == written["measures"]["short"]
    page = (run / "report.html").read_text("utf-8")
    assert "<figcaption>words, short %</figcaption>" in page
    assert "Measures of the task" in page
    assert "words: short words" in page
    assert "2 and 2" in page


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


_PUBLISHED = """
import pytest
from pytest_llmarith import Field, Grid, Problem, Published, Task, View

rows = [
    Published("gpt-4o", {"right": "85.3", "of": "1,000"}, row="odd"),
    Published("nobody", {"right": "12.3"}, row="even"),
]
fields = [
    Field("right", "right ones", "{correct_percentage}"),
    Field("of", "trials", "{measured} of {measured}"),
    Field("wrong", "wrong ones of all", "{deviate} of {measured}"),
]
words = Task(
    "words",
    Grid(lambda *at: Problem({"word": f"{at}"}, "x"), ["plain", "odd"], [2, 3]),
    lambda problem: problem["word"],
    views=[View("as printed", "variant", fields, published=rows, cited="a paper, table 2")],
)

@pytest.mark.llmarith_task(words, trials=1)
def test_words(problem, ask):
    ask(problem)
"""


def test_published_rows(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    """They stand below the rows that they are about, with their source."""
    pytester.makeconftest(_MODEL)
    pytester.makepyfile(_PUBLISHED)
    assert pytester.runpytest_inprocess("-p", "no:xdist").ret == 0
    (run,) = (pytester.path / "reports").iterdir()
    for form in ("terminal", "markdown", "latex"):
        capsys.readouterr()
        assert main(["report", str(run), "-v", f"--format={form}"]) == 0
        shown = capsys.readouterr().out
        assert "85.3" in shown
        assert "a paper, table 2" in shown
        assert "12.3" not in shown
        if form == "terminal":
            table = shown.partition("as printed")[2].splitlines()[1:6]
            plain, odd, other = [line.split() for line in table[2:]]
            assert plain[1] == "plain"
            assert odd[1] == "odd"
            assert odd[-6:] == ["2", "of", "2", "0", "of", "2"]
            assert other == ["gpt-4o", "(published)", "odd", "85.3", "1,000", "-"]
    page = (run / "report.html").read_text("utf-8")
    assert "85.3" in page
    assert "a paper, table 2" in page


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ((", cited='a paper'", ""), "has published rows and no source"),
        (("right': '1'", "left': '1'"), "the published row of 'm' has left"),
    ],
)
def test_published_rows_that_are_none(change: tuple[str, str], message: str) -> None:
    view = (
        "View('v', 'variant', [Field('right', 'r', '{correct_percentage}')], "
        "published=[Published('m', {'right': '1'})], cited='a paper')"
    )
    names = {name: getattr(pytest_llmarith, name) for name in pytest_llmarith.__all__}
    with pytest.raises(ValueError, match=message):
        Task(
            "words", [], lambda problem: "", views=[eval(view.replace(*change), names)]
        )
