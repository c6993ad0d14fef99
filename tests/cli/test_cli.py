"""`llmarith` speaks to people: one clear line, exit status 4, no traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from pytest_llmarith.cli import WRONG_USAGE, main
from pytest_llmarith.evaluate import Trial, number_record
from pytest_llmarith.records import as_dict
from pytest_llmarith.tasks import arithmetic
from pytest_llmarith.values import Dtype, Model, Op, Reading, Reply

SUM = arithmetic.problem(0, Dtype.INT, Op.ADD, 3, 0)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A run log of one correct reply."""
    made = as_dict(
        number_record(
            SUM, Trial.of(SUM, Model("m", "p/m"), "prompt", None), Reading.TOLERANT, Reply(f"= {SUM.expected}")
        )
    )
    (file := tmp_path / "trials.jsonl").write_text(json.dumps(made) + "\n", encoding="utf-8")
    return file


def test_regrade_prints_its_tables(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """regrade prints a table on stdout, nothing on stderr, and exits with 0."""
    assert main(["regrade", str(log)]) == 0
    out, err = capsys.readouterr()
    assert "Transitions" in out
    assert err == ""


def test_regrade_takes_its_options(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Reading, cells and the file to write reach the command."""
    new = log.with_name("new.jsonl")
    assert main(["regrade", str(log), "--reading=strict", "--show=correct->nan", f"--write={new}"]) == 0
    assert "correct -> nan" in capsys.readouterr().out
    assert json.loads(new.read_text("utf-8"))["outcome"] == "nan"
    assert main(["regrade", str(log), f"--write={new}", "--force"]) == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "the following arguments are required: COMMAND; see llmarith --help"),
        (["regrade", "x", "--\x1b\n"], r"--\x1b\n"),
        (["regrade"], "FILE"),
        (["regrade", "x", "--reading=loose"], "'strict', 'tolerant'"),
        (["regrade", "x", "--colour"], "--colour"),
        (["improve"], "improve"),
    ],
)
def test_wrong_usage_has_its_status(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Wrong usage is one line that names what is wrong and where help is, and a status of its own."""
    with pytest.raises(SystemExit) as left:
        main(arguments)
    err = capsys.readouterr().err
    assert left.value.code == WRONG_USAGE
    assert said in err
    assert "--help" in err
    assert err.count("\n") == 1


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """--version prints the version of the package that is installed."""
    with pytest.raises(SystemExit) as left:
        main(["--version"])
    assert not left.value.code
    assert capsys.readouterr().out == f"pytest-llmarith {version('pytest-llmarith')}\n"


def test_deep_json_is_one_line(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What Python cannot follow is named by file and line."""
    log.write_text("[" * 200_000, encoding="utf-8")
    assert main(["regrade", str(log)]) == WRONG_USAGE
    err = capsys.readouterr().err
    assert "trials.jsonl, line 1: nested too deep" in err
    assert err.count("\n") == 1


def test_a_pipe_stays_where_a_file_was_to_be_written(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--force replaces files and nothing else."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes")
    os.mkfifo(pipe := log.with_name("pipe"))
    assert main(["regrade", str(log), f"--write={pipe}", "--force"]) == WRONG_USAGE
    err = capsys.readouterr().err
    assert "not a regular file" in err
    assert err.count("\n") == 1
    assert pipe.is_fifo()


def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A missing file or a folder: its name, the cause, what to name instead."""
    for file in (tmp_path / "none.jsonl", tmp_path):
        assert main(["regrade", str(file)]) == WRONG_USAGE
        err = capsys.readouterr().err
        assert str(file) in err
        assert "trials.jsonl of a run" in err
        assert err.count("\n") == 1


def test_a_reader_that_has_seen_enough_is_no_error(log: Path) -> None:
    """`llmarith regrade FILE | head` ends without a traceback."""
    command = [sys.executable, "-c", "from pytest_llmarith.cli import main; raise SystemExit(main())", "regrade"]
    with subprocess.Popen([*command, str(log)], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
        assert process.wait() == 0
