"""A program, run as python would run it from a file: as `__main__`, to its last thread, with python's exit status.

The interpreter is not taken apart at the end: that would copy, page by page, all that a term shares with its zygote,
and takes longer than most terms. What a program can notice of the end is done here, in python's order.
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
# Python's own, where the last of the output could not be written.
_LOST_OUTPUT = 120


def run(source: bytes) -> None:
    """Compile and execute it, and end this process."""
    main = _dress_up()
    status = _execute(source, main)
    _await_threads()
    atexit._run_exitfuncs()
    if (lost := _flush(sys.stdout)) is not None:
        _complain(f"Exception ignored {_at_the_last_flush()}\n{type(lost).__name__}: {lost}")
        status = _LOST_OUTPUT
    _let_go(main)
    for stream in sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__:
        _flush(stream)
    os._exit(status & 0xFF)


def _dress_up() -> ModuleType:
    """What a script finds at its start: its own argv, exit() and help(), and no module of ours."""
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
        return _exit_status(error.code)
    except BaseException as error:
        # Without the line above, which called the program.
        traceback = error.__traceback__ and error.__traceback__.tb_next
        _show(error.with_traceback(traceback))
        return 1
    return 0


def _exit_status(code: object) -> int:
    if code is None or isinstance(code, int):
        return code or 0
    _complain(code)
    return 1


def _complain(what: object) -> None:
    if sys.stderr is not None:
        sys.stderr.write(f"{what}\n")


def _show(error: BaseException) -> None:
    try:
        sys.excepthook(type(error), error, error.__traceback__)
    except BaseException:
        sys.__excepthook__(type(error), error, error.__traceback__)


def _await_threads() -> None:
    threading = sys.modules.get("threading")
    if threading is not None:
        try:
            threading._shutdown()
        except BaseException as error:
            sys.__excepthook__(type(error), error, error.__traceback__)


def _let_go(main: ModuleType) -> None:
    """The program's own objects, for those that have something to say or to write at their end."""
    names = vars(main)
    for name in [name for name in names if name != "__builtins__"]:
        names[name] = None
    gc.collect()


def _at_the_last_flush() -> str:
    """Python's own words, which every other release puts anew."""
    if sys.version_info >= (3, 14):
        return "while flushing sys.stdout:"
    if sys.version_info >= (3, 13):
        return "on flushing sys.stdout:"
    return f"in: {sys.stdout!r}"


def _flush(stream: object) -> BaseException | None:
    """What kept its last output from being written."""
    try:
        if stream is not None and not stream.closed:  # type: ignore[attr-defined]
            stream.flush()  # type: ignore[attr-defined]
    except BaseException as error:
        return error
    return None
