"""How fast this machine is: a fixed program's time, measured as any other's."""

from __future__ import annotations

from statistics import median

from pytest_llmarith.sandbox.runner import Sandbox
from pytest_llmarith.values import Ending, Isolation, ProgramLimits

_ROUNDS = 3
_PROGRAM = """\
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

print(fibonacci(int(input())))
"""
_INPUT = 22  # about 30,000 calls: some milliseconds


def calibrate(isolation: Isolation) -> float | None:
    """Seconds of a naive recursion for the 22nd Fibonacci number, the median of three runs; None where none ended."""
    runs = Sandbox(isolation, ProgramLimits(seconds=(10.0,))).run(_PROGRAM, [_INPUT] * _ROUNDS)
    seconds = [run.seconds for run in runs if run.ending is Ending.EXITED and run.exit_status == 0]
    return median(seconds) if seconds else None
