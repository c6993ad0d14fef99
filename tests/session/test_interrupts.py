"""Ctrl-C: what was paid for arrives in the store, what was graded is reported, and the same command goes on."""

from __future__ import annotations

import signal
import subprocess
from collections import Counter

import pytest

from tests.llm_server import PATIENCE_S, Gate
from tests.session.background import FREE, HELD, begun, press_ctrl_c, read_to_end, read_until, started
from tests.session.bench import ITEMS, WAYS, Bench, right

WAITING = f"waiting up to 30 s for {HELD} requests in flight (Ctrl-C leaves now)"
# How long a run waits is a matter of these tests' own, where it matters: forever, or next to nothing.
PATIENT = "from pytest_llmarith.session import conductor; conductor.DRAIN_S = 3600.0"
IMPATIENT = "from pytest_llmarith.session import conductor; conductor.DRAIN_S = 0.5"

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


def test_what_is_said_meanwhile_has_a_line_of_its_own(bench: Bench) -> None:
    """Also with -q, where pytest takes a line for finished that is not."""
    gate = Gate()
    with started(bench, gate, "-q") as process:
        press_ctrl_c(process)
        printed = read_until(process, WAITING)
        gate.open()
        printed += read_to_end(process)
    assert f"\nllmarith: {WAITING}\n" in printed


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
    assert "Interrupted: Ctrl-C" in printed
    assert "KeyboardInterrupt" not in printed
    check_rest(bench, way, asked_again=HELD)


def test_the_waiting_is_bounded(bench: Bench) -> None:
    """A provider that hangs does not keep anybody from leaving."""
    bench.pytester.makeconftest(IMPATIENT)
    with started(bench, Gate(), *WAYS["plain"]) as process:
        press_ctrl_c(process)
        printed = read_to_end(process)
    assert f"waiting up to 0.5 s for {HELD} requests in flight" in printed
    check_report(bench, process, printed)


def test_ctrl_c_before_anything_is_asked(bench: Bench) -> None:
    """Workers announce their questions while litellm is being imported: who leaves then has paid for nothing."""
    bench.pytester.makeconftest(f"""
        import os, signal, sys, threading

        from pytest_llmarith.session.workers import Workers

        announced, hear = threading.Event(), Workers.announced_all
        Workers.announced_all = lambda workers: (hear(workers), announced.set())

        class PressCtrlC:
            def find_spec(self, name, path=None, target=None):
                if name == "litellm.types":
                    sys.meta_path.remove(self)
                    assert announced.wait({PATIENCE_S}), "no worker has announced"
                    os.killpg(os.getpgid(0), signal.SIGINT)

        def pytest_configure(config):
            if not hasattr(config, "workerinput"):
                sys.meta_path.insert(0, PressCtrlC())
    """)
    with begun(bench, *WAYS["-n 2"]) as process:
        printed = read_to_end(process)
    assert process.returncode == pytest.ExitCode.INTERRUPTED, printed
    assert "Traceback" not in printed
    assert bench.server.requests == []


@pytest.mark.parametrize(
    "hook",
    [
        "pytest_sessionfinish(): press()",
        "pytest_terminal_summary(): press()",
        "pytest_unconfigure(): press()",
        "pytest_unconfigure(): threading._register_atexit(press)",
    ],
)
def test_ctrl_c_while_pytest_ends_is_told_in_a_line(bench: Bench, hook: str) -> None:
    """Also where Python waits for its threads."""
    bench.pytester.makeconftest(f"""
        import os, signal, threading

        def press():
            os.kill(os.getpid(), signal.SIGINT)

        def {hook}
    """)
    with begun(bench, *WAYS["plain"], "-k", "int_add") as process:
        printed = read_to_end(process)
    assert "llmarith: interrupted by Ctrl-C" in printed
    assert "Traceback" not in printed
