"""Runs a program as python runs a file.

That is as `__main__`, until its last thread ends, with python's exit status. The
interpreter is not finalized: that would copy the memory that a term shares with its
zygote, and takes as long as most terms. The steps of finalization that a program can
notice are done here, in python's order.
"""

from __future__ import annotations

import atexit
import builtins
import gc
import marshal
import os
import site
import sys
import warnings
from types import ModuleType

_FILENAME = "program.py"
_MAX_WARNINGS = 20  # of the compiler: thousands would fill stderr
_OUT_OF_RANGE = 255
_NOT_FLUSHED = 120


def run(source: bytes, known: bytes | None) -> None:
    """Execute the program, and end this process.

    `known` is its marshalled code; empty if it has to be compiled, None if that is all
    that this process does.
    """
    if known is None:
        _write_code(source)
        return
    status = _execute(source, known)
    _await_threads()
    atexit._run_exitfuncs()
    flushed = _flush()
    # What the program left behind may write as well, when it is deleted.
    sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
    sys.modules.pop("__main__", None)
    gc.collect()
    flushed = _flush() and flushed
    os._exit(status if flushed else _NOT_FLUSHED)


def prepare() -> None:
    """In the zygote: make the module of a script, with its own argv and exit().

    The modules of this package are removed, and all objects but that module are kept
    out of the collections of garbage.
    """
    # The first call makes the classes of syntax trees, which an interpreter that runs a
    # file does not need. They took a term longer than to compile most programs.
    compile("", _FILENAME, "exec")
    package = __name__.partition(".")[0]
    for name in list(sys.modules):
        if name.partition(".")[0] == package:
            del sys.modules[name]
    sys.argv = [_FILENAME]
    site.setquit()
    gc.freeze()
    main = sys.modules["__main__"] = ModuleType("__main__")
    vars(main).update(__builtins__=builtins, __file__=_FILENAME, __cached__=None)


def _write_code(source: bytes) -> None:
    """Write the marshalled code to stdout, or nothing if it does not compile."""
    try:
        code = compile(source, _FILENAME, "exec", dont_inherit=True)
        os.write(1, marshal.dumps(code))
    finally:
        os._exit(0)


def _execute(source: bytes, known: bytes) -> int:
    """The exit status of the program's main thread."""
    try:
        if known:
            code = marshal.loads(known)
        else:
            with warnings.catch_warnings(record=True) as found:
                code = compile(source, _FILENAME, "exec", dont_inherit=True)
            for one in found[:_MAX_WARNINGS]:
                warnings.showwarning(
                    one.message, one.category, one.filename, one.lineno
                )
        exec(code, vars(sys.modules["__main__"]))
    except SystemExit as error:
        return _exit_status(error.code)
    except BaseException as error:
        uncaught = error
    else:
        return 0
    return _call_hook(_of_program(uncaught))


def _exit_status(code: object) -> int:
    """The exit status for the code of a SystemExit."""
    if code is None:
        return 0
    if not isinstance(code, int):
        sys.stderr.write(f"{code}\n")
        return 1
    is_c_long = -(1 << 63) <= code < 1 << 63
    # The kernel keeps eight bits of it.
    return code & 0xFF if is_c_long else _OUT_OF_RANGE


def _call_hook(error: BaseException) -> int:
    """Pass an uncaught error to the program's hook, and return the exit status."""
    try:
        sys.excepthook(type(error), error, error.__traceback__)
    except SystemExit as exit_of_hook:
        return _exit_status(exit_of_hook.code)
    except BaseException as fault:
        sys.stderr.write("Error in sys.excepthook:\n")
        _print(_of_program(fault))
        sys.stderr.write("\nOriginal exception was:\n")
        _print(error)
    return 1


def _of_program(error: BaseException) -> BaseException:
    """The error without the frame of the function here that called the program."""
    return error.with_traceback(error.__traceback__ and error.__traceback__.tb_next)


def _print(error: BaseException) -> None:
    sys.__excepthook__(type(error), error, error.__traceback__)


def _await_threads() -> None:
    threading = sys.modules.get("threading")
    if threading is not None:
        try:
            threading._shutdown()
        except BaseException as error:
            _print(error)


def _flush() -> bool:
    """Write what the standard streams hold; whether that worked."""
    flushed = True
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name, None)
        if stream is None or getattr(stream, "closed", False):
            continue
        try:
            stream.flush()
        except BaseException as error:
            flushed = False
            if name == "stdout":
                error.add_note("Exception ignored: stdout could not be flushed")
                _print(error)
    return flushed
