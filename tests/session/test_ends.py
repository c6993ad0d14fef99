"""Runs that end early: what was paid for is kept, and the same command finishes the run."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.llm_server import Answer, Call, Gate
from tests.session.conftest import ITEMS, Bench, right

FREE = 4  # trials that are certain to be written: the sums and differences that come first
HELD = 8  # products and quotients, which wait for the test
PATIENCE_S = 180.0

Way = tuple[str, ...]


@contextmanager
def started(bench: Bench, gate: Gate, *args: str) -> Iterator[subprocess.Popen[str]]:
    """A run in the background that has written some trials, and waits for the replies that its server holds back."""

    def script(call: Call) -> Answer:
        held = {"*", "/"} & set(call.prompt.splitlines()[-1].split())
        return Answer(right(call), gate=gate if held else None)

    bench.script = script
    command = [sys.executable, "-m", "pytest", "--llm-model=openai/gpt-4o-mini", f"--llm-concurrency={HELD}"]
    command += [f"--llm-api-base={bench.server.base_url}", *args]
    with subprocess.Popen(
        command, cwd=bench.pytester.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            _wait_for_trials(bench, FREE)
            bench.server.wait_for_in_flight(HELD)
            yield process
        finally:
            gate.open()
            process.kill()


def _wait_for_trials(bench: Bench, count: int) -> None:
    """Wait for a state, not for a time: the limit only ends a test that fails anyway."""
    give_up_at = time.monotonic() + PATIENCE_S
    while time.monotonic() < give_up_at:
        logs = list((bench.pytester.path / "reports").glob("*/trials.jsonl"))
        if logs and logs[0].read_bytes().count(b"\n") >= count:
            return
        time.sleep(0.05)
    raise TimeoutError(f"{count} trials did not come")


def test_a_killed_run_loses_nothing(bench: Bench, way: Way) -> None:
    """After kill -9 the log has whole lines, and only what was in flight is asked again."""
    gate = Gate()
    with started(bench, gate, *way) as process:
        process.kill()
        process.wait(PATIENCE_S)
    assert len(bench.records()) >= FREE
    bench.script = right
    assert bench.run(*way).ret == 0
    assert len(bench.records()) == ITEMS
    assert sum(bench.server.asked.values()) <= ITEMS + HELD
    graded = {record["prompt"] for record in bench.records(0)}
    assert {bench.server.asked[prompt] for prompt in graded} == {1}


def test_an_interrupted_run_waits_for_what_it_paid_for(bench: Bench, way: Way) -> None:
    """Ctrl-C: what is in flight arrives in the store, the run is reported with exit status 2, and goes on later."""
    gate = Gate()
    with started(bench, gate, *way) as process:
        process.send_signal(signal.SIGINT)
        gate.open()
        output, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == pytest.ExitCode.INTERRUPTED, output
    summary = json.loads((bench.runs[0] / "summary.json").read_text(encoding="utf-8"))
    assert not summary["complete"]
    bench.script = right
    assert bench.run(*way).ret == 0
    assert Counter(bench.server.asked.values()) == {1: ITEMS}


def test_a_full_disk_ends_the_run(bench: Bench, way: Way) -> None:
    """A run log that cannot be written ends the run with one message; what was written are whole records."""
    pytest.importorskip("resource", reason="limits the size of files, as only POSIX can")
    bench.pytester.makeconftest("""
        import resource

        def pytest_sessionstart(session):
            resource.setrlimit(resource.RLIMIT_FSIZE, (5000, resource.RLIM_INFINITY))
    """)
    result = bench.run("--llm-store=off", "--llm-concurrency=1", *way)
    assert result.ret == 6
    assert result.errlines == []
    result.stdout.fnmatch_lines(["llmarith: *: File too large; what was paid for is in the store"])
    assert 0 < len(bench.server.requests) < ITEMS
    lines = (bench.runs[0] / "trials.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["outcome"] for line in lines[:2]] == ["correct", "correct"]
