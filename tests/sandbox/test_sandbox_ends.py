"""Whatever becomes of a zygote or of a harness, the next term runs and nothing is left behind."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pytest_llmarith.sandbox import conversation, jail
from pytest_llmarith.sandbox.conversation import Conversation, ZygoteLost
from pytest_llmarith.sandbox.inside import wire
from pytest_llmarith.values import Ending, Isolation, Level, ProgramLimits
from tests.sandbox.making import MakeSandbox

_PROJECT = Path(__file__).parents[2]
_HARNESS = """
import sys
from pathlib import Path
from pytest_llmarith.sandbox.runner import Sandbox
from pytest_llmarith.sandbox.slots import Slots
from pytest_llmarith.values import Isolation, Level, ProgramLimits
print("running", flush=True)
sandbox = Sandbox(Isolation(Level(sys.argv[1]), ()), ProgramLimits(seconds=(60.0,)), Slots(Path(sys.argv[2]), 1))
sandbox.run("while True: pass", [0])
"""


def test_a_killed_zygote_is_replaced(make_sandbox: MakeSandbox, isolation: Isolation) -> None:
    """Where a program can reach its parent at all, it costs that program's term and no other."""
    program = "import os\nn = int(input())\nif n == 1: os.kill(os.getppid(), 9)\nprint(n)"
    before, killing, after = make_sandbox().run(program, [0, 1, 2])
    assert (before.stdout, after.stdout) == ("0\n", "2\n")
    if isolation.level is Level.NONE:
        assert (killing.ending, killing.exit_status) == (Ending.KILLED, None)
        assert killing.detail is not None
        assert killing.detail.startswith("its parent process was lost")
    else:
        assert "PermissionError" in killing.stderr


def test_a_stopped_zygote_is_replaced(isolation: Isolation, monkeypatch: pytest.MonkeyPatch) -> None:
    """A zygote that does not answer in time is not waited for."""
    monkeypatch.setattr(conversation, "_GRACE_S", 0.0)
    if isolation.level is not Level.NONE:
        pytest.skip("out of a program's reach")
    program = "import os, signal\nn = int(input())\nif n == 1: os.kill(os.getppid(), signal.SIGSTOP)\nprint(n)"
    with Conversation(isolation.level, program, ProgramLimits()) as spoken:
        with pytest.raises(ZygoteLost):
            spoken.ask(b"1\n", 1.0, 1.0)
        assert spoken.ask(b"2\n", 30.0, 60.0).stdout == b"2\n"


def _children() -> set[str]:
    """Of this process; other tests may have left it some, such as a tracker of shared resources."""
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


def test_nobody_is_left_after_a_run(make_sandbox: MakeSandbox) -> None:
    """After a run neither zygote nor term is left, nor a descriptor of ours."""
    descriptors, others = len(os.listdir("/proc/self/fd")), _children()
    make_sandbox(seconds=(0.1,)).run("while True: pass", [0, 1])
    assert len(os.listdir("/proc/self/fd")) <= descriptors
    assert _children() == others


def test_an_interrupted_run_leaves_nobody(make_sandbox: MakeSandbox) -> None:
    """Whatever the harness raises while a term runs, the term ends with it."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    others = _children()
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            make_sandbox(seconds=(60.0,)).run("while True: pass", [0])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert _children() == others


def test_a_killed_harness_leaves_nobody(isolation: Isolation, tmp_path: Path) -> None:
    """kill -9, and all that it had started is gone, the running term too."""
    command = [sys.executable, "-c", _HARNESS, isolation.level, str(tmp_path)]
    harness = subprocess.Popen(command, cwd=_PROJECT, stdout=subprocess.PIPE)
    try:
        assert harness.stdout is not None
        harness.stdout.readline()
        family = _when_spinning(harness.pid)
    finally:
        harness.kill()
        harness.communicate()
    until = time.monotonic() + 30
    while any(_lives(pid) for pid in family):
        assert time.monotonic() < until, f"of {family}, {[pid for pid in family if _lives(pid)]} live"
        time.sleep(0.01)


# Runs below a process of its own, which becomes the parent of whom the sandbox leaves behind.
_COUNTING = """
import sys
from pathlib import Path
from pytest_llmarith.sandbox.runner import Sandbox
from pytest_llmarith.sandbox.slots import Slots
from pytest_llmarith.values import Isolation, Level, ProgramLimits
from tests.sandbox.battery_census import adopt, descendants, end, stayed
adopt()
known = descendants()
sandbox = Sandbox(Isolation(Level(sys.argv[1]), ()), ProgramLimits(seconds=(0.3,)), Slots(Path(sys.argv[2]), 1))
sandbox.run(sys.argv[3], [0, 1])
print(len(stayed(known, 0.1)))
end(known)
"""
_FORKING = """
import os, sys, time
def leave():
    try:
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(300)
            os._exit(0)
    except PermissionError:
        pass
"""
_LAST_DEEDS = {
    "it ends": "leave()",
    "it ends later": "import atexit; atexit.register(leave)",
    "it is late": "leave()\nwhile True: pass",
    "it writes too much": "leave()\nwhile True: print('x' * 1000)",
    "it kills itself": "leave()\nos.kill(os.getpid(), 9)",
    "it raises": "leave()\n1 / 0",
    "it forks on and on": "while True:\n    if os.fork(): os._exit(0)\n    time.sleep(0.001)",
    "it lets others fork on": "for _ in range(20): leave()",
}


@pytest.mark.parametrize("deed", _LAST_DEEDS.values(), ids=_LAST_DEEDS)
def test_no_process_that_a_program_forked_is_left(isolation: Isolation, tmp_path: Path, deed: str) -> None:
    """However a program ends, what it forked is gone as soon as the run is over."""
    done = subprocess.run(
        [sys.executable, "-c", _COUNTING, isolation.level, str(tmp_path), _FORKING + deed],
        cwd=_PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "0\n"


_KILLING = """
import subprocess, sys, time
from tests.sandbox.battery_census import adopt, descendants, end, stayed
adopt()
known = descendants()
harness = subprocess.Popen([sys.executable, "-c", *sys.argv[1:]])
until = time.monotonic() + 20
while len(descendants(harness.pid)) < 2 or len(descendants() - known) < 4:  # harness, zygote, term, and what it left
    assert time.monotonic() < until
    time.sleep(0.1)
harness.kill()
print(len(stayed(known, 30)))
end(known)
"""


def test_no_process_that_a_program_forked_outlives_a_killed_harness(tmp_path: Path) -> None:
    """At level none, too, where a program may fork: its zygote notices that the harness is gone."""
    program = _FORKING + "leave()\nwhile True: pass"
    harness = _HARNESS.replace('"while True: pass"', "sys.argv[3]")
    done = subprocess.run(
        [sys.executable, "-c", _KILLING, harness, Level.NONE, str(tmp_path), program],
        cwd=_PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "running\n0\n"


def test_an_interpreter_that_does_not_start_is_an_error(isolation: Isolation, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the program's fault, and so no run of it: OSError, in one line that says what was seen."""
    monkeypatch.setattr(jail, "_boot_text", lambda: "raise RuntimeError('broken')")
    complaint = pytest.raises(OSError, match=r"^the sandbox does not start: RuntimeError: broken$")
    with Conversation(isolation.level, "print(1)", ProgramLimits()) as spoken, complaint:
        spoken.ask(b"1\n", 1.0, 1.0)


@pytest.mark.parametrize(
    "babble",
    [
        b"",
        b"\x00" * 10,
        b"\xff" * 200,
        wire.ANSWER.pack(99, 0, False, 0, 0, 0, 0, 0, 0),
        wire.ANSWER.pack(wire.EXITED, 0, False, 0, 0, 0, 0, (1 << 16) + 1, 0),
        wire.ANSWER.pack(wire.EXITED, 0, False, 0, 0, 0, 0, 10, 0) + b"short",
    ],
)
def test_babble_is_no_answer(isolation: Isolation, babble: bytes) -> None:
    """A zygote that says what none would say is lost, and not believed in part."""
    ours, theirs = socket.socketpair()
    zygote = conversation._Zygote.__new__(conversation._Zygote)
    zygote._socket = ours
    with ours, theirs:
        theirs.sendall(babble)
        theirs.shutdown(socket.SHUT_WR)
        with pytest.raises(ZygoteLost):
            zygote.ask(b"1\n", 1.0, 1.0, ProgramLimits())


def _when_spinning(pid: int) -> list[int]:
    """Everybody below a harness, once a term is there: the zygote's child, which bubblewrap's monitor is above of."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        family = _descendants(pid)
        if family and _cpu_ticks(family[-1]) > 10:
            return family
        time.sleep(0.01)
    raise AssertionError(f"no term runs: {family}")


def _descendants(pid: int) -> list[int]:
    try:
        children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
    return [*children, *(below for child in children for below in _descendants(child))]


def _cpu_ticks(pid: int) -> int:
    try:
        return sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]))
    except OSError:
        return 0


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
