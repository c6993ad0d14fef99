"""The Python that runs the programs: the base interpreter of this one, and the files that it cannot do without.

Its standard library is among them; installed packages are not.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

# No variables, packages and folders of the user's; no bytecode, since there is nowhere to write it; UTF-8 for
# the standard streams, whatever locales a jail has.
FLAGS = ("-I", "-S", "-B", "-X", "utf8")
_PACKAGES = ("site-packages", "dist-packages")
_LOADERS_CACHE = "/etc/ld.so.cache"
# Imports the modules that bring shared libraries along, as far as this Python has them; the last library is for the
# end of a thread. Then it asks the loader by which names it found all that it has loaded.
_QUESTION = """
import ctypes, sys
for name in "zlib bz2 lzma _hashlib _ssl _decimal _uuid pyexpat _sqlite3 _curses readline".split():
    try:
        __import__(name)
    except ImportError:
        pass
try:
    ctypes.CDLL("libgcc_s.so.1")
except OSError:
    pass
class Library(ctypes.Structure):
    _fields_ = [("address", ctypes.c_void_p), ("path", ctypes.c_char_p)]
paths = []
@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Library), ctypes.c_size_t, ctypes.c_void_p)
def note(library, *_):
    paths.append(library.contents.path.decode())
    return 0
ctypes.CDLL(None).dl_iterate_phdr(note, None)
print(ascii((sys.version.split()[0], sys.path, paths)))
"""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """`files` and `folders` may be read, but not `hidden`: folders right within those."""

    executable: str
    version: str
    files: tuple[str, ...]
    folders: tuple[str, ...]
    hidden: tuple[str, ...]

    def readable(self) -> tuple[str, ...]:
        """The same with nothing hidden in it: a whole folder where it hides nothing, else what it holds beside that."""
        return (*self.files, *(path for folder in self.folders for path in _beside(folder, self.hidden)))


@cache
def base_interpreter() -> Interpreter:
    """The interpreter below any virtual environment; raises OSError where it does not start."""
    executable = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
    version, path, libraries = _ask(executable)
    every_folder = [folder for folder in path if os.path.isdir(folder)]
    folders = [each for each in every_folder if not _within(each, set(every_folder) - {each})]
    archives = [each for each in path if os.path.isfile(each)]
    lone = [each for each in map(os.path.normpath, libraries) if os.path.isabs(each) and not _within(each, folders)]
    return Interpreter(
        executable,
        version,
        files=tuple(dict.fromkeys(filter(os.path.exists, [executable, _LOADERS_CACHE, *archives, *lone]))),
        folders=tuple(folders),
        hidden=tuple(hidden for folder in folders for name in _PACKAGES if os.path.isdir(hidden := f"{folder}/{name}")),
    )


@cache
def read_all() -> None:
    """Read the first byte of every file that programs may read.

    Most file systems note only the first reading of a file within a day (relatime). So no program can tell the next
    one anything by what it reads.
    """
    readable = base_interpreter().readable()
    within = (f"{folder}/{name}" for path in readable for folder, _, names in os.walk(path) for name in names)
    for path in (*readable, *within):
        with suppress(OSError), open(path, "rb", 0) as file:
            file.read(1)


def _ask(executable: str) -> tuple[str, list[str], list[str]]:
    asked = subprocess.run(
        [executable, *FLAGS, "-c", _QUESTION], capture_output=True, env={}, stdin=subprocess.DEVNULL, check=False
    )
    if asked.returncode != 0:
        trouble = asked.stderr.decode("utf-8", "replace").strip().splitlines()
        raise OSError(f"{executable} does not start: {trouble[-1] if trouble else asked.returncode}")
    version, path, libraries = ast.literal_eval(asked.stdout.decode())
    return version, path, libraries


def _beside(folder: str, hidden: tuple[str, ...]) -> list[str]:
    if not any(_within(each, [folder]) for each in hidden):
        return [folder]
    return [path for name in sorted(os.listdir(folder)) if (path := f"{folder}/{name}") not in hidden]


def _within(path: str, folders: Iterable[str]) -> bool:
    return any(path.startswith(f"{folder}/") for folder in folders)
