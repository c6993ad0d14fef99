"""Conformance: any grader over a corpus, with counts, examples, times and an exit
status.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.cli import main as llmarith
from pytest_llmarith.exact import conformance

GRADERS = """
import os, time

def same(reply, expected):
    return reply == expected

def partly(reply, expected):
    return 1.0 if reply == expected else 0.8

def scored(reply, expected):
    return {"score": float(reply == expected)}

def raises(reply, expected):
    raise ValueError(reply)

def ends(reply, expected):
    if reply == "42!":
        os._exit(1)
    return reply == expected

def sleeps(reply, expected):
    if reply == "42!":
        time.sleep(600)
    return reply == expected

not_a_function = 3
"""
CASES = [("42", True), ("42!", False), ("42.0", True), ("43", False)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "graders.py").write_text(GRADERS)
    lines = []
    for number, (reply, expect) in enumerate(CASES):
        case = {
            "id": f"case-{number}",
            "category": "format",
            "family": "small" if number % 2 else "large",
        }
        case |= {
            "language": "en",
            "reference": "42",
            "completion": reply,
            "why": "so",
            "origin": "written",
        }
        lines.append(json.dumps(case | {"expect": expect}))
    (tmp_path / "cases.jsonl").write_text("\n".join(lines))
    return tmp_path


def report_of(folder: Path, name: str, *options: str) -> Any:
    request = [
        f"{folder}/graders.py:{name}",
        f"--corpus={folder}/cases.jsonl",
        "--format=json",
        *options,
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest_llmarith.exact.conformance", *request],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", ["same", "partly", "scored"])
def test_errors_are_counted_by_family(folder: Path, name: str) -> None:
    report = report_of(folder, name)
    assert report["total"] == {
        "family": "all",
        "cases": 4,
        "to_refuse": 2,
        "false_accepts": 0,
        "to_accept": 2,
        "false_refusals": 1,
    }
    assert [(one["family"], one["false_refusals"]) for one in report["families"]] == [
        ("large", 1),
        ("small", 0),
    ]
    assert [(one["id"], one["accepts"]) for one in report["wrong"]] == [
        ("case-2", False)
    ]
    assert (report["percent_right"], report["faults"]) == (75.0, 0)


@pytest.mark.parametrize(
    ("name", "faults", "right"),
    [("raises", 4, 50.0), ("ends", 1, 75.0), ("sleeps", 1, 75.0)],
)
def test_a_grader_that_fails_refuses(
    folder: Path, name: str, faults: int, right: float
) -> None:
    """An exception, the end of its process or a reply that takes too long costs only
    that reply.
    """
    report = report_of(folder, name, "--timeout=3")
    assert (report["faults"], report["percent_right"]) == (faults, right)


def test_the_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = [
        "conformance",
        f"{folder}/graders.py:same",
        f"--corpus={folder}/cases.jsonl",
    ]
    assert llmarith([*asked, "--fail-under=75"]) == 0
    assert "case-2: refuses '42.0' for 42" in capsys.readouterr().out
    assert llmarith([*asked, "--fail-under=76"]) == 1
    table = " ".join(capsys.readouterr().out.split())
    assert "| all | 4 | 0 of 2 | 1 of 2 |" in table


@pytest.mark.parametrize(
    ("grader", "message"),
    [
        ("graders.py:missing", "has no function missing"),
        ("graders.py:not_a_function", "has no function"),
        ("no_such_module:grade", "No module named"),
        ("grade", "names no function"),
    ],
)
def test_what_is_no_grader(
    folder: Path,
    grader: str,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    assert conformance.main([grader]) == 4
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
    assert conformance.main(["graders.py:same", "--corpus=none.jsonl"]) == 4
    assert conformance.main(["--format=xml"]) == 4
