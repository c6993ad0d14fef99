"""Runs a program as python runs a file: as `__main__`, until its last thread ends, with python's exit status.

The interpreter is not finalized: that would copy all memory that a term shares with its zygote, and takes longer than
most terms. The steps of finalization that a program can notice are done here, in python's order.
"""

from __future__ import annotations

import atexit
import builtins
import os
import site
import sys
import warnings
from types import ModuleType

_FILENAME = "program.py"
_MAX_WARNINGS = 20  # of the compiler: thousands would fill stderr


def run(source: bytes) -> None:
    """Compile and execute the program, and end this process."""
    main = _new_main()
    status = _execute(source, main)
    _await_threads()
    atexit._run_exitfuncs()
    for stream in "stdout", "stderr", "__stdout__", "__stderr__":
        try:
            getattr(sys, stream).flush()
        except BaseException:
            continue  # it is closed or was replaced
    os._exit(status & 0xFF)


def _new_main() -> ModuleType:
    """The module of a script: with its own argv and exit(), and without the modules of this package."""
    for name in [name for name in sys.modules if name.partition(".")[0] == __name__.partition(".")[0]]:
        del sys.modules[name]
    sys.argv = [_FILENAME]
    site.setquit()
    main = ModuleType("__main__")
    vars(main).update(__builtins__=builtins, __file__=_FILENAME, __cached__=None)
    sys.modules["__main__"] = main
    return main


def _execute(source: bytes, main: ModuleType) -> int:
    try:
        with warnings.catch_warnings(record=True) as found:
            code = compile(source, _FILENAME, "exec", dont_inherit=True)
        for one in found[:_MAX_WARNINGS]:
            warnings.showwarning(one.message, one.category, one.filename, one.lineno)
        exec(code, vars(main))
    except SystemExit as error:
        if error.code is None or isinstance(error.code, int):
            return error.code or 0
        sys.stderr.write(f"{error.code}\n")
        return 1
    except BaseException as error:
        # Without the frame of this function.
        traceback = error.__traceback__ and error.__traceback__.tb_next
        sys.__excepthook__(type(error), error.with_traceback(traceback), traceback)
        return 1
    return 0


def _await_threads() -> None:
    threading = sys.modules.get("threading")
    if threading is not None:
        try:
            threading._shutdown()
        except BaseException as error:
            sys.__excepthook__(type(error), error, error.__traceback__)
