"""Stored replies are read again; what was never answered is never graded, and inputs
are never changed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.cli import WRONG_USAGE, main
from pytest_llmarith.records import Record, as_dict
from pytest_llmarith.results.regrade import changes
from pytest_llmarith.results.run_files import UsageError
from pytest_llmarith.tasks import arithmetic
from pytest_llmarith.types import Dtype, Op, Reading
from tests.runs_on_disk import (
    ROW,
    added,
    asked,
    lines_of,
    programmed,
    record_of,
    searched,
)

SUM = arithmetic.problem(0, Dtype.INT, Op.ADD, 3, 0)
FLOAT = {"variant": "float_add", "operands": [12.10, "30.05"], "correct": 42.15}
CUSTOM = {
    "label": "a",
    "seed": 0,
    "variant": None,
    "depth": None,
    "trial": 0,
    "inputs": {},
    "expected": 1,
}

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(
    *records: Mapping[str, Any], name: str = "trials.jsonl", end: str = ""
) -> str:
    """A file of records or rows."""
    Path(name).write_text(lines_of(records) + end, encoding="utf-8")
    return name


def again(record: Mapping[str, Any], reading: Reading | None = None) -> Record:
    """The record, read again."""
    (change,) = changes(Path(write(record)), reading, [])
    return change.record


def test_what_today_s_rules_made_does_not_change() -> None:
    replies = [asked(text) for text in ("{}", "7", "no number", "", None)]
    strict, cut = (
        added("= {}"),
        asked("7", finish_reason="length"),
    )  # by the strict reading of its task
    for record in (*replies, strict, cut, programmed("A000045"), searched()):
        assert again(record) == record_of(record)


def test_the_verdict_comes_from_the_reply() -> None:
    """By the reading of the record, or another one."""
    stale = asked("7") | {
        "outcome": "correct",
        "reason": None,
        "answer": None,
        "grade": {"score": 1},
    }
    assert again(stale) == record_of(asked("7"))
    found = again(asked("= {}"), Reading.STRICT)
    assert (record_of(asked("= {}")).outcome, found.outcome, found.reading) == (
        "correct",
        "nan",
        "strict",
    )
    assert again(as_dict(found)) == found


def test_a_thought_in_a_stored_reply_is_read_again() -> None:
    """As servers left it there, graded without it by what was known then."""
    for text in ("<think>7?</think>\n\n{}", "7?</think>{}", "{}<|im_end|>\n7"):
        right = added(text)
        stale = right | {"outcome": "nan", "reason": "unreadable", "answer": None}
        stale |= {"grade": {"score": 0}}
        assert again(stale).outcome == "correct"


# --- rows of llm_arithmetic -----------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "outcome"),
    [
        ({"raw_response": "42.15"}, "correct"),
        ({"raw_response": "42.1"}, "deviate"),
        (
            {"failed_to_get_reply": True, "tokens": {"completion_tokens": 5}},
            "unanswered",
        ),
        ({}, "unanswered"),
        ({"raw_response": None, "tokens": None}, "unanswered"),
        ({"tokens": {"completion_tokens": 4352}}, "nan"),
        ({"raw_response": "<think>4", "failed_to_get_reply": False}, "nan"),
    ],
)
def test_an_empty_reply_that_was_paid_for_is_a_reply(
    facts: dict[str, Any], outcome: str
) -> None:
    """A flag tells whether there is a reply; older rows have none, but the tokens that
    were billed.
    """
    row = (
        ROW
        | FLOAT
        | {"raw_response": "", "tokens": {"prompt_tokens": 9, "completion_tokens": 0}}
        | facts
    )
    assert again(row).outcome == outcome


def test_the_residue_of_a_double_is_a_rounding(capsys: Captured) -> None:
    """An integer must be the expected one; how often only a residue is beside it is
    said with the errors.
    """
    row = ROW | {
        "variant": "int_div",
        "operands": [2030, 35],
        "correct": 58,
        "raw_response": "58.000000000001",
    }
    made = again(row)
    assert made.number
    assert (made.outcome, made.number.rounded, made.error_class) == (
        "deviate",
        True,
        "rounded",
    )
    assert main(["report", "trials.jsonl"]) == 0
    assert "1 rounded" in capsys.readouterr().out


def test_rows_become_records() -> None:
    """What a row lacks is null, numbers stay as they are written, a cost of 0 is an
    unknown one.
    """
    made = again(ROW | FLOAT | {"raw_response": "42.15", "cost": 0.0})
    problem = made.problem
    assert (problem.inputs["lhs"], problem.expected, problem.seed, made.prompt) == (
        "12.1",
        "42.15",
        None,
        None,
    )
    assert made.reply
    assert (
        made.reply.cost_usd,
        made.reply.finish_reason,
        made.reply.completion_tokens,
    ) == (None, None, 2)


@pytest.mark.parametrize(
    ("facts", "field"),
    [
        ({"classification": "Fine"}, "classification"),
        ({"tokens": {"prompt_tokens": "many"}}, "prompt_tokens"),
        ({"operands": [1, 2, 3]}, "operands"),
        ({"variant": "int_pow"}, "variant"),
        ({"depth": float("inf")}, "depth"),
        ({"cost": ["free"]}, "cost"),
        ({"correct": float("nan")}, "correct"),
        ({"correct": "seven"}, "expected"),
    ],
)
def test_a_row_of_another_shape_is_named(facts: dict[str, Any], field: str) -> None:
    with pytest.raises(
        UsageError, match=rf"trials\.jsonl, line 1: .*{field}.*; expected a record"
    ):
        again(ROW | facts)


# --- the command ----------------------------------------------------------------------


def test_transitions_are_counted(capsys: Captured) -> None:
    """Of all files together, with the reasons why there is no answer; searches are left
    as they are.
    """
    log = write(
        asked("{}"),
        asked("", trial=1)
        | {"outcome": "deviate", "grade": asked("7")["grade"], "reason": None},
    )
    rows = write(
        ROW
        | {"raw_response": "", "failed_to_get_reply": True, "classification": "NaN"},
        name="rows.jsonl",
    )
    assert main(["regrade", log, rows, write(searched(), name="searches.jsonl")]) == 0
    out, err = capsys.readouterr()
    words = [line.split() for line in out.splitlines()]
    assert words[1] == ["correct", "deviate", "nan", "unanswered"]
    assert (
        ["correct", "2", "0", "0", "0"] in words,
        ["nan", "0", "0", "0", "1"] in words,
    ) == (True, True)
    assert "Reasons for nan: 1 empty" in out
    assert "Mean score" not in out  # as all are 0 or 1
    assert err.startswith(
        "note: 1 records of searches, tasks with a grader and tasks without "
    )


def test_the_replies_behind_a_cell_are_shown(capsys: Captured) -> None:
    """Where they stand, what was asked and what was read.

    No reply and no name has an effect on a terminal.
    """
    reply = f"\x1b[2J\u202e{'x' * 5_000}\r\n= {SUM.expected}"
    other = asked("no") | {
        "task": "other",
        "problem": CUSTOM,
        "reason": "\x1b[2J",
        "reading": None,
    }
    first = asked(reply) | {"outcome": "nan", "grade": {"score": 0}, "reason": "empty"}
    second = other | {"answer": "\x1b[2J"}
    log = write(first, second, name="a\x1b[2J\n.jsonl", end="{")
    assert main(["regrade", log, "--show=nan->correct", "--show=nan->nan"]) == 0
    out, err = capsys.readouterr()
    assert r"a\x1b[2J\n.jsonl:1  nan -> correct" in out
    assert (len(out) < 3_000, rf"\r\n= {SUM.expected}" in out) == (True, True)
    assert f"asked {SUM.question}: expected {SUM.expected}, read {SUM.expected}" in out
    assert all(line.isprintable() for line in (out + err).splitlines())
    assert "line 3: skipped, as it was cut" in err


def test_new_records_are_written(tmp_path: Path, capsys: Captured) -> None:
    """One for each reply, in order.

    The input keeps every byte, and so does it if the command fails.
    """
    log = write(
        asked("7") | {"outcome": "correct", "grade": {"score": 1}}, asked("\ud800")
    )
    before = Path(log).read_bytes()
    assert main(["regrade", str(tmp_path), "--output=new.jsonl"]) == 0
    written = Path("new.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line) for line in written] == [asked("7"), asked("\ud800")]
    assert (
        main(["regrade", write(asked("7"), name="x", end="what?\n"), "--output=y"])
        == WRONG_USAGE
    )
    assert "x, line 2: not JSON" in capsys.readouterr().err
    assert Path(log).read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "new.jsonl",
        "trials.jsonl",
        "x",
    ]


def test_a_task_that_raises_is_named(tmp_path: Path, capsys: Captured) -> None:
    """The record is one, so the message does not ask for another file."""
    (tmp_path / "own.py").write_text(
        "from pytest_llmarith import Problem, Task\n"
        "own = Task('own', [Problem({'n': 1}, 'x', 'a')], str,\n"
        "           lambda text, problem: problem['wrod'])\n",
        "utf-8",
    )
    problem = CUSTOM | {"inputs": {"n": 1}, "expected": "x"}
    log = write(asked("x") | {"task": "own", "problem": problem, "reading": None})
    assert main(["regrade", log, "--task=own.py:own"]) == WRONG_USAGE
    said = capsys.readouterr().err
    assert "line 1: task own raised KeyError" in said
    assert "expected a record" not in said
