"""Runs programs without protection, which shows that an attack works. For attacks of the battery only."""

from __future__ import annotations

import io
import os
import resource
import select
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from pytest_llmarith.types import Ending, Isolation, Level, ProgramLimits, ProgramRun
from tests.sandbox.census import descendants, end

_END_S = 20
_KEPT_BYTES = 1 << 16


class Unprotected:
    """A runner: a new interpreter per term ("subprocess"), or one fork of this process for all terms ("fork")."""

    isolation = Isolation(Level.NONE, ())
    limits = ProgramLimits()

    def __init__(self, exposed: str) -> None:
        self._exposed = exposed

    def run(self, program: str, inputs: Sequence[int]) -> list[ProgramRun]:
        if self._exposed == "fork":
            return [_watched(inputs[0], partial(_execute, program, inputs))]
        return [_watched(number, partial(_interpret, program, number)) for number in inputs]


def _interpret(program: str, number: int) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    Path("../program.py").write_text(program)
    subprocess.run([sys.executable, "../program.py"], input=f"{number}\n".encode(), check=False)


def _execute(program: str, inputs: Sequence[int]) -> None:
    for number in inputs:
        sys.stdin = io.StringIO(f"{number}\n")
        try:
            exec(program, {"__name__": "__main__"})
        except BaseException as error:
            os.write(2, f"{error!r}\n".encode(errors="replace"))
        sys.stdout.flush()


def _watched(number: int, function: Callable[[], None]) -> ProgramRun:
    """Call the function in a child, read the child's output, and see how it ends."""
    stdout, stderr = os.pipe(), os.pipe()
    before = descendants()
    child = os.fork()
    if child == 0:
        for descriptor, (_, writer) in enumerate((stdout, stderr), 1):
            os.dup2(writer, descriptor)
            os.close(writer)
        try:
            function()
        finally:
            os._exit(0)
    kept = {stdout[0]: b"", stderr[0]: b""}
    for _, writer in (stdout, stderr):
        os.close(writer)
    still_open, status, deadline = {*kept}, None, time.monotonic() + _END_S
    while time.monotonic() < deadline:
        # A process that stays may hold the pipes open.
        pid, ended = os.waitpid(child, os.WNOHANG | os.WUNTRACED)
        for reader in select.select(still_open, [], [], 0 if pid else 0.02)[0]:
            data = os.read(reader, 1 << 20)
            kept[reader] = (kept[reader] + data)[-_KEPT_BYTES:]
            if not data:
                still_open.discard(reader)
        if pid:
            status = None if os.WIFSTOPPED(ended) else ended
            break
    if status is None:
        end(before)
    for reader in kept:
        os.close(reader)
    # The child ends with status 0 unless the program did something to it.
    detail = None if status == 0 else "its parent was stopped or killed"
    out, err = (data.decode(errors="replace") for data in kept.values())
    return ProgramRun(number, Ending.EXITED, 0, detail, out, err, 0.0, 0.0, 0.0, 0.0)
