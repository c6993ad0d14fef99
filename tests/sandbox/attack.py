"""What an attack is: a hostile program, and how to see that it got through.

A program runs behind a prelude that reads `n`, answers honestly if it is `HONEST`, and names the targets. It got
through if it prints `HIT ...`, leaves a trace on the targets, or prints a secret of the harness.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from pytest_llmarith.types import ProgramRun

HONEST = 1000
_PRELUDE = """\
import os, sys
n = int(input())
if n == 1000:
    print(n * n)
    sys.exit()
def hit(*what):
    print("HIT", *what, flush=True)
def attempt(what, function, *values):
    try:
        result = function(*values)
    except Exception:
        return None
    hit(what)
    return result
"""
_HEADER = re.compile(r"^## (?P<name>.+?)(?: \| (?P<flags>.+?))?(?: :: (?P<line>.+))?$", re.MULTILINE)

# What is wrong with how the sandbox reports a run; None if nothing is.
Promise = Callable[[ProgramRun], str | None]


@dataclass(frozen=True, slots=True)
class Attack:
    """A hostile program with its inputs.

    `exposed` is where it gets through: in a new interpreter ("subprocess"), in a fork of the harness ("fork"), or
    "nowhere" without a sandbox. `root` attacks hit root alone. `raw` programs run without the prelude.
    """

    name: str
    program: str
    inputs: tuple[int, ...] = (0,)
    exposed: str = "subprocess"
    promise: Promise | None = None
    raw: bool = False
    root: bool = False

    def text(self, targets: Mapping[str, object]) -> str:
        """The whole program, with the targets as its global variables."""
        if self.raw:
            return self.program
        return _PRELUDE + "".join(f"{name} = {value!r}\n" for name, value in targets.items()) + self.program


def parse(text: str, head: str = "", flags: str = "") -> Iterator[Attack]:
    """The attacks in a text, whose headers are `## name`, `## name | flags` or `## name | flags :: program`.

    Flags are `fork`, `nowhere` and `root` (see `Attack`), and what is promised of a run: `ends ...` with its endings,
    `prints ...`, and `small` for an output within the limits. A line `---` divides what input 0 does from what 1 does.
    """
    headers = [*_HEADER.finditer(text)]
    for header, following in zip(headers, [*headers[1:], None], strict=True):
        program = header["line"] or text[header.end() : following.start() if following else None].strip("\n")
        inputs: tuple[int, ...] = (0,)
        if "\n---\n" in program:
            first, second = (part.replace("\n", "\n    ") for part in program.split("\n---\n"))
            program, inputs = f"if n == 0:\n    {first}\nelse:\n    {second}\n", (0, 1)
        words = [*filter(None, [*flags.split(", "), *(header["flags"] or "").split(", ")])]
        yield Attack(
            header["name"],
            head + program,
            inputs,
            next((flag for flag in words if flag in ("fork", "nowhere")), "subprocess"),
            next(filter(None, map(_promise, words)), None),
            root="root" in words,
        )


def _promise(flag: str) -> Promise | None:
    word, *values = flag.split()
    match word:
        case "ends":
            return lambda run: None if run.ending in values else f"ended {run.ending}, {run.detail}"
        case "prints":
            return reported(f"{values[0]}\n")
        case "small":
            return lambda run: None if max(len(run.stdout), len(run.stderr)) <= (1 << 16) + 256 else "kept too much"
    return None


def reported(stdout: str, exit_status: int = 0) -> Promise:
    """The promise that a run ended by itself and is reported with this output and status."""

    def complaint(run: ProgramRun) -> str | None:
        seen = (run.ending, run.stdout, run.exit_status)
        return None if seen == ("exited", stdout, exit_status) else f"reported as {seen!r:.300}"

    return complaint
