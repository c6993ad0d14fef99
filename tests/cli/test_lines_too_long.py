"""A record that is too long to be read is missed by every command, and none of them goes on as if it were not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_llmarith.cli import WRONG_USAGE, main
from pytest_llmarith.reports.logs.lines import LONGEST_LINE
from tests.runs_on_disk import asked, lines_of, log_in, run_in

WAYS = {
    "report": ["report", "{run}"],
    "export": ["export", "{run}", "--to=csv"],
    "regrade": ["regrade", "{run}"],
    "compare": ["compare", "{run}", "{other}"],
    "merge": ["merge", "{run}", "{other}", "--into={folder}/merged"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs, one of them with a reply of sixteen megabytes."""
    folder = tmp_path_factory.mktemp("reports")
    facts = {"shard": None, "seed": 0}
    run_in(folder / "other", [asked("{}", trial=2)], id="other", **facts)
    run_in(folder / "run", [asked("{}")], id="run", **facts)
    long = asked("{}", trial=1)
    log_in(folder / "run", [asked("{}"), long | {"reply": long["reply"] | {"text": "7" * LONGEST_LINE}}])
    return folder


@pytest.mark.parametrize("way", WAYS)
def test_a_line_that_is_too_long_is_said(way: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every command that meets a line that is too long names its file, and its number or its place."""
    names = {"folder": folder, "run": folder / "run", "other": folder / "other"}
    status = main([part.format(**names) for part in WAYS[way]])
    err = capsys.readouterr().err
    first = len(lines_of([asked("{}")]))
    assert status == WRONG_USAGE
    assert "longer than 16,777,216" in err
    assert "trials.jsonl, line 2: " in err or f"trials.jsonl, byte {first}: " in err
    assert err.count("\n") == 1
