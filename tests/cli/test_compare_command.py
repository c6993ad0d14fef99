"""`llmarith compare`: what it prints, what it refuses, and its exit statuses."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.cli import WRONG_USAGE, main
from pytest_llmarith.records import as_dict
from tests.report.latex import tables_in
from tests.results.made import measured
from tests.runs_on_disk import ROW, asked, lines_of, run_in

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")


def sums(right: int, wrong: int, **facts: Any) -> list[dict[str, Any]]:
    """Trials of which the first ones are wrong."""
    return [
        asked("1" if trial < wrong else "{}", trial=trial, **facts)
        for trial in range(right + wrong)
    ]


def values(capsys: Captured) -> dict[str, Any]:
    """The values of the only comparison over all by measure, as data."""
    found = json.loads(capsys.readouterr().out)
    assert (found["format"], found["notes"]) == (1, [])
    (one,) = found["comparisons"]
    assert {row["measure"] for row in one["estimates"]} == found["measures"].keys()
    return {row["measure"]: row["value"] for row in one["estimates"]}


def test_runs_are_compared(capsys: Captured) -> None:
    run_in(Path("old"), sums(40, 0), seed=0)
    run_in(Path("new"), sums(30, 10), seed=0)
    assert main(["compare", "old", "new", "--fail-if-worse=5"]) == 1
    out, err = capsys.readouterr()
    assert out.splitlines()[:4] == [
        "A: old, o4-mini",
        "B: new, o4-mini",
        "paired: 40 questions; without a pair in A 0, in B 0; unanswered in A 0, in B 0",
        "differing: nothing that is known (dtype, kernels and batch of a server are not)",
    ]
    assert (
        "over all     40  100.0  75.0  -25.0 (-40.2 to -11.1)       0     10  0.0020*"
        in out
    )
    assert err.startswith(
        "llmarith compare: new, o4-mini, over all: 25.0 points lower than old"
    )
    assert err.count("\n") == 1
    assert main(["compare", "new", "old", "--fail-if-worse=5"]) == 0


def test_a_pass_says_what_it_could_not_see(capsys: Captured) -> None:
    """Ten pairs show no difference of two points.

    It stays a pass; of a limit that they show, nothing is said.
    """
    run_in(Path("old"), sums(10, 0))
    run_in(Path("new"), sums(10, 0))
    assert main(["compare", "old", "new", "--format=json"]) == 0
    shown = values(capsys)["difference_detectable"]
    assert main(["compare", "old", "new", "--fail-if-worse=2"]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert all(
        fact in line
        for fact in (
            "new, o4-mini",
            "10 pairs",
            f"{shown:.1f} points",
            "the limit is 2",
        )
    )
    assert main(["compare", "old", "new", f"--fail-if-worse={shown}"]) == 0
    assert capsys.readouterr().err == ""
    run_in(Path("tiny"), sums(1, 0))
    assert main(["compare", "tiny", "tiny", "old", "--fail-if-worse=100"]) == 0
    assert "1 pair of questions show no difference" in capsys.readouterr().err


def test_other_formats(capsys: Captured) -> None:
    run_in(Path("old"), sums(8, 0))
    run_in(Path("new"), sums(6, 2))
    assert main(["compare", "old", "new", "--format=json"]) == 0
    row = values(capsys)
    assert row["difference"] == -25
    assert row["difference_detectable"] == pytest.approx(90, abs=10)
    assert main(["compare", "old", "new", "--format=csv", "--output=x.csv"]) == 0
    with Path("x.csv").open(newline="", encoding="utf-8") as file:
        rows = {row["measure"]: row for row in csv.DictReader(file)}
    assert (rows["difference"]["value"], rows["difference"]["run"]) == ("-25.0", "new")
    assert rows["difference"]["at"] == "o4-mini in old"
    assert main(["compare", "old", "new", "--format=markdown"]) == 0
    assert "| `over all` | 8 | 100.0 | 75.0 | -25.0 (" in capsys.readouterr().out
    assert main(["compare", "old", "new", "--format=latex", "--output=x.tex"]) == 0
    (table,) = tables_in(Path("x.tex").read_text("ascii"))
    assert table.rows[1][:4] == ["over all", "8", "100.0", "75.0"]
    assert table.rows[1][4].startswith("$-$25.0 (")
    assert table.caption.startswith(
        "B = new, o4-mini minus A = old, o4-mini. Paired: 8 questions; "
    )
    assert all(method in table.caption for method in ("Newcombe", "McNemar", "Holm"))


def test_a_folder_of_runs_beside_one_of_them(capsys: Captured) -> None:
    """Every run in it but the baseline; a row for each at the end."""
    for name, wrong in (("a", 0), ("b", 2), ("c", 4)):
        run_in(Path("runs") / name, sums(10 - wrong, wrong))
    assert main(["compare", "runs/a", "runs"]) == 0
    rows = [
        line.split()[:5]
        for line in capsys.readouterr().out.splitlines()
        if line[:2] in ("b,", "c,")
    ]
    assert rows == [
        ["b,", "o4-mini", "10", "100.0", "80.0"],
        ["c,", "o4-mini", "10", "100.0", "60.0"],
    ]
    assert main(["compare", "runs"]) == 0  # its first run is the baseline
    assert capsys.readouterr().out.count("A: runs/a, o4-mini") == 2


def test_rows_of_llm_arithmetic(capsys: Captured) -> None:
    """Their replies are read and graded by today's rules."""
    wrong = ROW | {
        "model": "gpt-4o",
        "raw_response": "578",
        "classification": "Deviate",
    }
    for name, row in (("a", ROW), ("b", wrong), ("c", ROW | {"operands": [1, 578]})):
        Path(f"{name}.jsonl").write_text(lines_of([row]), encoding="ascii")
    assert main(["compare", "a.jsonl", "b.jsonl"]) == 0
    assert "over all      1  100.0  0.0  -100.0" in capsys.readouterr().out
    assert main(["compare", "a.jsonl", "c.jsonl"]) == WRONG_USAGE
    assert "no question is the same" in capsys.readouterr().err
    assert main(["compare", "a.jsonl", "c.jsonl", "--unpaired"]) == 0
    assert (
        "not paired, as A and B did not ask the same questions"
        in capsys.readouterr().out
    )


def test_d50_has_no_gate(capsys: Captured) -> None:
    for name, digits in (("old", 7), ("new", 5)):
        run_in(Path(name), [as_dict(one) for one in measured(mul=digits)])
    assert main(["compare", "old", "new"]) == 0
    assert "int_mul  7." in capsys.readouterr().out
    assert main(["compare", "old", "new", "--fail-if-worse=2"]) == WRONG_USAGE
    out, err = capsys.readouterr()
    assert (out, err.count("\n"), "no gate for searches" in err) == ("", 1, True)
