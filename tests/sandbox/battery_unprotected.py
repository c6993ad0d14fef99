"""Runs programs with no protection at all: what shows that an attack would hit. Only for attacks of the battery."""

from __future__ import annotations

import io
import os
import resource
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from pytest_llmarith.values.programs import Ending, Isolation, Level, ProgramLimits, ProgramRun
from tests.sandbox.battery_attack import Exposed
from tests.sandbox.battery_census import descendants, end

_PATIENCE_S = 20
_KEPT_BYTES = 1 << 16


class Unprotected:
    """A runner without walls: a new interpreter per term below a parent of its own, or one fork for all terms."""

    isolation = Isolation(Level.NONE, ())
    limits = ProgramLimits()

    def __init__(self, exposed: Exposed) -> None:
        self._run = self._forked if exposed is Exposed.FORK else self._spawned

    def run(self, program: str, inputs: Sequence[int]) -> list[ProgramRun]:
        return list(self._run(program, inputs))

    def _spawned(self, program: str, inputs: Sequence[int]) -> Iterator[ProgramRun]:
        for number in inputs:
            yield _watched(number, partial(_interpret, program, number))

    def _forked(self, program: str, inputs: Sequence[int]) -> Iterator[ProgramRun]:
        yield _watched(inputs[0], partial(_execute, program, inputs))


def _interpret(program: str, number: int) -> None:
    soft_and_hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, soft_and_hard[1]))
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


def _watched(number: int, deed: Callable[[], None]) -> ProgramRun:
    """Do the deed in a child, whose output is read while it lasts, and see how the child ends."""
    outputs = [os.pipe(), os.pipe()]
    before = descendants()
    child = os.fork()
    if child == 0:
        for place, (_, giving) in enumerate(outputs, 1):
            os.dup2(giving, place)
            os.close(giving)
        try:
            deed()
        finally:
            os._exit(0)
    for _, giving in outputs:
        os.close(giving)
    (stdout, stderr), status = _follow(child, [taking for taking, _ in outputs])
    if status is None:
        end(before)
    # The child only watches the program. If it ended otherwise, then it was the program's doing.
    detail = None if status == 0 else "its parent was stopped or killed"
    return ProgramRun(number, Ending.EXITED, 0, detail, stdout, stderr, 0.0, 0.0, 0.0, 0.0)


def _follow(child: int, sources: list[int]) -> tuple[list[str], int | None]:
    kept = {source: b"" for source in sources}
    open_sources = set(sources)
    deadline = time.monotonic() + _PATIENCE_S
    status = None
    while time.monotonic() < deadline:
        # A process that stays may hold the pipes open: who has ended is not waited for.
        pid, ended = os.waitpid(child, os.WNOHANG | os.WUNTRACED)
        for source in select.select(open_sources, [], [], 0 if pid else 0.02)[0]:
            data = os.read(source, 1 << 20)
            kept[source] = (kept[source] + data)[-_KEPT_BYTES:]
            if not data:
                open_sources.discard(source)
        if pid:
            status = None if os.WIFSTOPPED(ended) else ended
            break
    for source in sources:
        os.close(source)
    return [kept[source].decode(errors="replace") for source in sources], status
