"""Runs of programs, their limits, and their isolation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class IsolationLevel(StrEnum):
    """The isolation level of a program.

    `STRICT`: bubblewrap, Landlock, seccomp and resource limits. `STANDARD`: the same
    without bubblewrap. `NONE`: resource limits only, used only if the user asks for it.
    """

    STRICT = "strict"
    STANDARD = "standard"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Isolation:
    """An isolation level and the result of its self-test: the names of the attacks that
    it stopped.

    `remarks` say in one line each why a stricter level is unavailable.
    """

    level: IsolationLevel
    enforced: tuple[str, ...]
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProgramLimits:
    """Limits of one program run.

    `seconds` are the scored time limits, ascending; the last one stops the run.
    """

    seconds: tuple[float, ...] = (0.5, 4.0)
    memory_bytes: int = 1 << 30

    @property
    def longest_s(self) -> float:
        return self.seconds[-1]


class Ending(StrEnum):
    """How one run of a program ended."""

    EXITED = "exited"
    LATE = "late"
    KILLED = "killed"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """One run of a program with one input.

    `EXITED`: the program ended by itself, with any `exit_status`. `KILLED`: ended by a
    signal or a resource limit (in `detail`). `INCONCLUSIVE`: the machine was too busy
    to tell whether the program was in time. `seconds` is the time compared with the
    limits (see `sandbox.child.clock`). `stdout` and `stderr` are truncated, and
    undecodable bytes are replaced.
    """

    input: int
    ending: Ending
    exit_status: int | None
    detail: str | None
    stdout: str
    stderr: str
    seconds: float
    alone: bool = False


class Runner(Protocol):
    """Runs programs. The expected output is never passed to it."""

    @property
    def isolation(self) -> Isolation: ...
    @property
    def limits(self) -> ProgramLimits: ...

    def run(self, program: str, inputs: Sequence[int]) -> list[ProgramRun]:
        """Run the program once per input, each time in a new process.

        Raises OSError if no process can start.
        """
