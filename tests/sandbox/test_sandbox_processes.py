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
from pytest_llmarith.sandbox.program_runs import (
    Ending,
    Isolation,
    IsolationLevel,
    ProgramLimits,
    ProgramRun,
)
from pytest_llmarith.sandbox.runner import Sandbox, Slots
from tests.sandbox.census import descendants, parents, wait_until

MakeSandbox = Callable[..., Sandbox]


def _on_level_none(folder: Path) -> Sandbox:
    return Sandbox(
        Isolation(IsolationLevel.NONE, ()),
        ProgramLimits(seconds=(10.0,)),
        Slots(folder, 1),
    )


def test_a_lost_zygote_is_replaced(tmp_path: Path) -> None:
    """If a program kills its parent, that costs its own term and no other."""
    program = (
        "import os\nn = int(input())\nif n == 1: os.kill(os.getppid(), 9)\nprint(n)"
    )
    before, killing, after = _on_level_none(tmp_path).run(program, [0, 1, 2])
    assert (before.stdout, after.stdout) == ("0\n", "2\n")
    assert (killing.ending, killing.exit_status) == (Ending.KILLED, None)
    assert "the process that starts programs was lost" in (killing.detail or "")


def _children() -> set[int]:
    return set(
        map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())
    )


def test_a_zygote_lost_once_is_not_the_programs_fault(
    any_isolation: Isolation, tmp_path: Path
) -> None:
    """If the zygote is lost once, its term is run again by another one."""
    others = _children()

    def kill_children(run: ProgramRun) -> None:
        if run.input == 0:
            for pid in _children() - others:
                os.kill(pid, signal.SIGKILL)

    sandbox = Sandbox(any_isolation, ProgramLimits(seconds=(10.0,)), Slots(tmp_path, 1))
    runs = sandbox.run("print(int(input()))", range(3), kill_children)
    assert [(run.ending, run.stdout) for run in runs] == [
        (Ending.EXITED, f"{n}\n") for n in range(3)
    ]


def _replace_zygote(monkeypatch: pytest.MonkeyPatch, folder: Path, script: str) -> None:
    (folder / "protocol.py").write_text(script)
    monkeypatch.setattr(zygote_client, "CHILD", folder)


def test_an_interpreter_that_does_not_start_is_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It is not the program's fault:

    OSError, in one line that has what the interpreter printed.
    """
    _replace_zygote(monkeypatch, tmp_path, "raise RuntimeError('broken')")
    with pytest.raises(OSError, match=r"RuntimeError: broken$") as raised:
        _on_level_none(tmp_path).run("print(1)", [1])
    assert "\n" not in str(raised.value)


# It takes the whole payload and a request: what is sent to one that has ended is
# another error.
_ZYGOTE = """
import socket, sys
control = socket.socket(fileno=int(sys.argv[1]))
payload = control.recv(int.from_bytes(control.recv(8), "little"), socket.MSG_WAITALL)
control.sendall(bytes(8))
control.recv(1000)
"""


@pytest.mark.parametrize(
    "answer",
    [
        protocol.ANSWER.pack(99, 0, 0, 0, 0, 0),
        protocol.ANSWER.pack(protocol.EXITED, 0, 0, 0, 1 + (1 << 16), 0),
        protocol.ANSWER.pack(protocol.EXITED, 0, 0, 0, 10, 0) + b"short",
    ],
    ids=["unknown code", "too long", "cut off"],
)
def test_an_invalid_answer_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answer: bytes
) -> None:
    _replace_zygote(monkeypatch, tmp_path, f"{_ZYGOTE}control.sendall({answer!r})")
    [run] = _on_level_none(tmp_path).run("", [1])
    assert (run.ending, run.stdout) == (Ending.KILLED, "")


def test_nothing_is_left_after_a_run(make_sandbox: MakeSandbox) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    def interrupt_soon(*_: object) -> None:  # not while the sandbox starts
        signal.setitimer(signal.ITIMER_REAL, 0.3)

    descriptors, others = len(os.listdir("/proc/self/fd")), _children()
    make_sandbox(seconds=(0.1,)).run("while True: pass", [0, 1])
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            make_sandbox(seconds=(60.0,)).run(
                "n = int(input())\nwhile n: pass", [0, 1], interrupt_soon
            )
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(os.listdir("/proc/self/fd")) <= descriptors
    assert _children() == others


_HARNESS = """
import sys
from pathlib import Path
from pytest_llmarith.sandbox.runner import Sandbox, Slots
from pytest_llmarith.sandbox.program_runs import Isolation, IsolationLevel, ProgramLimits
isolation = Isolation(IsolationLevel(sys.argv[1]), ())
sandbox = Sandbox(isolation, ProgramLimits(seconds=(60.0,)), Slots(Path(sys.argv[2]), 1))
sandbox.run("n = int(input())\\nwhile n: pass", [0, 1], lambda run: print(run.ending, flush=True))
"""


def test_no_process_outlives_a_killed_harness(
    isolation: Isolation, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", _HARNESS, isolation.level, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as harness:
        assert harness.stdout is not None
        # Before its first term ends, the harness has other processes, which end by
        # themselves.
        harness.stdout.readline()
        processes = (
            3 if isolation.level is IsolationLevel.STRICT else 2
        )  # bubblewrap, the zygote, the second term
        assert wait_until(lambda: len(descendants(harness.pid)) >= processes, 60)
        below = descendants(harness.pid)
        harness.kill()
    assert wait_until(lambda: not below & {*parents()}, 60)
