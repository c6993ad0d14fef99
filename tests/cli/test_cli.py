"""`llmarith` speaks to people: one clear line, exit status 4, no traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pytest_llmarith.cli import WRONG_USAGE, main
from tests.runs_on_disk import asked, log_in


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "the following arguments are required: COMMAND; see llmarith --help"),
        (["regrade", "x", "--\x1b\n"], r"--\x1b\n"),
        (["regrade"], "FILE"),
        (["regrade", "x", "--reading=loose"], "'strict', 'tolerant'"),
        (["improve"], "improve"),
        (["report"], "RUN"),
        (["report", "x", "--format=latex"], "'terminal', 'markdown'"),
        (["report", "x", "--min-depth=deep"], "'deep' is not a depth; write a whole number such as 5"),
        (["report", "x", "--max-depth=0"], "'0' is not a depth"),
        (["export", "x"], "--to"),
    ],
)
def test_wrong_usage_is_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It names what is wrong and where help is."""
    with pytest.raises(SystemExit) as left:
        main(arguments)
    err = capsys.readouterr().err
    assert left.value.code == WRONG_USAGE
    assert said in err
    assert "--help" in err
    assert err.count("\n") == 1


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    """`llmarith report FILE | head` ends without a traceback."""
    log = log_in(tmp_path, [asked("{}")])
    command = [sys.executable, "-c", "from pytest_llmarith.cli import main; raise SystemExit(main())", "report"]
    with subprocess.Popen([*command, str(log)], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_the_commands_load_nothing_slow_before_they_run() -> None:
    code = "import sys, pytest_llmarith.cli, pytest_llmarith.session.terminal; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"httpx", "litellm", "jinja2", "hypothesis", "numpy", "sqlite3"} & {*loaded}
