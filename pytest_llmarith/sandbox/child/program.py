"""Runs a program as python runs a file: as `__main__`, until its last thread ends, with python's exit status.

The interpreter is not finalized: that would copy all memory that a term shares with its zygote, and takes longer than
most terms. The steps of finalization that a program can notice are done here, in python's order.
"""

from __future__ import annotations

import atexit
import builtins
import gc
import os
import site
import sys
from types import ModuleType

_FILENAME = "program.py"
# Python's exit status if the last output could not be written.
_LOST_OUTPUT = 120


def run(source: bytes) -> None:
    """Compile and execute the program, and end this process."""
    main = _new_main()
    status = _execute(source, main)
    _await_threads()
    atexit._run_exitfuncs()
    if (lost := _flush(sys.stdout)) is not None:
        _complain(f"Exception ignored while flushing sys.stdout\n{type(lost).__name__}: {lost}")
        status = _LOST_OUTPUT
    _delete_objects(main)
    for stream in sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__:
        _flush(stream)
    os._exit(status & 0xFF)


def _new_main() -> ModuleType:
    """The module of a script: with its own argv, exit() and help(), and without the modules of this package."""
    for name in [name for name in sys.modules if name.partition(".")[0] == __name__.partition(".")[0]]:
        del sys.modules[name]
    sys.argv = [_FILENAME]
    site.setquit()
    site.sethelper()
    main = ModuleType("__main__")
    vars(main).update(__builtins__=builtins, __file__=_FILENAME, __cached__=None)
    if sys.version_info < (3, 14):
        vars(main).update(__annotations__={})
    sys.modules["__main__"] = main
    return main


def _execute(source: bytes, main: ModuleType) -> int:
    try:
        exec(compile(source, _FILENAME, "exec", dont_inherit=True), vars(main))
    except SystemExit as error:
        if error.code is None or isinstance(error.code, int):
            return error.code or 0
        _complain(error.code)
        return 1
    except BaseException as error:
        # Without the frame of this function.
        traceback = error.__traceback__ and error.__traceback__.tb_next
        try:
            sys.excepthook(type(error), error.with_traceback(traceback), traceback)
        except BaseException:
            sys.__excepthook__(type(error), error, error.__traceback__)
        return 1
    return 0


def _complain(what: object) -> None:
    if sys.stderr is not None:
        sys.stderr.write(f"{what}\n")


def _await_threads() -> None:
    threading = sys.modules.get("threading")
    if threading is not None:
        try:
            threading._shutdown()
        except BaseException as error:
            sys.__excepthook__(type(error), error, error.__traceback__)


def _delete_objects(main: ModuleType) -> None:
    """Delete the program's objects, so that their finalizers run."""
    names = vars(main)
    for name in [name for name in names if name != "__builtins__"]:
        names[name] = None
    gc.collect()


def _flush(stream: object) -> BaseException | None:
    """Flush a stream; returns the error if its last output could not be written."""
    try:
        if stream is not None and not stream.closed:  # type: ignore[attr-defined]
            stream.flush()  # type: ignore[attr-defined]
    except BaseException as error:
        return error
    return None
