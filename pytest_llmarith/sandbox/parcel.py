"""What a jail is sent at its start: the code of the zygote, its limits and locks, and the program."""

from __future__ import annotations

import marshal
import resource
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

from pytest_llmarith.sandbox import seccomp
from pytest_llmarith.sandbox.inside import landlock
from pytest_llmarith.sandbox.interpreter import base_interpreter, read_all
from pytest_llmarith.values import Level, ProgramLimits

_INSIDE = Path(__file__).with_name("inside")
_PACKAGE = f"{__package__}.inside"
# In the order in which they import each other.
_MODULES = (
    "kernel",
    "landlock",
    "wire",
    "clock",
    "gate",
    "supervision",
    "confinement",
    "pipes",
    "program",
    "zygote",
)

# More than any program needs that computes a number.
_OPEN_FILES = 64


def pack(level: Level, program: str, limits: ProgramLimits) -> bytes:
    """Everything that `inside.boot` waits for."""
    return marshal.dumps(
        {
            "modules": _code(),
            "zygote": f"{_PACKAGE}.zygote",
            "runs": f"{_PACKAGE}.program",
            "setup": _setup(level, limits),
            "program": program.encode("utf-8", "surrogatepass"),
        }
    )


@cache
def _code() -> list[tuple[str, CodeType]]:
    """Code objects, since compiling takes longer than sending; the packages above are empty there."""
    parents = [name for name in (_PACKAGE.rpartition(".")[0].rpartition(".")[0], __package__, _PACKAGE) if name]
    packages = [(name, compile("", "", "exec")) for name in parents]
    return [*packages, *((f"{_PACKAGE}.{name}", _compiled(name)) for name in _MODULES)]


def _compiled(name: str) -> CodeType:
    # By a loader of our own: pytest's would hand out code with rewritten assertions, others none.
    code = SourceFileLoader(f"{_PACKAGE}.{name}", str(_INSIDE / f"{name}.py")).get_code(f"{_PACKAGE}.{name}")
    assert code is not None
    return code


def _setup(level: Level, limits: ProgramLimits) -> dict[str, Any]:
    locked = level is not Level.NONE
    if level is Level.STANDARD:  # at level strict, all is mounted to be read only, and nothing is noted
        read_all()
    return {
        "confinement": {
            "rlimits": _rlimits(limits),
            "rules": _rules() if locked else None,
            "seccomp": seccomp.filter_program() if locked else b"",
            "pid_mark": seccomp.PID_MARK,
            "gate": seccomp.gate() if locked else b"",
        },
        "stdout_bytes": limits.stdout_bytes,
        "stderr_bytes": limits.stderr_bytes,
    }


def _rlimits(limits: ProgramLimits) -> list[tuple[int, int]]:
    return [
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, _OPEN_FILES),
    ]


@cache
def _rules() -> list[landlock.Rule]:
    interpreter = base_interpreter()
    return [
        *((path, landlock.READ_FILE | landlock.READ_DIR) for path in interpreter.readable()),
        ("/dev/null", landlock.READ_FILE | landlock.WRITE_FILE | landlock.TRUNCATE),
        ("/dev/urandom", landlock.READ_FILE),
    ]
