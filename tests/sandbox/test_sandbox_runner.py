"""Programs run as python runs them, within limits, and their times are reported as they
were.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_llmarith.sandbox import runner
from pytest_llmarith.sandbox.program_runs import (
    Ending,
    Isolation,
    IsolationLevel,
    ProgramLimits,
    ProgramRun,
)
from pytest_llmarith.sandbox.runner import Sandbox, Slots

MakeSandbox = Callable[..., Sandbox]

_HEAD = "import atexit, io, os, sys, threading, time\n"
_PROGRAMS = {
    "read all": "print(sys.stdin.read().split())",
    "read beyond the end": "input(); input()",
    "bytes": "sys.stdout.buffer.write(b'\\xff\\xfe 7\\r\\n')",
    "main": "print(__name__, __doc__, __spec__, __builtins__, len(sys.argv))",
    "future": "from __future__ import annotations\nx: nothing = 3\nprint(__annotations__)",
    "recursion": "sys.setrecursionlimit(5000)\ndef f(n): return n and f(n - 1)\nprint(f(4000))",
    "exit with text": "sys.exit('no such term')",
    "exit with the smallest long": "sys.exit(-(1 << 63))",
    "exit with 256": "exit(256)",
    "syntax error": "print(1)\nprint(1",
    "byte order mark": "\ufeffprint(3)",
    "carriage returns": "print(1)\r\nprint(2)\r\n",
    "atexit that raises": "atexit.register(print, 'bye')\natexit.register(lambda: 1 / 0)\nprint('hello')",
    "daemon thread": "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\nprint('main')",
    "thread pool": "from concurrent.futures import ThreadPoolExecutor as P\nprint(sum(P(4).map(abs, range(-9, 9))))",
    "asyncio": "import asyncio\nasync def f(): await asyncio.sleep(0.01); return 5\nprint(asyncio.run(f()))",
    "os._exit with lost output": "sys.stdout.write('lost'); os._exit(4)",
    "stdout as a string": "old, sys.stdout = sys.stdout, io.StringIO()\nprint('lost')\nold.write('kept')",
    "closed stdout": "print('kept'); sys.stdout.close()",
    "alarm": "import signal\nsignal.signal(14, lambda *_: print('alarm'))\nsignal.setitimer(0, 0.02)\ntime.sleep(0.1)",
    "too big a number": "print(2 ** 14000)\nprint(2 ** 15000)",
    "exit beyond a C long": "exit(2 ** 70)",
    "exit with a long": "exit(2 ** 40 + 3)",
    "exit with minus one": "exit(-1)",
    "delete at the end": "class A:\n def __del__(self): print('more', os is not None)\na = A()\nprint(1)",
    "delete in a cycle": "class A:\n def __del__(self): print('more')\na = A()\na.itself = a\nprint(1)",
    "generator at the end": "def f():\n try: yield 1\n finally: print('more')\ng = f()\nprint(next(g))",
    "file that is never closed": "out = open(1, 'w', closefd=False)\nout.write('kept')",
    "delete with another stdout": "class A:\n def __del__(self): print('more')\na = A()\nsys.stdout = io.StringIO()",
    "own excepthook": "sys.excepthook = lambda *error: print('own')\n1 / 0",
    "excepthook that exits": "sys.excepthook = lambda *error: sys.exit(7)\n1 / 0",
    "excepthook that raises": "sys.excepthook = lambda *error: error[7]\n1 / 0",
    "flush that fails": "class A:\n def write(self, text): pass\nsys.stdout = A()\nprint(1)",
    "flush of a full buffer that fails": "os.close(1); print(1)",
    "no stdout": "print(1, flush=True)\nsys.stdout = None",
    "kill itself": "os.kill(os.getpid(), 15)",
    "no terminal": "print(sys.stdin.isatty(), sys.stdout.isatty(), sys.stdin.seekable(), sys.stdin.encoding)",
}
_LIBRARIES = """
import bz2, ctypes, curses, decimal, hashlib, lzma, multiprocessing, readline, sqlite3, ssl, uuid, zlib
import xml.etree.ElementTree
from importlib.util import find_spec
print(hashlib.sha256(zlib.compress(bz2.compress(lzma.compress(b'')))).digest_size, decimal.Decimal(2).sqrt())
print(sqlite3.connect(':memory:').execute('select 7').fetchone())
print(sorted(name for name in sys.stdlib_module_names if find_spec(name) is None))
"""
_BARE = {"future", "byte order mark"}


def _lines(stderr: str) -> list[str]:
    return re.sub("0x[0-9a-f]+", "0x", stderr).splitlines()


def _assert_as_python(sandbox: Sandbox, program: str, folder: Path) -> None:
    script = folder / "program.py"
    script.write_bytes(program.encode())
    expected = subprocess.run(
        [sys.executable, script.name],
        input=b"12\n",
        capture_output=True,
        cwd=folder,
        check=False,
        env={},
    )
    [run] = sandbox.run(program, [12])
    assert run.stdout == expected.stdout.decode("utf-8", "replace")
    assert (run.ending is Ending.KILLED) == (expected.returncode < 0), run
    assert run.exit_status == (
        expected.returncode if expected.returncode >= 0 else None
    ), run
    stderr, expected_stderr = (
        _lines(run.stderr),
        _lines(expected.stderr.decode().replace(str(script), script.name)),
    )
    assert bool(stderr) == bool(expected_stderr)
    if (
        "Exception ignored" not in run.stderr
    ):  # each version of Python words this in another way
        assert [line for line in stderr if line not in expected_stderr] == []


@pytest.mark.parametrize("name", _PROGRAMS)
def test_it_is_as_if_run_by_python(
    make_sandbox: MakeSandbox, tmp_path: Path, name: str
) -> None:
    """Output, exit status and signal are python's own, and so are errors, except for
    lines of source.
    """
    program = _PROGRAMS[name] if name in _BARE else _HEAD + _PROGRAMS[name]
    _assert_as_python(make_sandbox(), program, tmp_path)


@pytest.mark.usefixtures("isolation")
def test_the_standard_library_is_complete(
    make_sandbox: MakeSandbox, tmp_path: Path
) -> None:
    _assert_as_python(make_sandbox(), _HEAD + _LIBRARIES, tmp_path)


@pytest.mark.usefixtures("isolation")
@pytest.mark.parametrize("name", ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"])
def test_standard_input_is_a_file(
    make_sandbox: MakeSandbox, tmp_path: Path, name: str
) -> None:
    _assert_as_python(
        make_sandbox(), f"print(int(open({name!r}).read()) + 1)", tmp_path
    )


def test_warnings_of_the_compiler_do_no_harm(make_sandbox: MakeSandbox) -> None:
    """A source with thousands of warnings runs, and the first ones are seen."""
    run = _one(make_sandbox, 5000 * "1 is 1\n" + "print(8)")
    assert (run.ending, run.exit_status, run.stdout) == (Ending.EXITED, 0, "8\n")
    assert "SyntaxWarning" in run.stderr


def _one(make_sandbox: MakeSandbox, program: str, **limits: object) -> ProgramRun:
    [run] = make_sandbox(**limits).run(program, [5])
    return run


@pytest.mark.parametrize(
    ("stream", "length", "ending"),
    [
        ("stdout", 1 << 16, "exited"),
        ("stdout", 1 + (1 << 16), "killed"),
        ("stderr", 10**7, "killed"),
    ],
)
def test_output_up_to_the_limit(
    make_sandbox: MakeSandbox, stream: str, length: int, ending: str
) -> None:
    run = _one(make_sandbox, f"import sys; sys.{stream}.write({length} * 'x')")
    assert (run.ending, getattr(run, stream)) == (ending, min(length, 1 << 16) * "x")
    assert ("65,536 bytes" in (run.detail or "")) == (ending == "killed")


@pytest.mark.usefixtures("isolation")
def test_memory_is_limited(make_sandbox: MakeSandbox) -> None:
    within, beyond = make_sandbox(memory_bytes=256 << 20).run(
        "print(len(bytearray(int(input()) << 20)))", [100, 300]
    )
    assert (within.ending, within.stdout) == (Ending.EXITED, f"{100 << 20}\n")
    assert (beyond.ending, beyond.exit_status) == (Ending.EXITED, 1)
    assert beyond.stderr.endswith("MemoryError\n")


_SLOW_SOURCE = f"x = [{','.join(['(' * 90 + '1' + ')' * 90] * 20_000)}]"


@pytest.mark.parametrize(
    "program",
    [
        "print(1, flush=True)\nwhile True: pass",
        "import time; time.sleep(60)",
        _SLOW_SOURCE,
    ],
)
def test_late_is_late(make_sandbox: MakeSandbox, program: str) -> None:
    """A term over time is late, compiling or asleep; one that shares the machine is
    stopped beyond the margin.
    """
    run = _one(make_sandbox, program, seconds=(0.2, 0.4), slots=2)
    assert (run.ending, run.exit_status, run.alone) == (Ending.LATE, None, False)
    assert run.seconds >= 0.48
    run = _one(make_sandbox, program, seconds=(0.2, 0.4))
    assert (run.ending, run.alone) == (Ending.LATE, True)
    assert run.seconds >= 0.4
    assert run.stdout == ("1\n" if program.startswith("print") else "")


class _BusyMachine:
    """A zygote client on a machine that is too busy to time terms, except for input 1,
    until the fifth.
    """

    runs = 0

    def __init__(self, *_: object) -> None:
        pass

    def close(self) -> None:
        pass

    def run(self, number: int, *_: object) -> ProgramRun:
        type(self).runs += 1
        ending = (
            Ending.INCONCLUSIVE if number != 1 and self.runs <= 5 else Ending.EXITED
        )
        return ProgramRun(number, ending, 0, None, "", "", 0.01)


@pytest.mark.parametrize(
    ("slots", "wait_s", "endings", "count"),
    [
        (1, 0.0, "exited inconclusive", 2),
        (2, 0.0, "exited inconclusive", 3),
        (1, 600.0, "exited " * 4, 8),
    ],
)
def test_a_program_stops_at_its_first_inconclusive_term(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    slots: int,
    wait_s: float,
    endings: str,
    count: int,
) -> None:
    """An inconclusive term is run again alone, and if there is time to wait, until it
    can be timed.
    """
    monkeypatch.setattr(runner, "ZygoteClient", _BusyMachine)
    monkeypatch.setattr(runner, "_TRY_AGAIN_S", 0.0)
    monkeypatch.setattr(_BusyMachine, "runs", 0)
    sandbox = Sandbox(
        Isolation(IsolationLevel.NONE, ()),
        ProgramLimits(),
        Slots(tmp_path, slots),
        wait_s=wait_s,
    )
    assert [run.ending for run in sandbox.run("", [1, 2, 3, 4])] == endings.split()
    assert _BusyMachine.runs == count


class _QuickMachine(_BusyMachine):
    """A zygote client on a machine on which each term takes 0.3 s."""

    def run(self, number: int, *_: object) -> ProgramRun:
        return ProgramRun(number, Ending.EXITED, 0, None, "", "", 0.3)


@pytest.mark.parametrize(
    ("limit", "alone"), [(0.37, True), (0.26, True), (0.24, False), (0.38, False)]
)
def test_a_marginal_time_is_taken_again_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, limit: float, alone: bool
) -> None:
    """Within 20 % of any limit, the run that counts is the one with the machine to
    itself.
    """
    monkeypatch.setattr(runner, "ZygoteClient", _QuickMachine)
    sandbox = Sandbox(
        Isolation(IsolationLevel.NONE, ()),
        ProgramLimits(seconds=(limit, 8.0)),
        Slots(tmp_path, 2),
    )
    assert [run.alone for run in sandbox.run("", [5])] == [alone]


def test_every_input_has_its_run(make_sandbox: MakeSandbox) -> None:
    passed: list[ProgramRun] = []
    inputs = [3, -1, 0, 10**1000, 3]
    runs = make_sandbox().run("print(int(input()) + 1)", inputs, passed.append)
    assert [(run.input, run.stdout) for run in runs] == [
        (number, f"{number + 1}\n") for number in inputs
    ]
    assert passed == runs
    assert make_sandbox().run("print(1)", []) == []


_MAKES = {
    "threads": (
        "import threading",
        "thread = threading.Thread(target=int); thread.start(); thread.join()",
        1000,
    ),
    "pipes": ("import os", "for end in os.pipe(): os.close(end)", 64),
    "pairs of sockets": (
        "import socket",
        "for end in socket.socketpair(): end.close()",
        64,
    ),
}


@pytest.mark.parametrize(("head", "make", "most"), _MAKES.values(), ids=_MAKES)
def test_what_a_term_makes_is_counted(
    make_sandbox: MakeSandbox, head: str, make: str, most: int
) -> None:
    """A term makes this many threads, pipes and pairs, and the next one as many
    again.
    """
    program = f"{head}\nmade = 0\ntry:\n  while True:\n    {make}\n    made += 1\nexcept Exception: print(made)"
    assert [run.stdout for run in make_sandbox().run(program, [1, 2])] == [
        f"{most}\n"
    ] * 2


def test_many_threads_work_at_once(make_sandbox: MakeSandbox) -> None:
    """The memory that the interpreter reserves for each thread leaves room for more."""
    program = """
import threading
all_run = threading.Barrier(60)
def work(): return [bytes(1000) for _ in range(100)], all_run.wait()
threads = [threading.Thread(target=work) for _ in range(60)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print("done")
"""
    assert [run.stdout for run in make_sandbox().run(program, [1])] == ["done\n"]
