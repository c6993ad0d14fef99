"""The watching of one term: its time is looked at, whatever else there is to attend to."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux")

STOP_NS = 200_000_000
PATIENCE_NS = 60_000_000_000


class Insistent:
    """Where a term waits for a thread at every moment, however often it is answered."""

    def __init__(self) -> None:
        self.listener, self._asking = os.pipe()
        os.write(self._asking, b"?")
        self.answered = 0

    def answer(self) -> None:
        self.answered += 1

    def close(self) -> None:
        os.close(self.listener)
        os.close(self._asking)


def test_a_term_that_always_asks_for_something_is_late_as_others_are() -> None:
    """Its requests are answered while its time runs, and not instead of it."""
    from pytest_llmarith.sandbox.inside import wire
    from pytest_llmarith.sandbox.inside.clock import Clock, ran_and_waited_ns
    from pytest_llmarith.sandbox.inside.supervision import Supervision

    control, ours = os.pipe()
    gate: Any = Insistent()
    with subprocess.Popen([sys.executable, "-c", "while True: pass"], process_group=0) as term:
        clock = Clock(term.pid, time.monotonic_ns(), ran_and_waited_ns(str(term.pid))[1])
        code, _ = Supervision(term.pid, clock, control, {}, gate).watch(STOP_NS, PATIENCE_NS)
        term.returncode = -9  # it has been reaped
    os.close(control)
    os.close(ours)
    assert code == wire.LATE
    assert clock.counted_ns >= STOP_NS
    assert gate.answered > 0


class _StarvedClock:
    """A clock of a term that gets so many hundredths of a processor."""

    next_look_ns = 0
    wall_ns = counted_ns = 0

    def __init__(self, hundredths: int) -> None:
        self._hundredths = hundredths

    def look(self, late_ns: int = 0) -> None:
        self.wall_ns += 100_000_000
        self.counted_ns += self._hundredths * 1_000_000

    def is_waiting(self) -> bool:
        return False


@pytest.mark.parametrize(("hundredths", "late"), [(100, True), (25, True), (6, True), (4, False), (0, False)])
def test_patience_lasts_as_long_as_time_goes_on(hundredths: int, late: bool) -> None:
    """A term that gets little of a processor is waited for, one that gets next to nothing is inconclusive."""
    from pytest_llmarith.sandbox.inside import wire
    from pytest_llmarith.sandbox.inside.supervision import Supervision

    control, ours = os.pipe()
    clock: Any = _StarvedClock(hundredths)
    with subprocess.Popen([sys.executable, "-c", "while True: pass"], process_group=0) as term:
        code, _ = Supervision(term.pid, clock, control, {}, None).watch(4_000_000_000, 14_000_000_000)
        term.returncode = -9  # it has been reaped
    os.close(control)
    os.close(ours)
    assert code == (wire.LATE if late else wire.INCONCLUSIVE)
    assert clock.wall_ns <= 80_000_000_000
