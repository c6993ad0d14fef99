"""Programs that run under limits: what goes into the sandbox, and what comes out of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Level(StrEnum):
    """How a program is locked in.

    `STRICT` is bubblewrap, Landlock, seccomp and resource limits; `STANDARD` the same without bubblewrap; `NONE` has
    resource limits alone, and runs programs only where somebody asks for it.
    """

    STRICT = "strict"
    STANDARD = "standard"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Isolation:
    """A level, and what was seen to be enforced at it: the names of the attacks that failed against it.

    `remarks` say, one line each, why no stricter level is there.
    """

    level: Level
    enforced: tuple[str, ...]
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProgramLimits:
    """What one run of a program may take. `seconds` are the limits to be judged, ascending; the last one stops it."""

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

    `EXITED` is by itself, with any `exit_status`; `KILLED` by a signal or at a cap, which `detail` names;
    `INCONCLUSIVE` means that the machine was too busy to say whether the program was in time.
    `seconds` is what counts against a limit, see `sandbox.child.clock`; `waited_s` is the rest of `wall_s`. `stdout`
    and `stderr` were bytes of any kind: undecodable ones are replaced, and nothing beyond the caps is kept.
    """

    input: int
    ending: Ending
    exit_status: int | None
    detail: str | None
    stdout: str
    stderr: str
    seconds: float
    cpu_s: float
    wall_s: float
    waited_s: float
    alone: bool = False


class Runner(Protocol):
    """Whoever runs programs: it gets a program and inputs, and never the expected output."""

    @property
    def isolation(self) -> Isolation: ...
    @property
    def limits(self) -> ProgramLimits: ...

    def run(self, program: str, inputs: Sequence[int]) -> list[ProgramRun]:
        """Run the program once for every input, each in a process of its own; raises OSError where none can start."""
