"""Real commands, timed from outside: wall seconds and peak memory of a process and its
children.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

# As a user runs it: with cached bytecode.
ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if name != "PYTHONDONTWRITEBYTECODE"
}
ROOT = Path(__file__).parent.parent


class Run(NamedTuple):
    """Wall time, processor time, the memory of the largest process in megabytes, and
    the output.
    """

    seconds: float
    processor_seconds: float
    megabytes: float
    output: str


def run_pytest(
    *args: str, cwd: Path = ROOT, environment: dict[str, str] | None = None
) -> Run:
    """Run pytest once; raises RuntimeError with its output if it fails."""
    return run_module(
        "pytest", "-p", "no:cacheprovider", *args, cwd=cwd, environment=environment
    )


def run_module(
    module: str, *args: str, cwd: Path = ROOT, environment: dict[str, str] | None = None
) -> Run:
    """Run `python -m module` once; raises RuntimeError with its output if it fails."""
    return _run("-m", module, *args, cwd=cwd, environment=environment)


def run_llmarith(*args: str) -> Run:
    """Run `llmarith` once; raises RuntimeError with its output if it fails."""
    return _run(
        "-c", "from pytest_llmarith.cli import main; raise SystemExit(main())", *args
    )


def _run(
    *args: str, cwd: Path = ROOT, environment: dict[str, str] | None = None
) -> Run:
    command = [sys.executable, *args]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        start = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=cwd,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**ENVIRONMENT, **(environment or {})},
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        printed = output.read()
    if process.returncode != 0:
        raise RuntimeError(
            f"{' '.join(command)} ended with {process.returncode}:\n{printed[-3000:]}"
        )
    return Run(
        seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, printed
    )
