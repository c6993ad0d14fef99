"""The clock of a term on a machine that is busy with something else: eight runners beside a busy loop per processor."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pytest_llmarith.values import Ending, Isolation, ProgramLimits, ProgramRun

if sys.platform == "linux":
    from pytest_llmarith.sandbox.runner import Sandbox
    from pytest_llmarith.sandbox.slots import Slots

LIMIT_S = 0.5
RUNNERS = 8
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
    "in_threads(compute, 0.3, 1)": True,
    "in_threads(compute, 0.7, 1)": False,
    "time.sleep(0.3)": True,
    "time.sleep(0.7)": False,
    "in_threads(time.sleep, 0.2, 4)": True,
    "for _ in range(4): in_threads(compute, 0.2, 1)": False,
    "for _ in range(4): in_threads(time.sleep, 0.2, 1)": False,
    "in_threads(compute, 0.2, 4)": False,  # Python's lock makes them take turns
    "while True: pass": False,
    "in_threads(compute, 1e9, 1)": False,
    "while True: time.sleep(1)": False,
}
# Four threads at work need 0.4 s of two processors.
if len(os.sched_getaffinity(0)) > 1:
    PROGRAMS["in_threads(hash_blocks, 0.2, 4)"] = True


@pytest.fixture
def busy_machine() -> Iterator[None]:
    loops = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True)
        for _ in os.sched_getaffinity(0)
    ]
    yield
    for loop in loops:
        loop.kill()
        loop.wait()


@pytest.mark.usefixtures("busy_machine")
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("runs", [10, pytest.param(25, marks=pytest.mark.proof)])
def test_a_busy_machine_changes_no_verdict(any_isolation: Isolation, tmp_path: Path, runs: int) -> None:
    """What is in time stays so, what is late stays so, and every term can be told; one may be wrong in all."""
    tmp_path.chmod(0o700)

    def run(program: str) -> ProgramRun:
        sandbox = Sandbox(any_isolation, ProgramLimits(seconds=(LIMIT_S,)), Slots(tmp_path))
        (done,) = sandbox.run(_HEAD + program, [1])
        return done

    programs = random.Random(0).sample([*PROGRAMS] * runs, len(PROGRAMS) * runs)
    with ThreadPoolExecutor(RUNNERS) as runners:
        done = list(zip(programs, runners.map(run, programs), strict=True))
    assert not [program for program, each in done if each.ending in (Ending.INCONCLUSIVE, Ending.KILLED)]
    wrong = [
        (program, each.seconds)
        for program, each in done
        if (each.ending is Ending.EXITED and each.seconds <= LIMIT_S) != PROGRAMS[program]
    ]
    assert len(wrong) <= 1, wrong
