"""Each suite of a paper is run by its name alone, and fake models reply to it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_llmarith.cli import main
from tests.papers.suites import SUITES, copy_suites, module_of, outcomes, records_of

NAMES = sorted(path.stem for path in SUITES.glob("*.py"))
SMALL = {
    "carries": ("--llm-depths=1,5", "--llm-trials=1"),
    "controls": ("--llm-depths=2,20", "--llm-trials=2"),
    "multiplication": ("--llm-depths=1,2,7", "--llm-trials=1", "-k", "m01 or m09"),
    "next_term": ("-k", "test_next_term or A000045"),
    "nupa": ("--llm-depths=1,4", "--llm-trials=1"),
    "modular": ("--llm-depths=1,4", "--llm-trials=3"),
}


pytestmark = pytest.mark.usefixtures("known_tasks")


@pytest.mark.parametrize("name", NAMES)
def test_the_fake_models(name: str, pytester: pytest.Pytester) -> None:
    """Right replies are correct, wrong ones are not, and every question is sent."""
    copy_suites(pytester)
    suite = f"--llm-suite={name}"
    exact = outcomes(pytester, suite, "--llm-model=llmarith/oracle", *SMALL[name])
    assert set(exact) == {"correct"}
    files = {record["nodeid"].split("::")[0] for record in records_of(pytester)}
    assert files == {f"benches/papers/{name}.py"}
    sloppy = outcomes(pytester, suite, "--llm-model=llmarith/sloppy", *SMALL[name])
    assert sloppy.total() == exact.total()
    assert "unanswered" not in sloppy


@pytest.mark.parametrize("name", NAMES)
def test_documents(name: str) -> None:
    """Each suite has a document, which says how to run it and where it is from."""
    text = (SUITES / f"{name}.md").read_text("utf-8")
    assert f"--llm-suite={name}" in text
    for row in ("source", "problems", "prompt", "reading", "table"):
        assert f"| {row}" in text


def test_next_terms() -> None:
    """They follow the terms shown, with which no other sequence begins."""
    suite = module_of("next_term")
    terms_of = suite.sequences()
    asked = list(suite.problems(0, 1))
    assert {problem.depth for problem in asked} == {5, 10, 20}
    assert len({problem.question for problem in asked}) == len(asked) > 150
    for problem in asked:
        shown = [int(term) for term in problem["terms"].split(", ")]
        begin = [*shown, problem.expected]
        assert terms_of[problem["sequence"]][: problem.depth + 1] == begin


def test_terms_and_programs_are_reported_together(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    copy_suites(pytester)
    run = ("--llm-suite=next_term", "--llm-model=llmarith/oracle", "-k", "A000045")
    outcomes(pytester, *run)
    (path,) = (pytester.path / "reports").iterdir()
    capsys.readouterr()
    assert main(["report", str(path), "--suite=next_term"]) == 0
    shown = capsys.readouterr().out
    assert "next terms by the number of terms shown" in shown
    for task in ("next_term", "oeis"):
        assert re.search(rf"llmarith/oracle.* {task} +\d+ +100", shown)


def test_only_by_name(pytester: pytest.Pytester) -> None:
    copy_suites(pytester)
    whole = pytester.runpytest_inprocess("benches", "--collect-only", "-q")
    assert "papers" not in whole.stdout.str()
    assert "test_integer_addition" in whole.stdout.str()
    one = pytester.runpytest_inprocess(
        "benches", "--llm-suite=modular", "--collect-only", "-q"
    )
    assert "test_integer_addition" not in one.stdout.str()
    assert "papers/modular.py::test_modular[add-depth_1-trial_0]" in one.stdout.str()


def test_workers(pytester: pytest.Pytester) -> None:
    copy_suites(pytester)
    done = pytester.runpytest_subprocess(
        *("--llm-suite=modular", "--llm-model=llmarith/oracle"),
        *("-n", "2", "--llm-depths=1,4", "--llm-trials=2"),
    )
    assert done.ret == 0
    assert "all 12 answered" in done.stdout.str()


@pytest.mark.parametrize("name", ["", "nupas", "../test_integer_addition"])
def test_an_unknown_suite(name: str, pytester: pytest.Pytester) -> None:
    copy_suites(pytester)
    done = pytester.runpytest_inprocess(f"--llm-suite={name}")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert f"--llm-suite: {name!r} is not in" in done.stderr.str()
    assert "controls, modular, multiplication, next_term, nupa" in done.stderr.str()


def run_of_oracle(pytester: pytest.Pytester) -> Path:
    """The folder of a run of the suite multiplication."""
    copy_suites(pytester)
    run = ("--llm-suite=multiplication", "--llm-model=llmarith/oracle")
    outcomes(pytester, *run, *SMALL["multiplication"])
    (path,) = (pytester.path / "reports").iterdir()
    return path


def test_a_column_per_depth(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    path = run_of_oracle(pytester)
    capsys.readouterr()
    assert main(["report", str(path), "-v"]) == 0
    shown = capsys.readouterr().out
    table = shown.partition("multiplication: correct %")[2].splitlines()[1:5]
    assert table[0].split()[-3:] == ["1", "2", "7"]
    assert [line.split() for line in table[2:]] == [
        ["m01", "100", "100", "100"],
        ["m09", "100", "100", "100"],
    ]


def test_the_report_of_a_suite(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    """It has the tables of the suite, with what is published, and no others."""
    path = run_of_oracle(pytester)
    page = f"--output={pytester.path / 'page.html'}"
    for form in ("terminal", "markdown", "latex"):
        capsys.readouterr()
        asked = ["report", str(path), "--suite=multiplication", f"--format={form}"]
        assert main(asked) == 0
        shown = capsys.readouterr().out
        assert "9x9 multiplication with decent accuracy" in shown
        assert "D50" not in shown
    assert main(["report", str(path), "--format=html", page]) == 0
    text = (pytester.path / "page.html").read_text("utf-8")
    assert "9x9 multiplication with decent accuracy" in text
    assert 'id="cells"' not in text


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("--suite=nope", "--suite: 'nope' is not in benches/papers; there are: "),
        ("--suite=", "--suite: '' is not in"),
        ("--suite=controls", "no trial of tasks controls; the runs have models "),
        ("--suite=modular --task=modular", "--suite names its tasks; remove --task"),
    ],
)
def test_no_report_of_a_suite(
    given: str,
    message: str,
    pytester: pytest.Pytester,
    capsys: pytest.CaptureFixture[str],
) -> None:
    copy_suites(pytester)
    run = ("--llm-suite=modular", "--llm-model=llmarith/oracle")
    outcomes(pytester, *run, *SMALL["modular"])
    (path,) = (pytester.path / "reports").iterdir()
    capsys.readouterr()
    assert main(["report", str(path), *given.split()]) == 4
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
