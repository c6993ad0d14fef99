"""Runs that end early, share a store or meet a bad provider: what was paid for is kept,
the same command goes on.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_llmarith.views.formatting import dollars
from tests.disks import own_disk
from tests.llm_server import Answer, Gate
from tests.session.background import (
    FREE,
    HELD,
    begun,
    press_ctrl_c,
    read_to_end,
    read_until,
    started,
)
from tests.session.bench import ITEMS, WAYS, Bench, right

Way = tuple[str, ...]
LLMARITH = [
    sys.executable,
    "-c",
    "from pytest_llmarith.cli import main; raise SystemExit(main())",
]


def llmarith(folder: Path, *args: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*LLMARITH, *map(str, args)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


# --- Ctrl-C ---------------------------------------------------------------------------


def check_report(bench: Bench, process: subprocess.Popen[str], printed: str) -> None:
    """What is graded is reported, what is not is neither wrong nor unanswered, and
    there is no traceback.
    """
    assert process.returncode == pytest.ExitCode.INTERRUPTED, printed
    assert "Traceback" not in printed
    assert "INTERNALERROR" not in printed
    summary = bench.summary(0)
    assert (summary["complete"], summary["run"]["exit_status"]) == (False, 2)
    assert summary["answered"] == len(bench.records(0)) >= FREE
    assert summary["unanswered"] == 0
    assert {record["outcome"] for record in bench.records(0)} == {"correct"}
    assert bench.report(0)["llmarith"] == bench.summary_file(0)
    kept = summary["run"]["asking"]["kept"]
    graded = f", {summary['answered']} graded" if kept > summary["answered"] else ""
    assert (
        f"incomplete, {kept} of {ITEMS} answered{graded}; rerun the same command"
        in printed
    )


@pytest.mark.proof
def test_ctrl_c_waits_for_what_is_paid_for(bench: Bench) -> None:
    """What is in flight arrives in the store, and the same command asks each question
    once.

    While a run has the store open, nothing is pruned from it.
    """
    gate, way = Gate(), WAYS["plain"]
    with started(bench, gate, *way) as process:
        pruned = llmarith(
            bench.pytester.path, "store", "prune", "--model=openai/gpt-4o-mini"
        )
        assert (pruned.returncode != 0, "a run is using it" in pruned.stderr) == (
            True,
            True,
        ), pruned
        press_ctrl_c(process)
        printed = read_until(
            process,
            f"waiting up to 30 s for {HELD} requests in flight (Ctrl-C stops waiting)",
        )
        gate.open()
        printed += read_to_end(process)
    check_report(bench, process, printed)
    bench.script = right
    assert bench.run(*way).ret == 0
    assert Counter(bench.server.asked.values()) == {1: ITEMS}


@pytest.mark.proof
def test_ctrl_c_twice(bench: Bench) -> None:
    way = WAYS["-n 2"]
    with started(bench, Gate(), *way) as process:
        press_ctrl_c(process)
        printed = read_until(process, "waiting up to 30 s")
        press_ctrl_c(process)
        printed += read_to_end(process)
    check_report(bench, process, printed)
    assert f"more may have been billed ({HELD} requests without a reply)" in printed
    bench.script = right
    assert bench.run(*way).ret == 0
    assert Counter(bench.server.asked.values()) == {1: ITEMS - HELD, 2: HELD}


# --- a killed process -----------------------------------------------------------------


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
def test_the_process_that_asks_is_killed(bench: Bench) -> None:
    """The run says what the recorded replies cost, and that more may have been
    billed.
    """
    way = WAYS["plain"]
    with started(bench, Gate(), *way) as process:
        os.kill(broker_of(process), signal.SIGKILL)
        printed = read_to_end(process)
    assert process.returncode == 6, printed
    summary = bench.summary(0)
    assert (summary["answered"], summary["run"]["asking"]["incomplete"]) == (FREE, True)
    replies = [record["reply"] for record in bench.records(0)]
    cost = sum(reply["cost_usd"] for reply in replies if reply is not None)
    said = " ".join(printed.split())
    assert (
        f"the {FREE} recorded replies cost {dollars(cost)}; what was in flight is not "
        f"included and may have been billed"
    ) in said
    assert "this run spent" not in said
    bench.script = right
    assert bench.run(*way).ret == 0


def broker_of(controller: subprocess.Popen[str]) -> int:
    """The number of the process that asks the models."""
    (broker,) = filter(_is_broker, _children(controller))
    return broker


def _children(process: subprocess.Popen[str]) -> Iterator[int]:
    for path in Path(f"/proc/{process.pid}/task").glob("*/children"):
        yield from map(int, path.read_text().split())


def _is_broker(process: int) -> bool:
    command = Path(f"/proc/{process}/cmdline").read_bytes()
    return b"pytest_llmarith.models.broker" in command


# --- disks ----------------------------------------------------------------------------


@pytest.mark.proof
@pytest.mark.parametrize("store", [".llmarith", "elsewhere"])
def test_a_store_that_fills_up_loses_no_reply(bench: Bench, store: str) -> None:
    """What it did not take is in the run log; after an import the same command asks
    only the rest.

    So does another machine that has only the folder of a run: its replies give the same
    figures.
    """
    folder = bench.pytester.path
    way = [*WAYS["-n 2"], "-o", f"llm_store_dir={store}"]
    where = [] if store == ".llmarith" else [f"--store-dir={folder / store}"]
    bench.script = lambda call: Answer(right(call), reasoning="x" * 150_000)
    with begun(
        bench, *way, "--llm-concurrency=4", before=own_disk("size=2m", folder / store)
    ) as process:
        output = read_to_end(process)
    assert process.returncode == 6, output
    stopped = (
        f"stopped: store {folder / store / 'store.sqlite'}: database or disk is full"
    )
    assert "".join(stopped.split()) in "".join(output.split())
    asked = bench.server.asked.total()
    assert 4 < asked < ITEMS
    answered = [
        record for record in bench.records() if record["outcome"] != "unanswered"
    ]
    assert len(answered) == asked
    command = " ".join(["llmarith store import", str(bench.runs[0]), *where])
    assert f"{command} takes them from the run log" in output
    assert (
        f"{asked} replies taken"
        in llmarith(folder, "store", "import", bench.runs[0], *where).stdout
    )
    bench.script = right
    assert bench.run(*way).ret == 0
    assert Counter(bench.server.asked.values()) == {1: ITEMS}
    (folder / store / "store.sqlite").unlink()
    assert (
        f"{ITEMS} replies taken\n"
        in llmarith(folder, "store", "import", bench.runs[1], *where).stdout
    )
    assert "openai/gpt-4o-mini" in llmarith(folder, "store", "status", *where).stdout
    assert bench.run("--llm-store=only", *way).ret == 0
    assert bench.server.asked.total() == ITEMS
    first, second = (bench.summary(run)["results"][0] for run in (1, 2))
    assert first["percentages"] == second["percentages"]
