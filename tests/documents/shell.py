"""A shell that runs commands one by one."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self


@dataclass(frozen=True)
class Typed:
    """A command, its exit status, and its output."""

    line: str
    status: int
    out: str
    err: str

    def __str__(self) -> str:
        return f"$ {self.line}\n{self.out}{self.err}exit status {self.status}"


class Shell:
    """One bash for a `with` block: what a command exports or activates holds for the next ones."""

    def __init__(self, folder: Path, environment: Mapping[str, str], printed: Path) -> None:
        self._folder, self._environment = folder, environment
        self._out, self._err = printed / "out", printed / "err"

    def __enter__(self) -> Self:
        self._bash = subprocess.Popen(
            ["bash", "--norc", "-s"],
            cwd=self._folder,
            env=dict(self._environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._bash.communicate()

    def type(self, line: str) -> Typed:
        assert self._bash.stdin is not None
        assert self._bash.stdout is not None
        self._bash.stdin.write(f"{{ {line}\n}} >'{self._out}' 2>'{self._err}' </dev/null; echo $?\n")
        self._bash.stdin.flush()
        status = int(self._bash.stdout.readline())
        return Typed(line, status, self._out.read_text("utf-8"), self._err.read_text("utf-8"))
