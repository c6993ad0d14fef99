"""What an attack is: a hostile program, and how to see that it got through. Knows no sandbox.

A program runs behind a prelude that reads `n`, answers honestly where it is `HONEST`, and names the places of the
ground. It prints `HIT ...` where it succeeded, or leaves a trace on the ground, or prints a secret of the harness.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from textwrap import dedent

from pytest_llmarith.values.programs import ProgramRun

HONEST = 1000

_PRELUDE = """\
import os, sys
n = int(input())
if n == 1000:
    print(n * n)
    sys.exit()
def hit(*what):
    print("HIT", *what, flush=True)
def attempt(what, deed, *values):
    try:
        result = deed(*values)
    except Exception:
        return None
    hit(what)
    return result
"""


class Exposed(StrEnum):
    """Where the attack gets through, which shows that it works: a new interpreter, or a bare fork of the harness."""

    SUBPROCESS = "subprocess"
    FORK = "fork"
    NOWHERE = "nowhere"


@dataclass(frozen=True, slots=True)
class Attack:
    """A hostile program with its inputs. `promise` says what is wrong with how the sandbox told its first run.

    `raw` programs run without the prelude, for what the parser makes of them. `root` attacks hit root alone.
    """

    name: str
    program: str
    inputs: tuple[int, ...] = (0,)
    exposed: Exposed = Exposed.SUBPROCESS
    promise: Callable[[ProgramRun], str | None] | None = None
    raw: bool = False
    root: bool = False

    def text(self, places: Mapping[str, object]) -> str:
        """The whole program, where the ground has these places."""
        if self.raw:
            return self.program
        return _PRELUDE + "".join(f"{name} = {place!r}\n" for name, place in places.items()) + dedent(self.program)


def told(stdout: str, exit_status: int | None = 0) -> Callable[[ProgramRun], str | None]:
    """The promise that a run is told as it was: it ended by itself, with this output and status."""

    def complaint(run: ProgramRun) -> str | None:
        seen = (run.ending, run.stdout, run.exit_status)
        return None if seen == ("exited", stdout, exit_status) else f"told as {seen!r:.300}"

    return complaint


def ends(*endings: str) -> Callable[[ProgramRun], str | None]:
    """The promise that a run ends in one of these ways."""

    def complaint(run: ProgramRun) -> str | None:
        return None if run.ending in endings else f"ended {run.ending}, {run.detail}"

    return complaint
