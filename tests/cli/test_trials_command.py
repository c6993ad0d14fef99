"""`llmarith trials` shows trials on the terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_llmarith.cli import WRONG_USAGE, main
from tests.runs_on_disk import added, asked, programmed, run_in

RECORDS = [
    asked("7", trial=0),
    asked("{}", trial=1),
    asked("", trial=2),
    added("\x1b[31m12\n\u202e13"),
    programmed("A000045"),
]


@pytest.fixture
def run(tmp_path: Path) -> str:
    return str(run_in(tmp_path / "run", RECORDS))


@pytest.mark.parametrize(
    ("chosen", "lines"),
    [
        ((), 5),
        (("--outcome=nan",), 2),
        (("--outcome=deviate", "--outcome=nan"), 4),
        (("--task=oeis",), 1),
        (("--task=integer*",), 1),
        (("--variant=starter",), 1),
        (("--model=o4-mini", "--outcome=correct"), 1),
        (("--id=A000045",), 1),
    ],
)
def test_a_line_each(
    run: str, capsys: pytest.CaptureFixture[str], chosen: tuple[str, ...], lines: int
) -> None:
    assert main(["trials", run, *chosen]) == 0
    assert len(capsys.readouterr().out.splitlines()) == lines


def test_a_line_has_question_answer_and_why(
    run: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a program the term at which it failed; replies are harmless."""
    assert main(["trials", run]) == 0
    out = capsys.readouterr().out
    wrong, right, *_, program = out.splitlines()
    assert wrong.startswith("deviate o4-mini ")
    assert "expected " in wrong
    assert ", got 7" in wrong
    assert right.startswith("correct o4-mini ")
    assert program.startswith("deviate o4-mini oeis starter-A000045  A000045 ")
    assert "2 of 3 terms right; n = 3: expected 2, got 3" in program
    assert main(["trials", run, "--whole"]) == 0
    whole = capsys.readouterr().out
    assert "  user:\n    " in whole
    assert "  reply:\n    7\n" in whole
    assert "  n 3, expected 2, got 3, status wrong" in whole
    assert all(line.isprintable() for line in (out + whole).splitlines())


def test_no_trial_is_wrong_usage(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trials", run, "--variant=nothing"]) == WRONG_USAGE
    assert "no trial of these runs is selected" in capsys.readouterr().err
