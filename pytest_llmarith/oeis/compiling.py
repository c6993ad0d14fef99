"""Compiles the program of a reply: in a child process with limits first, and only what passed there is parsed here.

The compiler guards itself against some hostile sources and not against others: a thousand characters can take gigabytes
or minutes, or end the whole process by a segmentation fault.
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

LONGEST_PROGRAM = 1 << 17  # characters
_CHILD = (sys.executable, "-I", "-S", "-W", "ignore", str(Path(__file__).with_name("compile_child.py")))
_KEPT_VARIABLES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_SOURCES_FAULT = {signal.SIGXCPU, signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL}
_LONGEST_WAIT_S = 120.0  # of wall time: only a stalled machine takes so long
_TRIES = 9


class NotPythonError(ValueError):
    """The text is no program; the message is one line and says where."""

    def __init__(self, message: str, reason: NanReason = NanReason.SYNTAX_ERROR) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Program:
    """A program that compiles, with newlines alone at the ends of its lines, and its syntax tree."""

    source: str
    tree: ast.Module = field(compare=False, repr=False)


def compiled(source: str) -> Program:
    """The program, if it compiles. Raises NotPythonError if not, OSError if the child process does not work."""
    if len(source) > LONGEST_PROGRAM:
        raise NotPythonError(f"the program has {len(source):,} characters, more than {LONGEST_PROGRAM:,}")
    try:
        encoded = source.encode()
    except UnicodeError:
        raise NotPythonError("half of a character stands alone (a surrogate)") from None
    _try_in_child(encoded)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Program(source, _tree(source))


def _try_in_child(source: bytes) -> None:
    environment = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    try:
        done = subprocess.run(_CHILD, input=source, capture_output=True, timeout=_LONGEST_WAIT_S, env=environment)
    except subprocess.TimeoutExpired:
        raise TimeoutError(f"a program was not compiled in {_LONGEST_WAIT_S:g} s") from None
    if -done.returncode in _SOURCES_FAULT:
        limits = f"{MEMORY_BYTES >> 20} MB and {CPU_S} s"
        why = f"Python cannot compile it within {limits}: {signal.Signals(-done.returncode).name}"
        raise NotPythonError(why, NanReason.UNCOMPILABLE)
    verdict, _, message = done.stdout.decode("utf-8", "replace").partition("\n")
    if done.returncode or verdict not in (PASSED, SYNTAX_ERROR, UNCOMPILABLE):
        trouble = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise OSError(f"programs cannot be compiled: {trouble[-1] if trouble else f'status {done.returncode}'}")
    if verdict != PASSED:
        raise NotPythonError(message, NanReason(verdict))


def _tree(source: str) -> ast.Module:
    # Python 3.11 counts one depth for all threads, and takes somebody else's parsing meanwhile for a fault of its own.
    for _ in range(_TRIES):
        with suppress(SystemError):
            return _parse(source)
    return _parse(source)


def _parse(source: str) -> ast.Module:
    tree = compile(source, "<program>", "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    assert isinstance(tree, ast.Module)
    return tree


def does_something(tree: ast.Module) -> bool:
    """Whether there is more than names and constants: `Sorry` is Python too, and so is `42`."""
    return any(
        not isinstance(statement, ast.Expr) or any(isinstance(node, ast.Call) for node in ast.walk(statement))
        for statement in tree.body
    )
