"""`llmarith export`: trials in the shapes of other programs; what llm_arithmetic can read, we read back alike."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_llmarith.cli import WRONG_USAGE, main
from pytest_llmarith.records import as_dict
from pytest_llmarith.reports.exporting import Request, Shape, export
from pytest_llmarith.reports.opening import opened
from pytest_llmarith.values import Dtype, Op
from tests.runs_on_disk import ROW, added, asked, lines_of, log_in, run_in

REPLIES = st.one_of(
    st.none(),
    st.sampled_from(["{}", "", "= {}", r"\boxed{{}}", "7", "-1.5", "The answer is {}.", "I can't", "{}0", "<think>{}"]),
    st.text(max_size=20),
)


def exported(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[str, str]:
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
    """The same outcomes for the same reasons, of the same questions, whatever the reply and why it ended."""
    folder = tmp_path_factory.mktemp("run")
    records = [
        asked(text, depth, trial, dtype, op, finish_reason=finish, cost_usd=cost, completion_tokens=tokens)
        for trial, (text, dtype, op, depth, finish, cost, tokens) in enumerate(trials)
    ]
    log_in(folder, records)
    rows = folder / "rows.jsonl"
    assert export(Request([folder], Shape.LLM_ARITHMETIC, rows)) == (0, 0)
    (again,) = opened(rows)
    for record, read in zip(records, map(as_dict, again.records()), strict=True):
        assert read["outcome"] == record["outcome"]
        assert read["reason"] == record["reason"] or record["outcome"] == "unanswered"
        assert (read["answer"], read["grade"]) == (record["answer"], record["grade"])
        for name in ("variant", "depth", "lhs", "rhs", "expected"):
            assert read["problem"][name] == record["problem"][name]


def test_the_shape_of_llm_arithmetic(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its keys, its classes, integers as integers; a cost that nobody knows is 0, as there."""
    records = [asked("{}", trial=0, cost_usd=None), asked("7", trial=1), asked("x", trial=2), asked(None, trial=3)]
    log_in(tmp_path, records)
    out, err = exported(capsys, tmp_path, "--to=llm_arithmetic")
    lines = [json.loads(line) for line in out.splitlines()]
    assert [line["classification"] for line in lines] == ["Correct", "Deviate", "NaN", "NaN"]
    assert [line["failed_to_get_reply"] for line in lines] == [False, False, False, True]
    expected = int(records[0]["problem"]["expected"])
    assert lines[0] | {"operands": None, "timestamp": None} == {
        "model": "o4-mini",
        "variant": "int_add",
        "depth": 3,
        "operands": None,
        "correct": expected,
        "raw_response": str(expected),
        "parsed": expected,
        "classification": "Correct",
        "error": None,
        "tokens": {"prompt_tokens": 30, "completion_tokens": 3},
        "cost": 0.0,
        "timestamp": None,
        "attempts": 1,
        "failed_to_get_reply": False,
        "extra_context": 0,
        "reading": "tolerant",
        "finish_reason": None,
        "simulated": False,
    }
    assert (sum(lines[0]["operands"]), lines[1]["parsed"], lines[2]["parsed"]) == (expected, 7, None)
    assert lines[1]["error"] == records[1]["grade"]["absolute_error"]
    assert err == ""


def test_what_nobody_knows_is_0_in_llm_arithmetic(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It adds numbers up. We read them as unknown again; small talk before the question is told in tokens."""
    record = asked("{}", cost_usd=None, prompt_tokens=None, completion_tokens=None)
    log_in(tmp_path / "run", [record | {"condition": {**record["condition"], "context": "2k"}}])
    row = json.loads(exported(capsys, tmp_path / "run", "--to=llm_arithmetic")[0])
    assert row["tokens"] == {"prompt_tokens": 0, "completion_tokens": 0}
    assert (row["cost"], row["extra_context"]) == (0.0, 2_000)
    (file := tmp_path / "rows.jsonl").write_text(lines_of([row]), encoding="ascii")
    (again,) = opened(file)
    (read,) = again.records()
    assert [getattr(read.reply, name) for name in ("prompt_tokens", "completion_tokens", "cost_usd")] == [None] * 3
    (first,) = rows(exported(capsys, tmp_path / "run", "--to=csv")[0])
    assert (first["condition"], first["repeat"]) == ("context_2k", "0")


def test_rows_of_llm_arithmetic_keep_what_they_say(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Read, graded by our rules, and written again, a row says what it said."""
    row = ROW | {"attempts": 2, "failed_to_get_reply": False, "extra_context": 0}
    (file := tmp_path / "rows.jsonl").write_text(lines_of([row]), encoding="ascii")
    written = json.loads(exported(capsys, file, "--to=llm_arithmetic")[0])
    assert {key: written[key] for key in row} == row


def test_the_shape_of_additions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its keys; the status is our outcome. Trials of other tasks are counted, not written."""
    records = [added("{}", reasoning="carry the one"), added(None, trial=1), asked("{}")]
    log_in(tmp_path, records)
    out, err = exported(capsys, tmp_path, "--to=addition")
    problem = records[0]["problem"]
    first, second = (json.loads(line) for line in out.splitlines())
    assert first == {
        "int1": int(problem["int1"]),
        "int2": int(problem["int2"]),
        "duration_seconds": 1.5,
        "response": problem["expected"],
        "model": "o4-mini",
        "status": "correct",
        "reasoning": "carry the one",
    }
    assert (second["status"], second["response"], second["duration_seconds"]) == ("unanswered", None, None)
    assert err == "llmarith export: 1 trial of another task has no place in --to=addition; --to=csv takes all\n"


def test_csv_has_a_row_per_trial(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of all tasks; with --spreadsheet nothing in a reply is obeyed or breaks a line."""
    hostile = '=HYPERLINK("http://a.bc")\r\n\x1b[2J","'
    records = [asked(hostile), added("{}"), asked(None, trial=1)]
    run = run_in(tmp_path / "run", records)
    (as_it_is, *_) = rows(exported(capsys, run, "--to=csv")[0])
    assert as_it_is["text"] == hostile
    out, err = exported(capsys, run, "--to=csv", "--spreadsheet")
    first, second, third = rows(out)
    assert (err, out.count("\n")) == ("", 4)
    assert first["text"] == '\'=HYPERLINK("http://a.bc")\\r\\n\\x1b[2J","'
    assert (first["run"], first["depth"], first["lhs"]) == ("run", "3", records[0]["problem"]["lhs"])
    assert (second["int1"], second["outcome"]) == (records[1]["problem"]["int1"], "correct")
    assert (third["outcome"], third["reason"], third["text"], third["cost_usd"]) == ("unanswered", "timeout", "", "")


def test_a_folder_of_runs_becomes_one_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The trials of all runs in a folder become one table, in which every row names its run."""
    log_in(tmp_path / "a", [asked("{}")])
    log_in(tmp_path / "b", [asked("7"), asked("{}", trial=1)])
    assert [row["run"] for row in rows(exported(capsys, tmp_path, "--to=csv")[0])] == ["a", "b", "b"]


def test_files_beside_the_runs_are_passed_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`reports/*` names the README, too; alone it is refused."""
    run = run_in(tmp_path / "run", [asked("{}")])
    beside = [tmp_path / "README.md"]
    for file in beside:
        file.write_text("{}\n", encoding="ascii")
    assert len(rows(exported(capsys, run, *beside, "--to=csv")[0])) == 1
    for file in beside:
        assert main(["export", str(file), "--to=csv"]) == WRONG_USAGE
        assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["export", "{run}", "--to=llm_arithmetic", "--spreadsheet"],
        ["export", "{run}", "--to=addition", "--spreadsheet"],
        ["export", "{run}", "--to=csv", "--spreadsheet=yes"],
        ["report", "{run}", "--spreadsheet"],
        ["report", "{run}", "--format=json", "--spreadsheet"],
    ],
)
def test_only_csv_is_for_spreadsheets(tmp_path: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """--spreadsheet beside another format is refused in one line."""
    run = run_in(tmp_path / "run", [asked("{}")])
    try:
        status: object = main([part.format(run=run) for part in arguments])
    except SystemExit as left:
        status = left.code
    assert status == WRONG_USAGE
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "--spreadsheet" in err


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def test_a_terminal_obeys_nothing_in_a_reply(tmp_path: Path) -> None:
    """On a terminal CSV is written as for a spreadsheet."""
    run = run_in(tmp_path / "run", [asked("\x1b[2J")])
    export(Request([run], Shape.CSV), terminal := Terminal())
    assert "\x1b" not in terminal.getvalue()
    (row,) = rows(terminal.getvalue())
    assert row["text"] == r"\x1b[2J"


@pytest.mark.parametrize("shape", ["llm_arithmetic", "addition"])
def test_a_run_without_such_trials_is_named(tmp_path: Path, shape: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is written then, and the line names the shape that takes all."""
    log_in(tmp_path / "run", [])
    target = tmp_path / "out.jsonl"
    assert main(["export", str(tmp_path / "run"), f"--to={shape}", f"--output={target}"]) == WRONG_USAGE
    assert f"--to={shape}: none of the trials is of that kind; --to=csv takes all" in capsys.readouterr().err
    assert not target.exists()


def test_a_file_is_replaced_by_force_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that exists is replaced with --force only, and a file of the exported run not even then."""
    run, target = run_in(tmp_path / "run", [asked("{}")]), tmp_path / "out.csv"
    target.write_text("mine", encoding="ascii")
    arguments = ["export", str(run), "--to=csv"]
    assert main([*arguments, f"--output={target}"]) == WRONG_USAGE
    assert "the file exists; name another or add --force" in capsys.readouterr().err
    assert target.read_text(encoding="ascii") == "mine"
    assert main([*arguments, f"--output={target}", "--force"]) == 0
    assert len(rows(target.read_text(encoding="utf-8"))) == 1
    assert main([*arguments, f"--output={run / 'summary.json'}", "--force"]) == WRONG_USAGE
    assert "one of the files to read" in capsys.readouterr().err


def test_csv_tells_conditions_and_repeats_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same question put otherwise, or again, is a row that says so."""
    comma = {"numbers": "comma", "symbols": "ascii", "context": None, "prompt": None, "system": "2"}
    run = run_in(tmp_path / "run", [asked("{}"), asked("{}", trial=1) | {"condition": comma, "repeat": 3}])
    table = rows(exported(capsys, run, "--to=csv")[0])
    assert [(row["condition"], row["repeat"]) for row in table] == [("", "0"), ("numbers_comma-system_2", "3")]


def test_rows_that_hide_conditions_and_repeats_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A reader would take the rows for independent trials. The spreadsheet has columns for both."""
    records = [asked("{}"), asked("{}") | {"repeat": 1, "nodeid": "test_bench.py::test[repeat_1]"}]
    records.append(asked("{}", trial=1) | {"condition": records[0]["condition"] | {"numbers": "comma"}})
    run = run_in(tmp_path / "run", records)
    out, err = exported(capsys, run, "--to=llm_arithmetic")
    assert len(out.splitlines()) == 3
    assert err == (
        "llmarith export: 2 trials were put in a condition or repeated, which --to=llm_arithmetic does not fully say: "
        "a problem may have several rows; --to=csv tells them apart\n"
    )
    assert exported(capsys, run, "--to=csv")[1] == ""
