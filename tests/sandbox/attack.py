"""What an attack is: a hostile program, and how to see that it got through.

A program runs behind a prelude that reads `n`, answers honestly if it is `HONEST`, and
names the targets. It got through if it prints `HIT ...`, leaves a trace on the targets,
or prints a secret of the harness.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

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
_HEADER = re.compile(
    r"^## (?P<name>.+?)(?: \| (?P<endings>.+?))?(?: :: (?P<line>.+))?$", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Attack:
    """A hostile program with its inputs, and how its first run must be reported.

    `endings` are its possible endings, `output` is its stdout and exit status; empty
    and None mean any.
    """

    name: str
    program: str
    inputs: tuple[int, ...] = (0,)
    endings: tuple[str, ...] = ()
    output: tuple[str, int] | None = None

    def text(self, targets: Mapping[str, object]) -> str:
        """The whole program, with the targets as its global variables."""
        return (
            _PRELUDE
            + "".join(f"{name} = {value!r}\n" for name, value in targets.items())
            + self.program
        )


def parse(text: str, head: str = "", endings: str = "") -> Iterator[Attack]:
    """The attacks in a text, whose headers are `## name`, `## name | endings` or `##
    name | endings :: program`.

    A line `---` divides what input 0 does from what 1 does.
    """
    headers = [*_HEADER.finditer(text)]
    for header, following in zip(headers, [*headers[1:], None], strict=True):
        program = header["line"] or text[
            header.end() : following.start() if following else None
        ].strip("\n")
        inputs: tuple[int, ...] = (0,)
        if "\n---\n" in program:
            first, second = (
                part.replace("\n", "\n    ") for part in program.split("\n---\n")
            )
            program, inputs = f"if n == 0:\n    {first}\nelse:\n    {second}\n", (0, 1)
        yield Attack(
            header["name"],
            head + program,
            inputs,
            tuple((header["endings"] or endings).split()),
        )
