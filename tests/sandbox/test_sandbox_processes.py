"""If a zygote or a harness is lost, the next term runs and no process is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_llmarith.sandbox import zygote_client
from pytest_llmarith.sandbox.child import protocol
from pytest_llmarith.sandbox.machine import Slots
from pytest_llmarith.sandbox.runner import Sandbox
from pytest_llmarith.types import Ending, Isolation, Level, ProgramLimits, ProgramRun

MakeSandbox = Callable[..., Sandbox]
_PROJECT = Path(__file__).parents[2]


@pytest.mark.parametrize("number", [9, 19], ids=["killed", "stopped"])
def test_a_lost_zygote_is_replaced(
    make_sandbox: MakeSandbox, isolation: Isolation, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """If a program can reach its parent at all, that costs its own term and no other."""
    monkeypatch.setattr(zygote_client, "_GRACE_S", 0.0)
    monkeypatch.setattr(zygote_client, "_END_S", 0.1)
    program = f"import os\nn = int(input())\nif n == 1: os.kill(os.getppid(), {number})\nprint(n)"
    before, killing, after = make_sandbox(seconds=(0.1,)).run(program, [0, 1, 2])
    assert (before.stdout, after.stdout) == ("0\n", "2\n")
    if isolation.level is Level.NONE:
        assert (killing.ending, killing.exit_status) == (Ending.KILLED, None)
        assert "its parent process was lost" in (killing.detail or "")
    else:
        assert "PermissionError" in killing.stderr


def _children() -> set[int]:
    return set(map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()))


def test_a_zygote_lost_once_is_not_the_programs_fault(any_isolation: Isolation, tmp_path: Path) -> None:
    """If the zygote is lost once, its term is run again by another one."""
    others = _children()

    def kill_children(run: ProgramRun) -> None:
        if run.input == 0:
            for pid in _children() - others:
                os.kill(pid, signal.SIGKILL)

    sandbox = Sandbox(any_isolation, ProgramLimits(seconds=(10.0,)), Slots(tmp_path, 1))
    runs = sandbox.run("print(int(input()))", range(3), kill_children)
    assert [(run.ending, run.stdout) for run in runs] == [(Ending.EXITED, f"{n}\n") for n in range(3)]


def _replace_zygote(monkeypatch: pytest.MonkeyPatch, folder: Path, script: str) -> Sandbox:
    (folder / "protocol.py").write_text(script)
    monkeypatch.setattr(zygote_client, "CHILD", folder)
    limits = ProgramLimits(seconds=(0.1,))
    return Sandbox(Isolation(Level.NONE, ()), limits, Slots(folder, 1))


def test_an_interpreter_that_does_not_start_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is not the program's fault: OSError, in one line that has what the interpreter printed."""
    sandbox = _replace_zygote(monkeypatch, tmp_path, "raise RuntimeError('broken')")
    with pytest.raises(OSError, match=r"^the sandbox does not start: RuntimeError: broken$"):
        sandbox.run("print(1)", [1])


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"\xff" * 200,
        protocol.ANSWER.pack(99, 0, False, 0, 0, 0, 0, 0, 0),
        protocol.ANSWER.pack(protocol.EXITED, 0, False, 0, 0, 0, 0, 1 + (1 << 16), 0),
        protocol.ANSWER.pack(protocol.EXITED, 0, False, 0, 0, 0, 0, 10, 0) + b"short",
    ],
    ids=["none", "noise", "unknown code", "too long", "cut off"],
)
def test_an_invalid_answer_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answer: bytes) -> None:
    """A zygote that sends an invalid answer is lost, and no part of the answer is used."""
    script = (
        f"import os, sys; c = int(sys.argv[1]); os.read(c, 1 << 20); os.write(c, bytes(8)); os.write(c, {answer!r})"
    )
    [run] = _replace_zygote(monkeypatch, tmp_path, script).run("", [1])
    assert (run.ending, run.stdout) == (Ending.KILLED, "")
    assert "its parent process was lost" in (run.detail or "")


@pytest.mark.usefixtures("isolation")
def test_nothing_is_left_after_a_run(make_sandbox: MakeSandbox) -> None:
    """After a run, and after one that is interrupted, neither a process nor a descriptor is left."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    descriptors, others = len(os.listdir("/proc/self/fd")), _children()
    make_sandbox(seconds=(0.1,)).run("while True: pass", [0, 1])
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            make_sandbox(seconds=(60.0,)).run("while True: pass", [0])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(os.listdir("/proc/self/fd")) <= descriptors
    assert _children() == others


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
_LAST_ACTS = {
    "it ends": "leave()",
    "it is late": "leave()\nwhile True: pass",
    "it kills itself": "leave()\nos.kill(os.getpid(), 9)",
    "it forks on and on": "while True:\n    if os.fork(): os._exit(0)\n    time.sleep(0.001)",
}
_HARNESS = """
import sys
from pathlib import Path
from pytest_llmarith.sandbox.machine import Slots
from pytest_llmarith.sandbox.runner import Sandbox
from pytest_llmarith.types import Isolation, Level, ProgramLimits
level, folder, program, seconds = sys.argv[1:]
sandbox = Sandbox(Isolation(Level(level), ()), ProgramLimits(seconds=(float(seconds),)), Slots(Path(folder), 1))
sandbox.run(program, [0, 1])
"""
# Below a process that becomes the parent of all that are left: the harness runs to its end, or is killed once nothing
# changes below it for half a second. Prints how many processes it saw below the harness, and how many are left.
_COUNTING = """
import subprocess, sys, time
from tests.sandbox.census import adopt, descendants, end, stayed
adopt()
known, seen, most, until = descendants(), set(), 0, time.monotonic() + 30
harness = subprocess.Popen([sys.executable, "-c", *sys.argv[2:]])
if sys.argv[1] == "kill":
    unchanged = 0
    while unchanged < 5 and time.monotonic() < until:
        time.sleep(0.1)
        below = descendants() - known - {harness.pid}
        unchanged = unchanged + 1 if below == seen and len(below) > 1 else 0
        seen, most = below, max(most, len(below))
    harness.kill()
harness.wait()
print(most, len(stayed(known, 0.1 if sys.argv[1] == "run" else 30)))
end(known)
"""


def _count(how: str, *harness: str) -> list[int]:
    command = [sys.executable, "-c", _COUNTING, how, *harness]
    done = subprocess.run(command, cwd=_PROJECT, capture_output=True, text=True, check=True)
    return [*map(int, done.stdout.split())]


@pytest.mark.parametrize("act", _LAST_ACTS.values(), ids=_LAST_ACTS)
def test_no_process_that_a_program_forked_is_left(tmp_path: Path, act: str) -> None:
    """At level none, what a program forked is gone when its run is over, in whatever way that ended."""
    assert _count("run", _HARNESS, Level.NONE, str(tmp_path), _FORKING + act, "0.3")[1] == 0


def test_a_process_that_passes_itself_on_is_counted() -> None:
    """Without a sandbox, the same program leaves a process, and the census finds it."""
    program = _FORKING + _LAST_ACTS["it forks on and on"].replace("0.001", "0.1")
    assert _count("run", program)[1] > 0


@pytest.mark.parametrize(
    ("isolation", "program"),
    [
        (Level.STRICT, "while True: pass"),
        (Level.STANDARD, "while True: pass"),
        (Level.STANDARD, "os.kill(os.getpid(), 19)"),
        (Level.NONE, "leave()\nwhile True: pass"),
    ],
    indirect=["isolation"],
)
def test_no_process_outlives_a_killed_harness(isolation: Isolation, tmp_path: Path, program: str) -> None:
    """When the harness is killed, its zygote, the running term and what that forked end."""
    most, left = _count("kill", _HARNESS, isolation.level, str(tmp_path), _FORKING + program, "60")
    assert most >= 2
    assert left == 0
