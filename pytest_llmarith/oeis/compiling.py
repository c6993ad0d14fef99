"""Compiles the program of a reply: first in a child process with limits, and here only if that succeeds.

The compiler of Python withstands some hostile sources and not others: a thousand characters can take gigabytes or
minutes, or crash the process.
"""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
import warnings
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from pytest_llmarith.oeis.compile_child import CPU_S, MEMORY_BYTES, PASSED, SYNTAX_ERROR, UNCOMPILABLE
from pytest_llmarith.values import NanReason

MAX_PROGRAM = 1 << 17  # characters
_CHILD = (sys.executable, "-I", "-S", "-W", "ignore", str(Path(__file__).with_name("compile_child.py")))
_KEPT_VARIABLES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_CAUSED_BY_SOURCE = {signal.SIGXCPU, signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL}
_TIMEOUT_S = 120.0  # of wall time, reached on a stalled machine only
_RETRIES = 9


@dataclass(frozen=True, slots=True)
class NoProgram:
    """Why a text is no program, or a reply holds none; `detail` is one line."""

    reason: NanReason
    detail: str


@dataclass(frozen=True, slots=True)
class Program:
    """A program that compiles, with `\\n` at the ends of its lines, and its syntax tree."""

    source: str
    tree: ast.Module = field(compare=False, repr=False)


def compiled(source: str) -> Program | NoProgram:
    """The program, or why it does not compile. Raises OSError if the child process does not work."""
    if len(source) > MAX_PROGRAM:
        detail = f"the program has {len(source):,} characters, more than {MAX_PROGRAM:,}"
        return NoProgram(NanReason.SYNTAX_ERROR, detail)
    try:
        encoded = source.encode()
    except UnicodeError:
        return NoProgram(NanReason.SYNTAX_ERROR, "it contains half of a character (a surrogate)")
    if refused := _refused_by_child(encoded):
        return refused
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Program(source, _parse(source))


def _refused_by_child(source: bytes) -> NoProgram | None:
    environment = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    try:
        done = subprocess.run(_CHILD, input=source, capture_output=True, timeout=_TIMEOUT_S, env=environment)
    except subprocess.TimeoutExpired:
        raise TimeoutError(f"a program was not compiled in {_TIMEOUT_S:g} s") from None
    if -done.returncode in _CAUSED_BY_SOURCE:
        limits = f"{MEMORY_BYTES >> 20} MB and {CPU_S} s"
        why = f"Python cannot compile it within {limits}: {signal.Signals(-done.returncode).name}"
        return NoProgram(NanReason.UNCOMPILABLE, why)
    verdict, _, message = done.stdout.decode("utf-8", "replace").partition("\n")
    if done.returncode or verdict not in (PASSED, SYNTAX_ERROR, UNCOMPILABLE):
        trouble = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise OSError(f"programs cannot be compiled: {trouble[-1] if trouble else f'status {done.returncode}'}")
    return None if verdict == PASSED else NoProgram(NanReason(verdict), message)


def _parse(source: str) -> ast.Module:
    # Python 3.11 counts the depth of all threads together, and raises SystemError if another thread parses meanwhile.
    for _ in range(_RETRIES):
        with suppress(SystemError):
            return ast.parse(source)
    return ast.parse(source)
