"""Caps on output, memory and time hold, whatever a program does about them; the numbers are what they say."""

from __future__ import annotations

from itertools import pairwise

import pytest

from pytest_llmarith.values import Ending, Isolation, Level, ProgramRun
from tests.sandbox.making import MakeSandbox

_SPIN = "while True: pass"
_SLEEP = "import time; time.sleep(60)"


def _one(make_sandbox: MakeSandbox, program: str, **limits: object) -> ProgramRun:
    [run] = make_sandbox(**limits).run(program, [5])
    return run


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
@pytest.mark.parametrize(
    ("length", "ending"), [(0, Ending.EXITED), (999, Ending.EXITED), (1000, Ending.EXITED), (1001, Ending.KILLED)]
)
def test_output_up_to_the_cap(make_sandbox: MakeSandbox, stream: str, length: int, ending: Ending) -> None:
    """The last byte that is allowed is kept, and the first one too many ends the term, and is not kept."""
    run = _one(make_sandbox, f"import sys; sys.{stream}.write({length} * 'x')", stdout_bytes=1000, stderr_bytes=1000)
    assert run.ending is ending
    assert getattr(run, stream) == min(length, 1000) * "x"
    assert run.detail == (f"{stream} over 1,000 bytes" if ending is Ending.KILLED else None)


def test_a_flood_ends_at_once(make_sandbox: MakeSandbox) -> None:
    """A program that never stops writing does not last until its time is up."""
    run = _one(make_sandbox, "while True: print('x' * 1000)")
    assert (run.ending, run.detail) == (Ending.KILLED, "stdout over 65,536 bytes")
    assert len(run.stdout) == 65_536


def test_undecodable_output_is_replaced(make_sandbox: MakeSandbox) -> None:
    """Bytes are bytes: no program can make its reader stumble."""
    assert _one(make_sandbox, r"import os; os.write(1, b'7\xff\xe2\x82')").stdout == "7\ufffd\ufffd"


def test_memory_is_capped(make_sandbox: MakeSandbox) -> None:
    """What is within the cap is had; beyond it there is a MemoryError, which is an exit status like another."""
    within, beyond = make_sandbox(memory_bytes=256 << 20).run("print(len(bytearray(int(input()) << 20)))", [100, 300])
    assert (within.ending, within.stdout) == (Ending.EXITED, f"{100 << 20}\n")
    assert (beyond.ending, beyond.exit_status) == (Ending.EXITED, 1)
    assert beyond.stderr.endswith("MemoryError\n")


@pytest.mark.parametrize("program", [_SPIN, _SLEEP, "7 ** 10 ** 9", "import os; os.close(1); os.close(2)\n" + _SPIN])
def test_late_is_late(make_sandbox: MakeSandbox, program: str) -> None:
    """What is over time is late, and is not measured again, asleep or not: beyond the margin if others may run."""
    run = _one(make_sandbox, program, seconds=(0.1, 0.25), slots=2)
    assert (run.ending, run.exit_status, run.alone) == (Ending.LATE, None, False)
    assert run.seconds >= 0.3
    run = _one(make_sandbox, program, seconds=(0.1, 0.25))
    assert (run.ending, run.alone) == (Ending.LATE, True)
    assert run.seconds >= 0.25


def test_output_of_a_late_term_is_kept(make_sandbox: MakeSandbox) -> None:
    """What a program wrote before it ran out of time is kept."""
    assert _one(make_sandbox, f"print(1, flush=True)\n{_SPIN}", seconds=(1.0,)).stdout == "1\n"


@pytest.mark.parametrize("limit", [1.0, 3.0])
def test_a_marginal_time_is_taken_again_alone(make_sandbox: MakeSandbox, limit: float) -> None:
    """Within 20 % of any limit, the run that counts is the one with the machine to itself."""
    run = _one(make_sandbox, "import time; time.sleep(0.95)", seconds=(limit, 8.0), slots=2)
    assert run.ending is Ending.EXITED
    assert run.alone == (limit == 1.0)


def test_sleeping_counts_and_waiting_for_a_processor_does_not(make_sandbox: MakeSandbox) -> None:
    """A sleeper has used wall time and hardly any CPU time; the times agree with each other."""
    run = _one(make_sandbox, "import time; time.sleep(1)")
    assert run.cpu_s < 0.5 < run.seconds <= run.wall_s
    assert run.wall_s >= 1
    assert run.seconds == pytest.approx(run.wall_s - run.waited_s)


def test_compiling_is_the_programs_time(make_sandbox: MakeSandbox) -> None:
    """A source that keeps the compiler busy is late before it begins."""
    source = "(" * 90 + "1" + ")" * 90
    run = _one(make_sandbox, f"x = [{','.join([source] * 20_000)}]", seconds=(0.1,))
    assert run.ending is Ending.LATE


def test_signals_have_names(make_sandbox: MakeSandbox) -> None:
    """A program that is killed by a signal says by which."""
    run = _one(make_sandbox, "import ctypes; ctypes.string_at(0)")
    assert (run.ending, run.exit_status, run.detail) == (Ending.KILLED, None, "SIGSEGV")


def test_every_input_has_its_run(make_sandbox: MakeSandbox) -> None:
    """In their order, negative and long ones too; whoever listens hears of each as it ends."""
    heard: list[ProgramRun] = []
    inputs = [3, -1, 0, 10**1000, 3]
    runs = make_sandbox().run("print(int(input()) + 1)", inputs, heard.append)
    assert [run.input for run in runs] == inputs
    assert [run.stdout for run in runs] == [f"{number + 1}\n" for number in inputs]
    assert heard == runs


def test_no_inputs_no_runs(make_sandbox: MakeSandbox) -> None:
    """Without inputs nothing is started, and nothing comes back."""
    assert make_sandbox().run("print(1)", []) == []


_KEEPS = """
import builtins, math, os, random, sys
n = int(input())
print(getattr(builtins, "kept", None), math.pi > 4, os.environ.get("KEPT"), sys.argv[1:])
builtins.kept = math.pi = n + 10
os.environ["KEPT"] = "yes"
sys.argv.append("kept")
"""


def test_nothing_is_handed_down(make_sandbox: MakeSandbox) -> None:
    """Each term finds everything as the first one did."""
    runs = make_sandbox().run(_KEEPS, [1, 2, 3])
    assert {run.stdout for run in runs} == {"None False None []\n"}


_COUNTERS = {
    "process ids": "import threading\nthreading.Thread(target=int).start()\nprint(os.getpid())",
    "inode numbers": "print(os.fstat(os.pipe()[0]).st_ino)",
}


@pytest.mark.parametrize("counter", _COUNTERS)
def test_a_term_does_not_choose_where_the_next_one_finds_a_counter(
    make_sandbox: MakeSandbox, isolation: Isolation, counter: str
) -> None:
    """After a term that moved a counter of the kernel, the next one finds it at a random place, or at its start."""
    if isolation.level is Level.NONE:
        pytest.skip("nothing counts them")
    seen = [int(run.stdout) for run in make_sandbox().run(f"import os\n{_COUNTERS[counter]}", range(8))]
    if counter == "process ids" and isolation.level is Level.STRICT:
        assert len(set(seen)) == 1
    else:
        steps = [later - earlier for earlier, later in pairwise(seen)]
        assert max(steps) - min(steps) > 100


_THREADS = """
import threading
go = threading.Event()
begun = 0
try:
    for _ in range(int(input())):
        threading.Thread(target=go.wait).start()
        begun += 1
except RuntimeError as error:
    print(error)
print(begun)
go.set()
"""


def test_threads_are_counted(make_sandbox: MakeSandbox, isolation: Isolation) -> None:
    """Two hundred at a time are had, and then the system has no more; those that have ended do not count."""
    few, many = make_sandbox().run(f"import threading; threading.stack_size(1 << 16)\n{_THREADS}", [200, 400])
    assert few.stdout == "200\n"
    if isolation.level is not Level.NONE:
        assert many.stdout == "can't start new thread\n255\n"
    one_by_one = (
        "import threading\nfor n in range(600):\n t = threading.Thread(target=int); t.start(); t.join()\nprint(n)"
    )
    assert _one(make_sandbox, one_by_one).stdout == "599\n"


_MAKES = {
    "threads": ("import threading", "thread = threading.Thread(target=int); thread.start(); thread.join()", 1000),
    "pipes": ("import os", "for end in os.pipe(): os.close(end)", 64),
    "pairs of sockets": ("import socket", "for end in socket.socketpair(): end.close()", 64),
}


@pytest.mark.parametrize(("head", "make", "most"), _MAKES.values(), ids=_MAKES)
def test_what_a_term_makes_is_counted(
    make_sandbox: MakeSandbox, isolation: Isolation, head: str, make: str, most: int
) -> None:
    """A term makes so many threads, pipes and pairs from its start to its end, and the next one as many again."""
    if isolation.level is Level.NONE:
        pytest.skip("nothing counts them")
    program = f"{head}\nmade = 0\ntry:\n  while True:\n    {make}\n    made += 1\nexcept Exception: print(made)"
    assert [run.stdout for run in make_sandbox().run(program, [1, 2])] == [f"{most}\n"] * 2


def test_own_threads_do_not_count_as_a_busy_machine(make_sandbox: MakeSandbox) -> None:
    """A program that keeps all processors busy by itself has no claim to the time its threads wait for each other."""
    program = """
import hashlib, os, threading, time
block = bytes(1 << 22)
def work():
    while time.process_time() < 0.5 * len(os.sched_getaffinity(0)):
        hashlib.sha256(block).digest()
for _ in range(16): threading.Thread(target=work, daemon=True).start()
work()
"""
    run = _one(make_sandbox, program)
    assert 0.5 <= run.seconds <= run.wall_s
