"""`llmarith` speaks to people: one clear line, exit status 4, no traceback."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_llmarith.cli import WRONG_USAGE, main
from tests.runs_on_disk import added, asked, log_in, run_in


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two runs with a sum and a wrong one, a run of an integer addition, a run without
    trials, and a file.
    """
    monkeypatch.chdir(tmp_path)
    for name in ("run", "other"):
        run_in(Path(name), [asked("{}"), asked("7", trial=1)])
    run_in(Path("additions"), [added("{}")])
    log_in(Path("empty"), [])
    Path("old").write_text("mine", "ascii")
    return tmp_path


# A command, and what the refusal says.
USAGE = r"""
 | the following arguments are required: COMMAND; see llmarith --help
improve | improve
report | RUN
export --format=csv | RUN
compare | RUN
merge | RUN
plot | RUN
cite | RUN
regrade | FILE
export run | --format
merge run | --output
plot run | --output
report run --format=html | add --output=report.html
compare run | add --model=A:B
compare run run | add --model=A:B
compare run other --allow-unanswered=5 | add --fail-if-worse=POINTS
plan --detect=3 run | llmarith plan: unrecognized arguments: run; see llmarith plan --help
store status run | see llmarith store status --help
regrade run --match=loose | 'strict', 'tolerant'
report run --format=tex | 'markdown', 'latex'
compare run other --format=tex | 'markdown', 'latex'
export run --format=json | 'csv', 'parquet'
plot run --kind=pie --output=x.svg | 'curves', 'heatmap'
plot run --output=x.jpg | .svg
plot run --output=x | .svg
report run --min-depth=deep | 'deep' is not a whole number from 1
report run --max-depth=0 | '0' is not a whole number
report run --sort=colour | not a column; write one of run, model, task, date, trials, correct, cost
report run --sort= | not a column; write one of run, model, task, date, trials, correct, cost
compare run other --condition=context_2k | --condition=context_2k
compare run other --fail-if-worse=-2 | write 2 or 2.5
compare run other --fail-if-worse= | write 2 or 2.5
compare run other --fail-if-worse=101 | write 2 or 2.5
compare run other --fail-if-worse=nan | write 2 or 2.5
compare run other --fail-if-worse=٣ | write 2 or 2.5
compare run other --fail-if-worse=2 --allow-unanswered=-1 | a whole number from 0
compare run other --fail-if-worse=2 --allow-unanswered= | a whole number from 0
compare run other --fail-if-worse=2 --allow-unanswered=1.5 | a whole number from 0
batch submit run --most=-1 | '-1' is not a whole number from 1
batch submit run --max-cost=1e999 | '1e999' is not a positive amount
batch submit run --price=1 | '1' is not IN,OUT
report nowhere | nowhere: cannot be read
compare run nowhere | nowhere: cannot be read
cite nowhere | nowhere: cannot be read
regrade nowhere | nowhere: cannot be read
report run --min-depth=9 --max-depth=4 | no trial of depths 9 to 4
report run --format=json --spreadsheet | --spreadsheet: --format=json is not CSV
report run --format=html --sort=model --output=x | remove --sort
report run --force | --force needs --output
report run --format=csv -v | remove -v
report run --format=json -v | remove -v
report run --format=html -v | remove -v
report run --output=old | the file exists; name another file or add --force
export run --format=csv --output=old | the file exists; name another file or add --force
compare run other --output=old | the file exists; name another file or add --force
cite run --output=old | the file exists; name another file or add --force
regrade run --output=old | the file exists; name another file or add --force
report run --output=run/trials.jsonl --force | one of the input files
report run --format=html --output=run/trials.jsonl --force | one of the input files
export run --format=csv --output=run/trials.jsonl --force | one of the input files
compare run other --output=run/trials.jsonl --force | one of the input files
cite run --output=run/trials.jsonl --force | one of the input files
regrade run --output=run/trials.jsonl --force | one of the input files
merge run --output=run | this exists
report run --format=html --output=no/page.html | cannot be written
report run --model=o3 | no trial of models o3; the runs have models o4-mini and tasks arithmetic
compare run empty/trials.jsonl | one of the runs has no trials
plot additions --kind=heatmap --output=x.svg | it needs a task with variants and depths
plot run --kind=differences --output=x.svg | it needs two models
plot run --kind=cost --output=x.svg | it needs two models
"""
HOSTILE = [
    ("regrade run --\x1b", "--\\x1b"),
    ("regrade run --show=\x1b", "is not a transition"),
    (f"cite {'long' * 1100}", "cannot be read (File name too long)"),
]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [*(row.split(" | ") for row in USAGE.strip("\n").splitlines()), *HOSTILE],
)
def test_wrong_usage_is_one_line(
    arguments: str, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    try:
        status: object = main(arguments.split(" ") if arguments else [])
    except SystemExit as left:
        status = left.code
    out, err = capsys.readouterr()
    assert (status, out, err.count("\n")) == (WRONG_USAGE, "", 1)
    assert said in err
    assert {
        path: path.read_bytes() for path in folder.rglob("*") if path.is_file()
    } == before


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    """`llmarith report FILE | head` ends without a traceback."""
    log = log_in(tmp_path, [asked("{}")])
    command = [
        sys.executable,
        "-c",
        "from pytest_llmarith.cli import main; raise SystemExit(main())",
        "report",
    ]
    with subprocess.Popen(
        [*command, str(log)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
        assert process.wait() == 0


@pytest.mark.skipif(
    not Path("/dev/full").exists(),
    reason="the system has no device that is always full",
)
def test_a_full_disk_is_told_in_one_line(tmp_path: Path) -> None:
    log = log_in(tmp_path, [asked("{}")])
    command = [
        sys.executable,
        "-c",
        "from pytest_llmarith.cli import main; raise SystemExit(main())",
        "report",
    ]
    with Path("/dev/full").open("wb") as full:
        left = subprocess.run(
            [*command, str(log)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (left.returncode, left.stderr.count("\n")) == (1, 1)
    assert "No space left" in left.stderr


def test_the_commands_load_nothing_slow_before_they_run() -> None:
    code = "import sys, pytest_llmarith.cli, pytest_llmarith.session.console; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"httpx", "litellm", "jinja2", "hypothesis", "numpy", "sqlite3"} & {
        *loaded
    }


@pytest.mark.parametrize("command", ["report", "compare"])
def test_colour_is_for_terminals(
    folder: Path,
    command: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Neither a pipe nor a file nor a user with NO_COLOR gets any."""

    def printed(*more: str) -> str:
        assert main([command, "run", "other", *more]) == 0
        return capsys.readouterr().out

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    plain = printed()
    assert "\x1b" not in plain
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    with_colour = printed()
    assert "\x1b[1m" in with_colour
    assert re.sub("\x1b\\[[0-9]+m", "", with_colour) == plain
    for form in ("markdown", "latex", "json"):
        assert "\x1b" not in printed(f"--format={form}")
    assert printed("--output=written") == ""
    assert Path("written").read_text("utf-8") == plain
    for name, value in (("TERM", "dumb"), ("NO_COLOR", "1")):
        monkeypatch.setenv(name, value)
        assert printed() == plain
