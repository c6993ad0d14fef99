"""A program, run as python would run it from a file: as `__main__`, to its last thread, with python's exit status."""

from __future__ import annotations

import builtins
import site
import sys
from types import ModuleType

_FILENAME = "program.py"


def run(source: bytes) -> None:
    """Compile and execute it in this process. What unwinds from here must reach the top of the interpreter."""
    _dress_up()
    main = ModuleType("__main__")
    vars(main).update(__builtins__=builtins, __file__=_FILENAME, __cached__=None, __annotations__={})
    sys.modules["__main__"] = main
    try:
        exec(compile(source, _FILENAME, "exec", dont_inherit=True), vars(main))
        return
    except SystemExit:
        raise
    except BaseException as error:
        _show(error)
    sys.exit(1)


def _dress_up() -> None:
    """What a script finds at its start: its own argv, exit() and help(), and no module of ours."""
    for name in [name for name in sys.modules if name.partition(".")[0] == __name__.partition(".")[0]]:
        del sys.modules[name]
    sys.argv = [_FILENAME]
    site.setquit()
    site.sethelper()


def _show(error: BaseException) -> None:
    """The traceback, without the line above that called the program."""
    traceback = error.__traceback__ and error.__traceback__.tb_next
    sys.excepthook(type(error), error.with_traceback(traceback), traceback)
