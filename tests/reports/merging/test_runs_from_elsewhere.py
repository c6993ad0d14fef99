"""Runs that somebody else wrote, or broke: hostile lines, records and summaries are refused in one line."""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.reports.merging.runs import Folder


def test_a_killed_run(folder: Folder, trials: Any) -> None:
    """A killed run is refused whatever the options, as nobody knows what it was to ask."""
    killed = folder.run("killed", trials("cc"))
    (killed / "summary.json").unlink()
    for allowed in (False, True):
        refusal = folder.refusal(killed, allow_missing=allowed, allow_differing=allowed, allow_overlap=allowed)
        assert refusal.startswith(f"{killed}: no summary.json, so it was killed or still runs; the same command ")


def test_a_log_that_lacks_records(folder: Folder, trials: Any) -> None:
    """A torn line is no record; a log that is not what its summary counts was not copied whole."""
    run = folder.run("run", trials("ccc"))
    log = run / "trials.jsonl"
    log.write_bytes(log.read_bytes()[:-40])
    assert folder.refusal(run) == (
        f"{run}: its log holds 2 records, its summary counts 3; copy its files again, or add --allow-missing"
    )
    assert folder.merge(run, allow_missing=True)["answered"] == 2


@pytest.mark.parametrize("content", [b"{", b"\xff", b"[" * 100_000], ids=["cut", "no UTF-8", "deep"])
def test_a_summary_that_is_no_json(folder: Folder, trials: Any, content: bytes) -> None:
    """A summary that is no JSON is refused with its file."""
    run = folder.run("run", trials("cc"))
    (run / "summary.json").write_bytes(content)
    assert folder.refusal(run).startswith(f"{run / 'summary.json'}: ")


def test_a_summary_that_would_block(folder: Folder, trials: Any) -> None:
    """A summary that is no regular file is refused, and not opened, as that could block."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes")
    run = folder.run("run", trials("cc"))
    (run / "summary.json").unlink()
    os.mkfifo(run / "summary.json")
    assert "not a regular file" in folder.refusal(run)
