"""The base interpreter, which runs the programs, and the payload that it receives.

The payload is the zygote's code and the program. Programs can read the interpreter's
standard library and the shared libraries that it loads, but no installed package.
"""

from __future__ import annotations

import ast
import marshal
import os
import platform
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

from pytest_llmarith.sandbox import seccomp
from pytest_llmarith.sandbox.program_runs import IsolationLevel, ProgramLimits

# Isolated mode, no site-packages, no bytecode files, and UTF-8 for the standard
# streams.
FLAGS = ("-I", "-S", "-B", "-X", "utf8")
CHILD = Path(__file__).with_name("child")
_CHILD_PACKAGE = f"{__package__}.child"
# In the order in which they import each other.
_MODULES = (
    "protocol",
    "clock",
    "system_calls",
    "confinement",
    "supervision",
    "launch",
    "zygote",
)

_PACKAGE_FOLDERS = ("site-packages", "dist-packages")
_LOADER_CACHE = "/etc/ld.so.cache"
# Imports the modules that load shared libraries, if this Python has them, and the
# library that ends threads. Then it prints the search path and the paths of all loaded
# libraries.
_LIBRARY_SCRIPT = """
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
print(ascii((sys.path, paths)))
"""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """An interpreter, and the files and folders that it needs.

    `hidden` are the folders of packages in these.
    """

    executable: str
    files: tuple[str, ...]
    folders: tuple[str, ...]
    hidden: tuple[str, ...]

    def readable(self) -> list[str]:
        """The files and folders, without hidden ones.

        A folder with a hidden one is replaced by its other entries.
        """
        paths = [*self.files]
        for folder in self.folders:
            if any(_within(path, [folder]) for path in self.hidden):
                entries = (f"{folder}/{name}" for name in sorted(os.listdir(folder)))
                paths += [path for path in entries if path not in self.hidden]
            else:
                paths.append(folder)
        return paths


@cache
def base_interpreter() -> Interpreter:
    """The interpreter of which a virtual environment was made.

    Raises OSError if it does not start.
    """
    executable = os.path.realpath(
        getattr(sys, "_base_executable", None) or sys.executable
    )
    asked = subprocess.run(
        [executable, *FLAGS, "-c", _LIBRARY_SCRIPT],
        capture_output=True,
        env={},
        stdin=subprocess.DEVNULL,
        check=False,
    )
    if asked.returncode != 0:
        errors = asked.stderr.decode("utf-8", "replace").strip().splitlines()
        why = errors[-1] if errors else f"{asked.returncode}"
        raise OSError(f"{executable} does not start: {why}")
    search_path, libraries = ast.literal_eval(asked.stdout.decode())
    all_folders = [path for path in search_path if os.path.isdir(path)]
    folders = [path for path in all_folders if not _within(path, all_folders)]
    files = [executable, _LOADER_CACHE]
    files += [path for path in search_path if os.path.isfile(path)]  # archives
    for library in map(os.path.normpath, libraries):
        if os.path.isabs(library) and not _within(library, folders):
            files.append(library)
    packages = [f"{folder}/{name}" for folder in folders for name in _PACKAGE_FOLDERS]
    return Interpreter(
        executable,
        files=tuple(dict.fromkeys(filter(os.path.exists, files))),
        folders=tuple(folders),
        hidden=tuple(filter(os.path.isdir, packages)),
    )


def pack(level: IsolationLevel, program: str, limits: ProgramLimits) -> bytes:
    """The payload that `child.protocol` receives, for one program."""
    confined = level is not IsolationLevel.NONE
    machine = platform.machine()
    confinement: dict[str, Any] = {
        "memory_bytes": limits.memory_bytes,
        "readable": base_interpreter().readable() if confined else None,
        "syscalls": seccomp.filter_program(machine) if confined else b"",
        "pid_mark": seccomp.PID_MARK,
        "notify": seccomp.notify_filter(machine) if confined else b"",
    }
    return marshal.dumps(
        {
            "modules": _code(),
            "zygote": f"{_CHILD_PACKAGE}.zygote",
            "program": f"{_CHILD_PACKAGE}.launch",
            "confinement": confinement,
            "source": program.encode("utf-8", "surrogatepass"),
        }
    )


@cache
def _code() -> list[tuple[str, CodeType]]:
    """The child's modules, compiled, and empty packages that contain them."""
    code = []
    package = ""
    for part in _CHILD_PACKAGE.split("."):
        package = f"{package}.{part}" if package else part
        code.append((package, compile("", "", "exec")))
    for module in _MODULES:
        name = f"{_CHILD_PACKAGE}.{module}"
        # The loader of the import system may be pytest's, which rewrites assertions.
        loader = SourceFileLoader(name, str(CHILD / f"{module}.py"))
        compiled = loader.get_code(name)
        assert compiled is not None
        code.append((name, compiled))
    return code


def _within(path: str, folders: Iterable[str]) -> bool:
    return any(path.startswith(f"{folder}/") for folder in folders)
