"""Ctrl-C: what was paid for arrives in the store, what was graded is reported, and the same command goes on."""

from __future__ import annotations

import signal
import subprocess
from collections import Counter

import pytest

from tests.llm_server import Gate
from tests.session.background import FREE, HELD, press_ctrl_c, read_to_end, read_until, started
from tests.session.bench import ITEMS, WAYS, Bench, right

WAITING = f"waiting up to 30 s for {HELD} requests in flight (Ctrl-C leaves now)"
# How long a run waits is a matter of these tests' own, where it matters: forever, or next to nothing.
PATIENT = "from pytest_llmarith.session import asking; asking.DRAIN_S = 3600.0"

Way = tuple[str, ...]


def check_report(bench: Bench, process: subprocess.Popen[str], printed: str) -> None:
    """What is graded is reported, what is not is neither wrong nor unanswered, and nobody sees a traceback."""
    assert process.returncode == pytest.ExitCode.INTERRUPTED, printed
    assert "Traceback" not in printed
    assert "INTERNALERROR" not in printed
    summary = bench.summary(0)
    assert (summary["complete"], summary["run"]["exit_status"]) == (False, 2)
    assert summary["answered"] == len(bench.records(0)) >= FREE
    assert summary["unanswered"] == 0
    assert {record["outcome"] for record in bench.records(0)} == {"correct"}
    assert bench.report(0)["llmarith"] == summary
    assert f"{summary['answered']} of {ITEMS} answered, the same command does the rest" in printed


def check_rest(bench: Bench, way: Way, *, asked_again: int) -> None:
    """The same command asks what is missing, and nothing twice but what was cut."""
    bench.script = right
    assert bench.run(*way).ret == 0
    expected = {1: ITEMS - asked_again, 2: asked_again} if asked_again else {1: ITEMS}
    assert Counter(bench.server.asked.values()) == expected


def test_ctrl_c_waits_for_what_is_paid_for(bench: Bench, every_way: Way) -> None:
    """What is in flight arrives in the store, and the same command asks each question once."""
    gate = Gate()
    with started(bench, gate, *every_way) as process:
        press_ctrl_c(process)
        printed = read_until(process, WAITING)
        gate.open()
        printed += read_to_end(process)
    check_report(bench, process, printed)
    check_rest(bench, every_way, asked_again=0)


def test_an_interrupt_of_the_controller_alone(bench: Bench) -> None:
    """A supervisor that signals one process gets the same; the workers come to their end too."""
    gate = Gate()
    with started(bench, gate, *WAYS["-n 2"]) as process:
        process.send_signal(signal.SIGINT)
        printed = read_until(process, WAITING)
        gate.open()
        printed += read_to_end(process)
    check_report(bench, process, printed)


def test_ctrl_c_twice_leaves_now(bench: Bench, way: Way) -> None:
    """What is in flight is given up, and asked again by the same command; what is graded is reported all the same."""
    bench.pytester.makeconftest(PATIENT)
    with started(bench, Gate(), *way) as process:
        press_ctrl_c(process)
        printed = read_until(process, "Ctrl-C leaves now")
        press_ctrl_c(process)
        printed += read_to_end(process)
    check_report(bench, process, printed)
    assert f"more may have been billed ({HELD} requests without a reply)" in printed
    check_rest(bench, way, asked_again=HELD)
