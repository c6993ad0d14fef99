"""The attacks: hostile programs, and how to see that they got through.

A program runs behind a prelude that reads `n`, answers honestly if it is `HONEST`, and
names the targets. It got through if it prints `HIT ...`, leaves a trace on the targets,
or prints a secret of the harness.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

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


def _in(file: str, endings: str = "") -> Iterator[Attack]:
    """The attacks in a file, whose headers are `## name`, `## name | endings` or `##
    name | endings :: program`; what is above the first header begins each program.

    A line `---` divides what input 0 does from what 1 does.
    """
    text = (Path(__file__).parent / "attacks" / f"{file}.txt").read_text("utf-8")
    headers = [*_HEADER.finditer(text)]
    head = text[: headers[0].start()]
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


# The numbers of the system calls that a program may make, with any or with some
# arguments.
_RANGES = """0-1 3-25 28 32-39 44 45 48 51 53 55 56 60 62 63 72 79 80 89 95-100 102 104 107 108 110 111 115 127 128 130
131 186 201 202 204 213 217-219 228-234 257 262 267 269-271 273 281 284 290-293 302 318 324 332 334 436 439"""
_EDGES = [[int(edge) for edge in each.split("-")] for each in _RANGES.split()]
ALLOWED = {number for edges in _EDGES for number in range(edges[0], edges[-1] + 1)}
# Allowed calls with forbidden arguments. They do no harm if they are let through: -1 is
# no descriptor.
CALLS: dict[str, tuple[int, ...]] = {
    "socketpair of datagrams": (53, 1, 2, 0, 1),
    "socketpair of the network": (53, 2, 1, 0, 1),
    "sendto an address": (44, -1, 0, 0, 0, 1, 16),
    "sendto a high address": (44, -1, 0, 0, 0, 1 << 32, 16),
    "clone with descriptors of its own": (56, 65792, 0, 0, 0, 0),
    "clone into a namespace": (56, 0x10010000, 0, 0, 0, 0),
    "close_range with descriptors of its own": (436, 9, 8, 2),
    "close_range with all flags": (436, 9, 8, 6),
    "terminal input": (16, -1, 0x5412, 0),
    "lock of a range": (72, -1, 6, 1),
    "query of a lock": (72, -1, 5, 1),
    "owner of a descriptor": (72, -1, 8, 1),
    "size of a pipe": (72, -1, 1031, 1),
    "limits at a high address": (302, 0, 7, 1 << 32, 0),
    "limits of another process": (302, 1, 3, 0, 0),
    "kill of a negative id": (62, -(1 << 30), 0),
}
# Every error but EPERM and ENOSYS shows that the kernel looked at the call.
_CALL = """
import ctypes
call, arguments = list(CALLS.items())[n]
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
result = libc.syscall(*(ctypes.c_long(argument) for argument in arguments))
if result >= 0 or ctypes.get_errno() not in (1, 38):
    hit(call, result, os.strerror(ctypes.get_errno()))
"""
_ALL_CALLS = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
for number in {*range(480)} - ALLOWED:
    result = libc.syscall(*[ctypes.c_long(value) for value in (number, *[-1] * 6)])
    if result >= 0 or ctypes.get_errno() not in (1, 38):
        hit(number, result, os.strerror(ctypes.get_errno()))
"""
_REPORTED = {
    "leave with a large status": ("print(5, flush=True); os._exit(255)", "5\n", 255),
    "write what is no UTF-8": (
        "os.write(1, b'\\xff\\xfe5\\xed\\xa0\\x80\\x005')",
        "\ufffd\ufffd5\ufffd\ufffd\ufffd\0" + "5",
        0,
    ),
    "close stdout, then leave": (
        "os.write(1, b'5'); os.close(1); os.close(2); os._exit(0)",
        "5",
        0,
    ),
    "write as much as is allowed": ("os.write(1, b'5' * 65536)", "5" * 65536, 0),
    "swap stdout and stderr": (
        "a = os.dup(1); os.dup2(2, 1); os.dup2(a, 2); os.write(2, b'5')",
        "5",
        0,
    ),
}

ATTACKS = {
    one.name: one
    for one in (
        *_in("files"),
        *_in("network"),
        *_in("memory"),
        Attack(
            "arguments of system calls",
            f"CALLS = {CALLS!r}\n{_CALL}",
            tuple(range(len(CALLS))),
        ),
        Attack("all other system calls", f"ALLOWED = {ALLOWED!r}\n{_ALL_CALLS}"),
        *_in("kernel"),
        *_in("processes"),
        *_in("time", endings="late killed"),
        *_in("output"),
        *(
            Attack(name, program, output=(stdout, status))
            for name, (program, stdout, status) in _REPORTED.items()
        ),
        *_in("state"),
    )
}
