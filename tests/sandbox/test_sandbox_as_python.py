"""A program in the sandbox cannot tell that python did not start it from a file: same output, same exit status."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_llmarith.values import Ending
from tests.sandbox.making import MakeSandbox

_HEAD = "import atexit, io, os, sys, threading, time\n"
_PROGRAMS = {
    "square": "print(int(input()) ** 2)",
    "read all": "print(sys.stdin.read().split())",
    "read lines": "print([line for line in sys.stdin])",
    "read beyond the end": "input(); input()",
    "read the descriptor": "print(os.read(0, 100)); print(os.read(0, 100))",
    "no newline": "print(7, end='')",
    "bytes": "sys.stdout.buffer.write(b'\\xff\\xfe 7\\r\\n')",
    "other letters": "print('π', '\\N{SNOWMAN}')",
    "lone surrogate": "print(ascii('\\ud800'))",
    "argv": "print(len(sys.argv))",
    "main": "print(__name__, __doc__, __spec__, __builtins__)",
    "names": "print(sorted(set(globals()) - {'__loader__'}))",
    "docstring": "'''Says what it is.'''\nprint(__doc__)",
    "annotations": "x: int = 3\nprint(__annotations__)",
    "future": "from __future__ import annotations\nx: nothing = 3\nprint(__annotations__)",
    "pickle by main": "import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))) is A)",
    "recursion limit": "print(sys.getrecursionlimit())",
    "deep recursion": "sys.setrecursionlimit(5000)\ndef f(n): return n and f(n - 1)\nprint(f(4000))",
    "quit": "print(1); quit(); print(2)",
    "exit 3": "print(1); exit(3)",
    "exit with text": "sys.exit('no such term')",
    "exit with none": "sys.exit(None)",
    "exit with true": "sys.exit(True)",
    "exit with -1": "sys.exit(-1)",
    "exit with 256": "sys.exit(256)",
    "exit with a tuple": "sys.exit((1, 2))",
    "raise": "def f(): raise ValueError('no')\nf()",
    "raise from": "try: 1 / 0\nexcept ZeroDivisionError as e: raise KeyError('x') from e",
    "assert": "assert 1 == 2, 'no'",
    "syntax error": "print(1)\nprint(1",
    "indentation error": "if 1:\nprint(1)",
    "syntax warning": "print(1 is 1)",
    "byte order mark": "\ufeffprint(3)",
    "coding cookie": "# -*- coding: latin-1 -*-\nprint(len('é'))",
    "carriage returns": "print(1)\r\nprint(2)\r\n",
    "nothing": "",
    "atexit": "atexit.register(print, 'bye')\nprint('hello')",
    "atexit that raises": "atexit.register(lambda: 1 / 0)\nprint('hello')",
    "thread outlives main": "def f(): time.sleep(0.05); print(2)\nthreading.Thread(target=f).start()\nprint(1)",
    "daemon thread": "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\nprint('main')",
    "thread that raises": "threading.Thread(target=lambda: 1 / 0).start()",
    "thread pool": "from concurrent.futures import ThreadPoolExecutor as P\nprint(sum(P(4).map(abs, range(-9, 9))))",
    "thread with a large stack": "threading.stack_size(64 << 20)\nt = threading.Thread(target=print, args=(5,))\n"
    "t.start(); t.join()",
    "asyncio": "import asyncio\nasync def f(): await asyncio.sleep(0.01); return 5\nprint(asyncio.run(f()))",
    "destructor": "class A:\n    def __del__(self): print('gone')\na = A()",
    "destructor in a cycle": "class A:\n    def __del__(self): print('gone')\na = A(); a.a = a; del a",
    "weak finalizer": "import weakref\nclass A: pass\na = A(); weakref.finalize(a, print, 'gone')",
    "os._exit": "print(1); os._exit(4)",
    "os._exit with lost output": "sys.stdout.write('lost'); os._exit(0)",
    "another stdout": "sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf-8')\nprint('é')",
    "a detached stdout": "sys.stdout = io.TextIOWrapper(sys.stdout.detach(), encoding='utf-8')\nprint('é')",
    "stdout as a string": "old, sys.stdout = sys.stdout, io.StringIO()\nprint('lost')\nold.write('kept')",
    "stdout opened again": "out = open(1, 'w')\nout.write('kept')",
    "closed stdout": "print('kept'); sys.stdout.close()",
    "no stdout": "sys.stdout = None\nprint('lost')",
    "stdout not to be written": "sys.stdout.write('x'); os.close(1)",
    "excepthook": "sys.excepthook = lambda *args: print('hook', args[1])\n1 / 0",
    "excepthook that raises": "def h(*args): raise KeyError(3)\nsys.excepthook = h\n1 / 0",
    "alarm": "import signal\nsignal.signal(signal.SIGALRM, lambda *_: print('alarm'))\nsignal.setitimer(0, 0.02)\n"
    "time.sleep(0.1)",
    "stack limit": "import resource\nresource.setrlimit(resource.RLIMIT_STACK, (32 << 20, -1))\nprint(1)",
    "devnull": "print(1, file=open(os.devnull, 'w')); print(2)",
    "standard library": "import bisect, collections, decimal, fractions, functools, heapq, itertools, json, math, re\n"
    "import random, statistics, string, hashlib, zlib, datetime, typing, dataclasses, subprocess, multiprocessing\n"
    "print(math.comb(50, 25), decimal.Decimal(2).sqrt(), fractions.Fraction(1, 3))",
    "modules with libraries": "import bz2, ctypes, curses, hashlib, lzma, readline, sqlite3, ssl, uuid, zlib\n"
    "import xml.etree.ElementTree\n"
    "print(hashlib.sha256(zlib.compress(bz2.compress(lzma.compress(b'')))).digest_size)\n"
    "print(sqlite3.connect(':memory:').execute('select 7').fetchone(), xml.etree.__name__)",
    "all modules are found": "from importlib.util import find_spec\n"
    "print(sorted(name for name in sys.stdlib_module_names if find_spec(name) is None))",
    "random": "import random\nrandom.seed(5); print(random.random())",
    "big numbers": "print(2 ** 14000)",
    "too big a number": "print(2 ** 15000)",
    "abort": "os.abort()",
    "kill itself": "os.kill(os.getpid(), 15)",
    "segfault": "import ctypes; ctypes.string_at(0)",
    "stdin is no terminal": "print(sys.stdin.isatty(), sys.stdout.isatty(), sys.stdin.seekable(), sys.stdin.encoding)",
    "stdout is buffered": "print(sys.stdout.line_buffering, sys.stdout.write_through, sys.stdout.encoding)",
}

_BARE = {"docstring", "future", "byte order mark", "coding cookie", "nothing"}


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("script") / "program.py"


@pytest.mark.parametrize("name", _PROGRAMS)
def test_it_is_as_if_run_by_python(make_sandbox: MakeSandbox, script: Path, name: str) -> None:
    """Output, exit status and signal are python's own, and so is what it complains of, but for lines of source."""
    program = _PROGRAMS[name] if name in _BARE else _HEAD + _PROGRAMS[name]
    script.write_bytes(program.encode())
    expected = subprocess.run(
        [sys.executable, script.name], input=b"12\n", capture_output=True, cwd=script.parent, check=False, env={}
    )
    [run] = make_sandbox().run(program, [12])
    assert run.stdout == expected.stdout.decode("utf-8", "replace")
    assert (run.ending is Ending.KILLED) == (expected.returncode < 0), run
    if expected.returncode >= 0:
        assert run.exit_status == expected.returncode, run
    theirs = _lines(expected.stderr.decode().replace(str(script), script.name))
    ours = _lines(run.stderr)
    assert bool(ours) == bool(theirs)
    assert [line for line in ours if line not in theirs] == []


def test_a_traceback_shows_the_program_alone(make_sandbox: MakeSandbox) -> None:
    """A traceback is the program's alone, and nothing of the sandbox stands in it."""
    [run] = make_sandbox().run("def f():\n    return 1 / 0\nf()\n", [0])
    assert run.stderr.splitlines() == [
        "Traceback (most recent call last):",
        '  File "program.py", line 3, in <module>',
        '  File "program.py", line 2, in f',
        "ZeroDivisionError: division by zero",
    ]


def _lines(complaint: str) -> list[str]:
    return re.sub("0x[0-9a-f]+", "0x", complaint).splitlines()
