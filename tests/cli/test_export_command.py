"""`llmarith export`: trials in the shapes of other programs; what llm_arithmetic can
read, we read back alike.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_llmarith.cli import WRONG_USAGE, main
from pytest_llmarith.records import as_dict
from pytest_llmarith.report.export import Destination, export
from pytest_llmarith.report.render.data import csv_lines
from pytest_llmarith.results.load import load_runs
from pytest_llmarith.types import Dtype, Op
from tests.runs_on_disk import ROW, added, asked, lines_of, log_in, run_in

ADDED = {
    "attempts",
    "failed_to_get_reply",
    "extra_context",
    "reading",
    "finish_reason",
    "simulated",
}
REPLIES = st.one_of(
    st.none(),
    st.sampled_from(
        [
            "{}",
            "",
            "= {}",
            r"\boxed{{}}",
            "7",
            "-1.5",
            "The answer is {}.",
            "I can't",
            "{}0",
            "<think>{}",
        ]
    ),
    st.text(max_size=20),
)


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


@given(
    trials=st.lists(
        st.tuples(
            REPLIES,
            st.sampled_from(Dtype),
            st.sampled_from(Op),
            st.integers(2, 10),
            st.sampled_from(["stop", "length", "content_filter", None]),
            st.sampled_from([None, 0.0, 0.002]),
            st.sampled_from([None, 0, 7]),
        ),
        min_size=1,
        max_size=8,
    )
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_what_is_written_for_llm_arithmetic_reads_back_alike(
    tmp_path_factory: pytest.TempPathFactory, trials: list[Any]
) -> None:
    """The same outcomes for the same reasons, of the same questions, whatever the reply
    and why it ended.
    """
    folder = tmp_path_factory.mktemp("run")
    records = [
        asked(
            text,
            depth,
            trial,
            dtype,
            op,
            finish_reason=finish,
            cost_usd=cost,
            completion_tokens=tokens,
        )
        for trial, (text, dtype, op, depth, finish, cost, tokens) in enumerate(trials)
    ]
    log_in(folder, records)
    rows = folder / "rows.jsonl"
    assert (
        export(load_runs(folder), "llm_arithmetic", Destination(sys.stdout, rows)) == []
    )
    (again,) = load_runs(rows)
    for record, read in zip(records, map(as_dict, again.records()), strict=True):
        assert read["outcome"] == record["outcome"]
        assert read["reason"] == record["reason"] or record["outcome"] == "unanswered"
        assert (read["answers"], read["grade"]) == (record["answers"], record["grade"])
        for name in ("variant", "depth", "inputs", "expected", "strata"):
            assert read["problem"].get(name) == record["problem"].get(name)


def test_the_shape_of_llm_arithmetic(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its keys and three more, its classes, integers as integers.

    What is not known is 0, as it adds numbers up.
    """
    unknown = dict.fromkeys(("cost_usd", "prompt_tokens", "completion_tokens"))
    records = [
        asked("{}", **unknown),  # type: ignore[arg-type]
        asked("7", trial=1),
        asked("x", trial=2),
        asked(None, trial=3),
    ]
    records[0]["condition"]["context"] = "2k"
    log_in(tmp_path / "run", records)
    out, err = exported(capsys, tmp_path / "run", "--format=llm_arithmetic")
    lines = [json.loads(line) for line in out.splitlines()]
    expected = int(records[0]["problem"]["expected"])
    assert lines[0].keys() == ROW.keys() | ADDED
    assert [line["classification"] for line in lines] == [
        "Correct",
        "Deviate",
        "NaN",
        "NaN",
    ]
    assert [line["failed_to_get_reply"] for line in lines] == [
        False,
        False,
        False,
        True,
    ]
    assert [line["parsed"] for line in lines] == [expected, 7, None, None]
    assert (sum(lines[0]["operands"]), lines[1]["error"]) == (
        expected,
        records[1]["grade"]["details"]["absolute_error"],
    )
    assert (lines[0]["tokens"], lines[0]["cost"]) == (
        {"prompt_tokens": 0, "completion_tokens": 0},
        0.0,
    )
    assert lines[0]["extra_context"] == 2_000
    assert (
        "trials in a condition or repeated, which --format=llm_arithmetic does not show: 1"
        in err
    )
    (file := tmp_path / "rows.jsonl").write_text(lines_of(lines[:1]), encoding="ascii")
    (read,) = load_runs(file)[0].records()
    assert [getattr(read.reply, name) for name in unknown] == [None] * 3


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
    assert (first["run"], first["depth"], first["expected"]) == (
        "run",
        "3",
        records[0]["problem"]["expected"],
    )
    assert (json.loads(second["inputs"]), second["outcome"]) == (
        records[1]["problem"]["inputs"],
        "correct",
    )
    assert (third["outcome"], third["reason"], third["text"], third["cost_usd"]) == (
        "unanswered",
        "timeout",
        "",
        "",
    )
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert exported(capsys, run, "--format=csv")[0] == out


def test_a_folder_of_runs_becomes_one_table(tmp_path: Path, capsys: Captured) -> None:
    """Every row names its run, condition and repeat, which llm_arithmetic cannot show.

    README.md is passed over.
    """
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
    out, err = exported(capsys, tmp_path, "--format=llm_arithmetic")
    assert len(out.splitlines()) == 3
    assert (
        "in a condition or repeated, which --format=llm_arithmetic does not show: 1"
        in err
    )
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
