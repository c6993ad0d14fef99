"""Runs that end early: what was paid for is kept, and the same command finishes the run."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.disks import own_disk
from tests.llm_server import PATIENCE_S, Answer, Gate
from tests.session.background import FREE, HELD, begun, read_to_end, started
from tests.session.bench import ITEMS, Bench, right

Way = tuple[str, ...]


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


def test_a_full_disk_ends_the_run(bench: Bench, way: Way) -> None:
    """One message, what is graded is shown; what was paid for is in the store and is not asked again."""
    reports = bench.pytester.path / "reports"
    bench.script = lambda call: Answer(right(call) + " " * 30_000)
    with begun(bench, "--llm-concurrency=2", *way, before=own_disk("size=300k", reports)) as process:
        printed = read_to_end(process)
    assert process.returncode == 6, printed
    (message,) = {line for line in printed.splitlines() if line.startswith(f"llmarith: {reports}")}
    assert message.endswith(": No space left on device; what was paid for is in the store")
    assert "Traceback" not in printed
    assert "written in part to" in printed
    graded = int(printed.rpartition(f" of {ITEMS} answered")[0].rpartition(" ")[2])
    assert 4 <= graded < ITEMS
    assert bench.run(*way).ret == 0
    assert Counter(bench.server.asked.values()) == {1: ITEMS}


def test_a_disk_that_is_full_from_the_beginning(bench: Bench, way: Way) -> None:
    """Nothing is paid for that could not be written down."""
    with begun(bench, *way, before=own_disk("size=32k", bench.pytester.path / "reports")) as process:
        printed = read_to_end(process)
    assert process.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--llm-reports: no folder for this run can be made in" in printed
    assert "No space left on device" in printed
    assert bench.server.requests == []


def test_a_worker_that_dies_after_its_report(bench: Bench) -> None:
    """A trial that was graded before its worker died has its one record, and is not unanswered as well."""
    bench.pytester.makeconftest("""
        import os

        def pytest_runtest_teardown(item):
            if "int_mul-depth_2" in item.name:
                os._exit(1)
    """)
    result = bench.run("-n", "2")
    assert result.ret == 1
    records = bench.records()
    assert len({record["nodeid"] for record in records}) == len(records) == ITEMS
    assert {record["outcome"] for record in records} == {"correct"}
    assert bench.summary()["complete"]
    result.stdout.fnmatch_lines(["FAILED *int_mul-depth_2*"])
