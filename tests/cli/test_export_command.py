"""`llmarith export`: the trials of all tasks as CSV."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path

import pytest

from pytest_llmarith.cli import WRONG_USAGE, main
from pytest_llmarith.report.export import csv_lines
from tests.runs_on_disk import added, asked, log_in, run_in

Captured = pytest.CaptureFixture[str]


def exported(
    capsys: pytest.CaptureFixture[str], *arguments: str | Path
) -> tuple[str, str]:
    """What a command that goes well prints, and what it says."""
    assert main(["export", *map(str, arguments)]) == 0
    return capsys.readouterr()


def rows(text: str) -> list[dict[str, str]]:
    """CSV as a reader sees it."""
    return list(csv.DictReader(io.StringIO(text)))


def test_csv_has_a_row_per_trial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    """Of all tasks; with --spreadsheet and on a terminal nothing in a reply is obeyed
    or breaks a line.
    """
    hostile = '=HYPERLINK("http://a.bc")\r\n\x1b[2J","'
    records = [asked(hostile), added("{}"), asked(None, trial=1)]
    run = run_in(tmp_path / "run", records)
    (as_it_is, *_) = rows(exported(capsys, run, "--format=csv")[0])
    assert as_it_is["text"] == hostile
    out, err = exported(capsys, run, "--format=csv", "--spreadsheet")
    first, second, third = rows(out)
    assert (err, out.count("\n")) == ("", 4)
    assert first["text"] == '\'=HYPERLINK("http://a.bc")\\r\\n\\x1b[2J","'
    assert first["run"] == "run"
    assert first["depth"] == "3"
    assert first["expected"] == records[0]["problem"]["expected"]
    assert json.loads(second["inputs"]) == records[1]["problem"]["inputs"]
    assert second["outcome"] == "correct"
    assert third["outcome"] == "unanswered"
    assert third["reason"] == "timeout"
    assert third["text"] == ""
    assert third["cost_usd"] == ""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert exported(capsys, run, "--format=csv")[0] == out


def test_a_folder_of_runs_becomes_one_table(tmp_path: Path, capsys: Captured) -> None:
    """Every row names its run, condition and repeat; README.md is passed over."""
    condition = {
        "numbers": "comma",
        "symbols": "ascii",
        "context": None,
        "prompt": None,
        "system": "2",
    }
    log_in(tmp_path / "a", [asked("{}")])
    log_in(
        tmp_path / "b",
        [asked("7"), asked("{}", trial=1) | {"condition": condition, "repeat": 3}],
    )
    (readme := tmp_path / "README.md").write_text("{}\n", encoding="ascii")
    table = rows(exported(capsys, tmp_path, readme, "--format=csv")[0])
    assert [(row["run"], row["condition"], row["repeat"]) for row in table] == [
        ("a", "", "0"),
        ("b", "", "0"),
        ("b", "numbers_comma-system_2", "3"),
    ]
    assert main(["export", str(readme), "--format=csv"]) == WRONG_USAGE


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        *((number, number) for number in ("-12.50", "1.2e-05", "-3", "a=1")),
        *(
            ("=1+1", "'=1+1"),
            ("+1", "'+1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("  =1", "  '=1"),
            ("＝1", "'＝1"),
        ),
        ("-1+cmd|' /C calc'!A0", "'-1+cmd|' /C calc'!A0"),
        *(
            ("\t=1", r"\t=1"),
            ("\r\n=1", r"\r\n=1"),
            ("a; =1", "a; '=1"),
            ("\x1b[2J", r"\x1b[2J"),
        ),
    ],
)
def test_a_spreadsheet_obeys_no_cell(text: str, shown: str) -> None:
    """Numbers stay numbers, and what a spreadsheet would obey is text, whatever hides
    it.
    """
    assert (
        list(csv_lines([{"a": text, "b": None, "c": True}], spreadsheet=True))[1]
        == f'"{shown}","","true"\n'
    )
