"""A run as the first summaries and records of format 1 were written: the files lie beside this one, made by that code.

They know no retries, no variants, no spending, no shards and no programs, and not what was selected of each task.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.cli import main
from pytest_llmarith.reports.schemas import schema_of
from tests.reports.test_schemas import closed, fault_of, records_in

FIRST = Path(__file__).parent / "first_form"
LONGER = {"cells", "lengths"}  # each of which tells more today


def summary_in(run: Path) -> dict[str, Any]:
    summary: dict[str, Any] = json.loads((run / "summary.json").read_text("utf-8"))
    return summary


def run(*arguments: str | Path) -> None:
    assert main([*map(str, arguments)]) == 0


def test_the_schemas_allow_for_it() -> None:
    """Today's schemas allow for records and summaries of the first form: what came later is not required."""
    assert [fault_of(record, closed(schema_of("record"))) for record in records_in(FIRST)] == [None] * 6
    assert fault_of(summary_in(FIRST), closed(schema_of("summary"))) is None


def test_it_is_graded_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`llmarith regrade` comes to what it came to then, and writes records as the schema has them."""
    run("regrade", FIRST, "--write", tmp_path / "again.jsonl")
    assert "6 replies" in capsys.readouterr().out
    again = [json.loads(line) for line in (tmp_path / "again.jsonl").read_text("utf-8").splitlines()]
    assert [record["outcome"] for record in again] == [record["outcome"] for record in records_in(FIRST)]
    assert [fault_of(record, closed(schema_of("record"))) for record in again] == [None] * 6


def test_it_is_merged_and_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`llmarith merge` makes a summary of today of it, which counts the same, and `llmarith compare` pairs the two."""
    run("merge", FIRST, "--into", merged := tmp_path / "merged")
    assert fault_of(summary_in(merged), closed(schema_of("summary"))) is None
    for then, now in zip(summary_in(FIRST)["results"], summary_in(merged)["results"], strict=True):
        assert {key: now[key] for key in then if key not in LONGER} == {
            k: v for k, v in then.items() if k not in LONGER
        }
    capsys.readouterr()
    run("compare", FIRST, merged)
    assert "paired: 6 questions" in capsys.readouterr().out


def test_it_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    """`llmarith report` gives today's figures of a run of the first form."""
    run("report", FIRST, "--format=json")
    (summary,) = json.loads(capsys.readouterr().out)
    assert fault_of(summary, closed(schema_of("summary"))) is None
    assert [variant["variant"] for variant in summary["results"][0]["variants"]] == ["int_mul", "float_div"]


def test_it_is_shown_and_exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The page and the table of trials know the classes of its errors, which it did not."""
    run("report", FIRST, "--format=html", "--output", page := tmp_path / "report.html")
    assert "one digit" in page.read_text("utf-8")
    run("export", FIRST, "--to=csv")
    assert "one digit" in capsys.readouterr().out
