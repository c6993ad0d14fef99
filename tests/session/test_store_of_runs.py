"""Whole runs and their store: shared by two at a time, full in the middle, imported on another machine."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.disks import own_disk
from tests.llm_server import Answer
from tests.session.bench import ITEMS, WAYS, Bench, right

PATIENCE_S = 180.0
LLMARITH = [sys.executable, "-c", "from pytest_llmarith.cli import main; raise SystemExit(main())"]

Way = tuple[str, ...]


def begin(bench: Bench, *args: str, before: Sequence[str] = ()) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "pytest", "-W", "error", "--llm-model=openai/gpt-4o-mini"]
    command += [f"--llm-api-base={bench.server.base_url}", *args]
    return subprocess.Popen(
        [*before, *command], cwd=bench.pytester.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def ended(run: subprocess.Popen[str]) -> tuple[int, str]:
    with run:
        output, _ = run.communicate(timeout=PATIENCE_S)
    return run.returncode, output


def llmarith(folder: Path, *args: str | Path) -> str:
    """What the command says; it does its deed."""
    done = subprocess.run([*LLMARITH, *map(str, args)], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


def unbroken(text: str) -> str:
    """A line that may have been broken anywhere, as the terminal is too narrow for a path."""
    return "".join(text.split())


def figures(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """What a run measured, but for where the replies came from."""
    return [
        {key: value for key, value in result.items() if key not in ("stored", "asked")} for result in summary["results"]
    ]


def test_two_runs_at_a_time(bench: Bench) -> None:
    """One with workers and one without: both are complete, each asks a question at most once, and a third asks none."""
    bench.script = lambda call: Answer(right(call), delay_s=0.1)
    both = [begin(bench, "--llm-concurrency=3", *WAYS[way]) for way in ("plain", "-n 2")]
    for status, output in map(ended, both):
        assert status == 0, output
    assert [bench.summary(run)["complete"] for run in range(2)] == [True, True]
    assert len(bench.server.asked) == ITEMS
    assert max(bench.server.asked.values()) <= 2
    asked = bench.server.asked.total()
    assert sum(bench.summary(run)["run"]["asking"]["requests"] for run in range(2)) == asked
    assert bench.run().ret == 0
    assert bench.server.asked.total() == asked


def test_a_disk_that_fills_up_loses_no_reply(bench: Bench, way: Way) -> None:
    """What the store did not take is in the run log; with it in the store, the same command asks only the rest."""
    store = bench.pytester.path / ".llmarith"
    bench.script = lambda call: Answer(right(call), reasoning="x" * 150_000)
    limit = "--llm-concurrency=4"
    status, output = ended(begin(bench, limit, *way, before=own_disk("size=2m", store)))
    assert status == 6, output
    assert unbroken(f"stopped: store {store / 'store.sqlite'}: the disk is full") in unbroken(output)
    asked = sum(bench.server.asked.values())
    assert 4 < asked < ITEMS
    answered = [record for record in bench.records() if record["outcome"] != "unanswered"]
    assert len(answered) == asked
    assert f"llmarith store import {bench.runs[0]} takes them from the run log" in output
    assert f"{asked} replies taken" in llmarith(bench.pytester.path, "store", "import", bench.runs[0])
    status, output = ended(begin(bench, limit, *way))
    assert status == 0, output
    assert Counter(bench.server.asked.values()) == {1: ITEMS}


def test_a_run_of_another_machine_is_replayed(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Only the folder of the run came along: its replies give the same figures, and nobody is asked."""
    bench.script = lambda call: "7" if "+" in call.prompt else right(call)
    bench.run()
    first = bench.summary()
    assert (first["complete"], bench.server.asked.total()) == (True, ITEMS)
    here = tmp_path_factory.mktemp("machine")
    shutil.copytree(bench.runs[0], artifact := here / "artifact")
    shutil.rmtree(bench.pytester.path / ".llmarith")
    assert f"{ITEMS} replies taken\n" in llmarith(bench.pytester.path, "store", "import", artifact)
    assert "openai/gpt-4o-mini" in llmarith(bench.pytester.path, "store", "status")
    result = bench.run("--llm-store=only", "-n", "2")
    assert result.ret == 0
    result.stdout.fnmatch_lines([f"all {ITEMS} answered, {ITEMS} from the store"])
    assert figures(bench.summary()) == figures(first)
    assert bench.server.asked.total() == ITEMS
