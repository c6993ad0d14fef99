"""When a run that shared the machine is not good enough."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Self

import pytest

from pytest_llmarith.sandbox import runner
from pytest_llmarith.sandbox.conversation import Answer
from pytest_llmarith.sandbox.inside import wire
from pytest_llmarith.sandbox.levels import UnavailableError, probe
from pytest_llmarith.sandbox.runner import Sandbox
from pytest_llmarith.sandbox.slots import Slots
from pytest_llmarith.sandbox.timing import is_in_doubt
from pytest_llmarith.values import Ending, Isolation, Level, ProgramLimits, ProgramRun

LIMITS = (0.5, 4.0)


@pytest.mark.parametrize(
    ("seconds", "in_doubt"),
    [(0.01, False), (0.39, False), (0.41, True), (0.59, True), (0.61, False), (3.5, True), (4.8, True), (4.81, False)],
)
def test_in_doubt(seconds: float, in_doubt: bool) -> None:
    """A time that is close to a limit is, whatever the term did in it."""
    run = ProgramRun(1, Ending.EXITED, 0, None, "", "", seconds, 0.0, seconds, 0.0)
    assert is_in_doubt(run, LIMITS) is in_doubt


def _children() -> set[int]:
    """Of this process; other tests may have left it some."""
    return set(map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split()))


def test_a_lost_zygote_is_nobodys_fault(tmp_path: Path) -> None:
    """Whoever killed it: the input is run again by another one, and only a second loss is the program's."""
    try:
        isolation = probe()
    except UnavailableError as error:
        pytest.skip(str(error))
    tmp_path.chmod(0o700)

    others = _children()

    def kill_children(run: ProgramRun) -> None:
        if run.input == 0:
            for pid in _children() - others:
                os.kill(pid, signal.SIGKILL)

    sandbox = Sandbox(isolation, ProgramLimits(seconds=(10.0,)), Slots(tmp_path, 1))
    runs = sandbox.run("print(int(input()))", range(3), kill_children)
    assert [(run.ending, run.stdout) for run in runs] == [(Ending.EXITED, f"{n}\n") for n in range(3)]


class _BusyMachine:
    """Stands for a zygote on a machine that is too busy to time a term until it has been asked so often."""

    asked = 0
    quiet_after = 0

    def __init__(self, *_: object) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def ask(self, stdin: bytes, *_: object) -> Answer:
        type(self).asked += 1
        code = wire.INCONCLUSIVE if stdin != b"1\n" and self.asked <= self.quiet_after else wire.EXITED
        return Answer(code, 0, False, 0.01, 0.01, 0.01, 0.0, stdin, b"")


@pytest.mark.parametrize(
    ("slots", "wait_s", "endings"),
    [
        (1, 0.0, [Ending.EXITED, Ending.INCONCLUSIVE]),
        (2, 0.0, [Ending.EXITED, Ending.INCONCLUSIVE]),
        (1, 600.0, [Ending.EXITED] * 4),
    ],
)
def test_a_program_stops_at_its_first_inconclusive_term(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, slots: int, wait_s: float, endings: list[Ending]
) -> None:
    """The others would cost as long and say as little; with time to wait, the term is run until it can be timed."""
    tmp_path.chmod(0o700)
    monkeypatch.setattr(runner, "Conversation", _BusyMachine)
    monkeypatch.setattr(runner, "_TRY_AGAIN_S", 0.0)
    monkeypatch.setattr(_BusyMachine, "asked", 0)
    monkeypatch.setattr(_BusyMachine, "quiet_after", 5)
    sandbox = Sandbox(Isolation(Level.NONE, ()), ProgramLimits(), Slots(tmp_path, slots), wait_s=wait_s)
    assert [run.ending for run in sandbox.run("", [1, 2, 3, 4])] == endings
    assert _BusyMachine.asked == {0.0: 1 + slots, 600.0: 8}[wait_s]
