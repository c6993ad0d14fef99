"""The Python that runs the programs: the base interpreter of this one, and the files that it cannot do without.

Its standard library is among them; installed packages are not.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

# No variables, packages and folders of the user's; no bytecode, since there is nowhere to write it; UTF-8 for
# the standard streams, whatever locales a jail has.
FLAGS = ("-I", "-S", "-B", "-X", "utf8")
_PACKAGES = ("site-packages", "dist-packages")
_LOADERS = ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-musl-x86_64.so.1", "/etc/ld.so.cache")
# Modules that bring shared libraries along; a Python may lack any of them.
_QUESTION = """
import sys
for name in "ctypes", "zlib", "bz2", "lzma", "_hashlib", "_decimal", "_uuid":
    try:
        __import__(name)
    except ImportError:
        pass
paths = {line.split(maxsplit=5)[-1].strip() for line in open("/proc/self/maps")}
print(ascii((sys.version.split()[0], sys.path, sorted(path for path in paths if ".so" in path))))
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
    library_folders = [folder for folder in path if os.path.isdir(folder)]
    standard = [each for each in library_folders if not _within(each, set(library_folders) - {each})]
    lone, shared = _of_libraries([each for each in libraries if not _within(each, standard)], standard)
    archives = [each for each in path if os.path.isfile(each)]
    folders = [*standard, *shared]
    return Interpreter(
        executable,
        version,
        files=tuple(dict.fromkeys([executable, *filter(os.path.exists, _LOADERS), *archives, *lone])),
        folders=tuple(folders),
        hidden=tuple(hidden for folder in folders for name in _PACKAGES if os.path.isdir(hidden := f"{folder}/{name}")),
    )


def _ask(executable: str) -> tuple[str, list[str], list[str]]:
    asked = subprocess.run(
        [executable, *FLAGS, "-c", _QUESTION], capture_output=True, env={}, stdin=subprocess.DEVNULL, check=False
    )
    if asked.returncode != 0:
        trouble = asked.stderr.decode("utf-8", "replace").strip().splitlines()
        raise OSError(f"{executable} does not start: {trouble[-1] if trouble else asked.returncode}")
    version, path, libraries = ast.literal_eval(asked.stdout.decode())
    return version, path, libraries


def _of_libraries(libraries: Iterable[str], standard: list[str]) -> tuple[list[str], list[str]]:
    """Single files where a folder of libraries holds packages too, else the folders."""
    files: list[str] = []
    folders: list[str] = []
    for library in libraries:
        folder, name = os.path.split(library)
        if any(_within(each, [folder]) for each in standard):
            files += map(str, Path(folder).glob(f"{name.partition('.so')[0]}.so*"))
        else:
            folders += filter(os.path.isdir, _names(folder))
    return files, list(dict.fromkeys(folders))


def _names(folder: str) -> list[str]:
    """Loaders look in /lib for what is really in /usr/lib."""
    return [folder, folder.removeprefix("/usr")]


def _beside(folder: str, hidden: tuple[str, ...]) -> list[str]:
    if not any(_within(each, [folder]) for each in hidden):
        return [folder]
    return [path for name in sorted(os.listdir(folder)) if (path := f"{folder}/{name}") not in hidden]


def _within(path: str, folders: Iterable[str]) -> bool:
    return any(path.startswith(f"{folder}/") for folder in folders)
