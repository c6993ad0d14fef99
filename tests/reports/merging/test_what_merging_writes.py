"""Where runs are merged to, and what is shown of the merged one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_llmarith.cli import main
from pytest_llmarith.reports.page.run_page import write_run_page
from tests.reports.merging.runs import Folder


def test_places(folder: Folder, trials: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """It is checked where each run is, that none lies where the merged one goes, and that each is named once."""
    run, other = folder.run("run", trials("cc")), folder.run("other", trials("cc", first=2))
    (folder.path / "a file").write_text("")
    wrong = {
        (run, run): "named twice",
        (folder.path / "nowhere",): "No such file",
        (folder.path,): "the folder holds no trials.jsonl",
    }
    for runs, why in wrong.items():
        assert why in folder.refusal(*runs)
    for into, why in {
        other: "this exists",
        run / "new": "which is not changed",
        folder.path / "a file" / "x": "made",
    }.items():
        assert main(["merge", str(run), "--into", str(into)]) == 4
        assert why in capsys.readouterr().err
    assert main(["merge", str(run / "trials.jsonl"), str(other), "--into", str(folder.path / "deep" / "er")]) == 0


def test_a_name_that_a_terminal_would_obey(folder: Folder, trials: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Folders, ids, models and tests may be called anything; they are shown spelled out."""
    name = "run\x1b[31m\n\u202e"
    records = [
        record | {"nodeid": f"\x1b[2J{number}", "model": "m\x1b]0;x\x07"} for number, record in enumerate(trials("cc"))
    ]
    one, other = folder.run(name, records), folder.run("other", records, started_at="2026-11-23T00:00:00+00:00")
    arguments = ["merge", str(one), str(other), "--into", str(folder.path / f"into{name}")]
    assert main(arguments) == 4
    assert main([*arguments, "--allow-overlap"]) == 0
    shown = "".join(capsys.readouterr())
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert shown.count("\\x1b") > 3


def test_what_is_shown(folder: Folder, trials: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """The tables of a run's end, with what has to be known of a merged one."""
    shards = folder.shards(trials("cdcd"), 2)
    assert main(["merge", str(shards[0]), "--into", str(folder.merged), "--allow-missing"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [
        "incomplete, 2 of 4 answered",
        "merged from 1 run",
        "partial: shard 2 of 2 is missing",
    ]
    assert "o4-mini, arithmetic: correct of 1 by variant and depth" in lines
    assert lines[-2:] == [f"written to {folder.merged}", f"to look at: {folder.merged / 'report.html'}"]


def test_a_merged_run_has_a_page(folder: Folder, trials: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """As every run, of all its trials; where it cannot be written, a line says why."""
    shards = [str(shard) for shard in folder.shards(trials("cdcd"), 2)]
    assert main(["merge", *shards, "--into", str(folder.merged)]) == 0
    page = (folder.merged / "report.html").read_text(encoding="utf-8")
    assert "all 4 answered" in page
    assert "All 4 trials" in page
    capsys.readouterr()
    again = folder.path / "again"
    again.mkdir()
    told = write_run_page(again / "gone", json.loads((folder.merged / "summary.json").read_text()), ())
    assert told.startswith("report.html was not written: ")


def test_the_file_beside_the_runs_is_passed_over(folder: Folder, trials: Any) -> None:
    """`reports/*` names the README beside the runs, too."""
    shards = folder.shards(trials("c" * 12), 2)
    beside = shards[0].parent / "README.md"
    beside.write_text("{}\n")
    assert folder.merge(*shards, beside)["answered"] == 12
