"""How far a long command is, on stderr: one line that is written over, or lines from time to time where that is no
terminal. It does not know what takes so long.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO

from pytest_llmarith.cli.parser import harmless

_PAUSE_S = 10.0
_CLEAR = "\r\x1b[K"


class Meter:
    """Shows steps of a known number, and how long the rest will take at the speed so far."""

    def __init__(self, file: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._file = file or sys.stderr
        self._is_terminal = self._file.isatty()
        self._clock = clock
        self._started = clock()
        self._shown_at = self._started - _PAUSE_S

    def step(self, name: str, done: int, total: int) -> None:
        """Step `done` of `total` begins, counted from 0."""
        now = self._clock()
        line = f"{name}: {done:,} of {total:,} done{self._left(now, done, total)}"
        if self._is_terminal:
            self._write(f"{_CLEAR}{harmless(line)}")
        elif now - self._shown_at >= _PAUSE_S:
            self._shown_at = now
            self._write(f"{harmless(line)}\n")

    def say(self, message: str) -> None:
        """A line that stays."""
        self._write(f"{_CLEAR if self._is_terminal else ''}{harmless(message)}\n")

    def close(self) -> None:
        """Take the line away."""
        if self._is_terminal:
            self._write(_CLEAR)

    def _left(self, now: float, done: int, total: int) -> str:
        return f", about {_duration((now - self._started) / done * (total - done))} left" if done else ""

    def _write(self, text: str) -> None:
        self._file.write(text)
        self._file.flush()


def _duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"
