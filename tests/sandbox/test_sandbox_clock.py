"""What counts of a term's time, and when a machine is too busy to time it."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.sandbox.child import protocol
from pytest_llmarith.sandbox.child.clock import Waiting, taken_ns
from pytest_llmarith.sandbox.child.supervision import Supervision
from pytest_llmarith.sandbox.program_runs import (
    Ending,
    Isolation,
    ProgramLimits,
    ProgramRun,
)
from pytest_llmarith.sandbox.runner import Sandbox, Slots

MS = 1_000_000
# What a term with one thread does in 10 ms.
RUNS, WAITS, SLEEPS = (10, 0), (0, 10), (0, 0)


@pytest.mark.parametrize(
    ("looks", "processors", "ran", "waited"),
    [
        # One thread: the processor time of each look, and its running and waiting, in
        # ms.
        ([(10, [RUNS])] * 30, 2, 300, 0),
        ([(10, [RUNS]), (0, [WAITS])] * 15, 2, 150, 150),
        ([(5, [(5, 5)])] * 30, 2, 150, 150),
        # A wait is booked when it ends, and running at the next tick.
        ([(0, [SLEEPS]), (0, [SLEEPS]), (4, [(4, 26)])] * 10, 2, 40, 260),
        # The first thread sleeps, the second one works; and one after the other.
        ([(5, [SLEEPS, (5, 5)])] * 30, 2, 150, 150),
        ([(5, [(5, 5), SLEEPS])] * 15 + [(5, [SLEEPS, (5, 5)])] * 15, 2, 150, 150),
        # They hand a lock to each other, and the others wake up to ask for it.
        ([(10, [(5, 0), (5, 0), (0, 8), (0, 8)])] * 30, 2, 300, 0),
        # Side by side: what one waits while another one runs is not taken off.
        ([(20, [(5, 5)] * 4)] * 30, 2, 300, 0),
        ([(10, [(10, 0), (0, 10)])] * 30, 2, 300, 0),
        # In turns, which on a free machine would be side by side.
        ([(10, [(2.5, 7.5)] * 4)] * 30, 2, 150, 150),
        # Never more than the processors could do.
        ([(20, [(0.5, 9.5)] * 40)] * 30, 2, 300, 0),
    ],
)
def test_waiting(
    looks: list[tuple[int, list[tuple[float, float]]]],
    processors: int,
    ran: int,
    waited: int,
) -> None:
    waiting = Waiting(processors)
    for cpu, threads in looks:
        counts = [
            (int(ran_ms * MS), int(waited_ms * MS)) for ran_ms, waited_ms in threads
        ]
        waiting.add(10 * MS, cpu * MS, counts, len(counts))
    assert (waiting.ran_ns, waiting.waited_ns) == (ran * MS, waited * MS)


_THREADS = st.lists(st.tuples(st.integers(-1, 40), st.integers(-1, 40)), max_size=5)


@given(
    st.lists(st.tuples(st.integers(0, 40), _THREADS), max_size=40), st.integers(1, 8)
)
def test_running_and_waiting_are_no_longer_than_the_term(
    looks: list[tuple[int, list[tuple[int, int]]]], processors: int
) -> None:
    """Running and waiting together are at most as long as the term, for any counts of
    the kernel.
    """
    waiting = Waiting(processors)
    for cpu, threads in looks:
        waiting.add(10, cpu, threads, len(threads))
    assert min(waiting.waited_ns, waiting.ran_ns) >= 0
    assert waiting.waited_ns + waiting.ran_ns <= 10 * len(looks)


def test_threads_that_wake_up_together_make_no_others_run_side_by_side() -> None:
    """One thread works; nine wake up at once, run for a moment and wait for each other,
    and sleep again.
    """
    waiting = Waiting(processors=2)
    for look in range(100):
        waiting.add(
            10 * MS,
            10 * MS,
            [(8 * MS, 2 * MS)] + [(MS // 3, 2 * MS)] * 9,
            ready=10 if look % 5 == 0 else 1,
        )
    assert waiting.ran_ns >= 900 * MS


@pytest.mark.parametrize(
    ("cpu", "worked", "stolen", "taken"),
    [
        (300, 300, 300, 300),  # alone at work
        (300, 600, 300, 150),  # one of two
        (300, 0, 10, 10),  # the machine's count is coarser than the term's
    ],
)
def test_a_part_of_what_is_stolen(
    cpu: int, worked: int, stolen: int, taken: int
) -> None:
    """A term's part of the time that a hypervisor took is its part of all work."""
    assert taken_ns(cpu, worked, stolen) == taken


class _StarvedClock:
    """The clock of a term that gets this many hundredths of a processor."""

    next_sample_ns = 0
    wall_ns = counted_ns = 0

    def __init__(self, hundredths: int) -> None:
        self._hundredths = hundredths

    def sample(self, late_ns: int = 0) -> None:
        self.wall_ns += 100_000_000
        self.counted_ns += self._hundredths * 1_000_000

    def is_waiting(self) -> bool:
        return False


@pytest.mark.parametrize(
    ("hundredths", "late"), [(100, True), (25, True), (6, True), (4, False), (0, False)]
)
def test_a_starved_term_is_inconclusive(hundredths: int, late: bool) -> None:
    control, writer = os.pipe()
    clock: Any = _StarvedClock(hundredths)
    with subprocess.Popen(
        [sys.executable, "-c", "while True: pass"], process_group=0
    ) as term:
        code, _ = Supervision(term.pid, clock, control, {}, None).watch(
            4_000_000_000, 14_000_000_000
        )
        term.returncode = -9  # it has been reaped
    os.close(control)
    os.close(writer)
    assert code == (protocol.LATE if late else protocol.INCONCLUSIVE)
    assert clock.wall_ns <= 80_000_000_000


LIMIT_S = 0.5
RUNNERS = 8
RUNS_EACH = 10
_HEAD = """
import hashlib, threading, time
block = bytes(1 << 20)

def compute(seconds):
    while time.thread_time() < seconds: pass

def hash_blocks(seconds):  # without the interpreter's lock
    while time.thread_time() < seconds: hashlib.sha256(block).digest()

def in_threads(work, seconds, count):
    threads = [threading.Thread(target=work, args=(seconds,)) for _ in range(count)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
"""
# Each program, and whether it is in time.
PROGRAMS = {
    "compute(0.3)": True,
    "compute(0.7)": False,
    "time.sleep(0.3)": True,
    "time.sleep(0.7)": False,
    "in_threads(time.sleep, 0.2, 4)": True,
    "for _ in range(4): in_threads(compute, 0.2, 1)": False,
    "in_threads(compute, 0.2, 4)": False,  # Python's lock makes them take turns
    "while True: pass": False,
}
# Four threads at work need 0.3 s of two processors.
if len(os.sched_getaffinity(0)) > 1:
    PROGRAMS["in_threads(hash_blocks, 0.15, 4)"] = True


# Threads that hand their work to each other, one by one: never two at once. They work
# without the interpreter's lock. Others wake up at the same instants and run for a
# moment. The program prints what the first ones computed.
_DECOYS = """
ended = False

def wake_up():
    while not ended:
        time.sleep({every} - time.monotonic() % {every})
        compute(time.thread_time() + {runs})

computed = [0.0] * {hands}
turns = [threading.Semaphore(0) for _ in computed]

def work(hand):
    while sum(computed) < 0.3:
        turns[hand].acquire()
        hash_blocks(computed[hand] + {piece})
        computed[hand] = time.thread_time()
        turns[(hand + 1) % {hands}].release()

workers = [threading.Thread(target=work, args=(hand,)) for hand in range({hands})]
for thread in [*(threading.Thread(target=wake_up) for _ in range({count})), *workers]: thread.start()
turns[0].release()
for thread in workers: thread.join()
ended = True
print(sum(computed))
"""


@pytest.mark.parametrize(
    ("hands", "piece"), [(1, 0.01), (2, 0.003), (2, 0.012), (8, 0.003)]
)
@pytest.mark.parametrize(
    ("count", "every", "runs"),
    [
        (9, 0.02, 0.001),
        pytest.param(9, 0.01, 0.0003, marks=pytest.mark.proof),
        pytest.param(20, 0.01, 0.0003, marks=pytest.mark.proof),
    ],
)
def test_what_is_computed_one_after_the_other_counts_at_least_once(
    make_sandbox: Callable[..., Sandbox],
    hands: int,
    piece: float,
    count: int,
    every: float,
    runs: float,
) -> None:
    """Whatever the other threads of the term do, and whatever else runs on the
    machine.
    """
    decoys = _DECOYS.format(
        hands=hands, piece=piece, count=count, every=every, runs=runs
    )
    [run] = make_sandbox().run(_HEAD + decoys, [1])
    assert run.ending is Ending.EXITED
    # Several threads are at work at some samples, as the others wake up.
    assert run.seconds >= 0.9 * float(run.stdout)


@pytest.fixture
def busy_machine() -> Iterator[None]:
    loops = [
        subprocess.Popen(
            [sys.executable, "-c", "while True: pass"], start_new_session=True
        )
        for _ in os.sched_getaffinity(0)
    ]
    yield
    for loop in loops:
        loop.kill()
        loop.wait()


@pytest.mark.proof  # it keeps the machine busy
@pytest.mark.usefixtures("busy_machine")
@pytest.mark.timeout(3600)
def test_a_busy_machine_changes_no_verdict(
    any_isolation: Isolation, tmp_path: Path
) -> None:
    """Beside a busy loop per processor, eight runners report in time and late as usual;
    one run may be wrong.
    """

    def run(program: str) -> ProgramRun:
        [done] = Sandbox(
            any_isolation, ProgramLimits(seconds=(LIMIT_S,)), Slots(tmp_path)
        ).run(_HEAD + program, [1])
        return done

    programs = random.Random(0).sample(
        [*PROGRAMS] * RUNS_EACH, len(PROGRAMS) * RUNS_EACH
    )
    with ThreadPoolExecutor(RUNNERS) as runners:
        done = list(zip(programs, runners.map(run, programs), strict=True))
    assert not [
        program
        for program, each in done
        if each.ending in (Ending.INCONCLUSIVE, Ending.KILLED)
    ]
    wrong = [
        (program, each.seconds)
        for program, each in done
        if (each.ending is Ending.EXITED and each.seconds <= LIMIT_S)
        != PROGRAMS[program]
    ]
    assert len(wrong) <= 1, wrong
