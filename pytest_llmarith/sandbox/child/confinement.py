"""Restricts a term before its program: rlimits, Landlock, capabilities, seccomp.

Landlock denies all files except those that the term may read.
"""

from __future__ import annotations

import ctypes
import os
import resource
import stat
import struct
from _collections_abc import Callable  # collections.abc takes longer

from pytest_llmarith.sandbox.child.system_calls import numbers

# The same numbers on all processors.
_LANDLOCK_CREATE_RULESET = 444
_LANDLOCK_ADD_RULE = 445
_LANDLOCK_RESTRICT_SELF = 446
_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_NO_NEW_PRIVS = 38
_SIGKILL = 9

# The rights and scopes of Landlock, by the version that added them: rights on files,
# rights on TCP ports, and scopes for abstract sockets and signals.
_LANDLOCK_VERSION = 1
_PATH_BENEATH = 1
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}
_TCP_VERSION = 4
_TCP_RIGHTS = 0b11
_SCOPE_VERSION = 6
_SCOPES = 0b11
_WRITE_FILE = 1 << 1
_READ_FILE = 1 << 2
_READ_DIR = 1 << 3
_TRUNCATE = 1 << 14
_DEVICES = {
    "/dev/null": _READ_FILE | _WRITE_FILE | _TRUNCATE,
    "/dev/urandom": _READ_FILE,
}

_SET_MODE_FILTER = 1
# Kernels before 5.16 slow a filtered process down without this flag, and its time is
# measured.
_SPEC_ALLOW = 4
_NEW_LISTENER = 8
_CAPABILITY_VERSION_3 = 0x20080522
# More than a program needs that computes a number.
_OPEN_FILES = 64

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_NUMBERS = numbers(os.uname().machine)


class Confinement:
    """The restrictions of a zygote's terms.

    It sets the zygote's own resource limits, which the terms inherit, and prepares the
    others. Raises OSError if this kernel lacks them. `readable` are the files and
    folders that Landlock lets a term read, None for no Landlock. `syscalls` and
    `notify` are BPF programs, empty for none; the first has `pid_mark` in place of the
    term's process id.
    """

    def __init__(
        self,
        memory_bytes: int,
        readable: list[str] | None,
        syscalls: bytes,
        pid_mark: bytes,
        notify: bytes,
    ) -> None:
        self._syscalls = ctypes.create_string_buffer(syscalls, len(syscalls))
        self._pid_mark = pid_mark
        self._calls = list[Callable[[], int]]()
        if readable is not None:
            ruleset = _ruleset(readable)
            self._calls.append(_ready(_LANDLOCK_RESTRICT_SELF, ruleset, 0))
        if syscalls:
            header = struct.pack("<Ii", _CAPABILITY_VERSION_3, 0)
            self._calls.append(_ready(_NUMBERS["capset"], header, bytes(24)))
            self._calls.append(_filter(self._syscalls))
        self._notify_filter = ctypes.create_string_buffer(notify, len(notify))
        # The descriptor on which the kernel reports each call that is counted.
        self.notify = _filter(self._notify_filter, _NEW_LISTENER) if notify else None
        for limit, value in (
            (resource.RLIMIT_AS, memory_bytes),
            (resource.RLIMIT_FSIZE, 0),
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_NOFILE, _OPEN_FILES),
        ):
            hard = resource.getrlimit(limit)[1]
            most = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(limit, (most, most))

    def apply(self) -> None:
        """Restrict this process permanently; raises OSError if that fails."""
        own_pid = struct.pack("<I", os.getpid())
        self._syscalls.raw = self._syscalls.raw.replace(self._pid_mark, own_pid)
        for call in self._calls:
            call()


def protect_zygote() -> None:
    """Hide the zygote's memory from other processes, and end it with the harness."""
    _prctl(_PR_SET_PDEATHSIG, _SIGKILL)
    try:
        # If memory runs out, the kernel kills a term before other processes.
        with open("/proc/self/oom_score_adj", "w") as score:
            score.write("1000")
    except OSError:
        pass  # the memory limit applies nevertheless
    _prctl(_PR_SET_DUMPABLE, 0)
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def end_with_parent(parent: int) -> None:
    """End this process with its parent, even if the parent has ended already."""
    _prctl(_PR_SET_PDEATHSIG, _SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _ruleset(readable: list[str]) -> int:
    """A descriptor of a Landlock ruleset.

    It denies everything else, as far as this kernel can.
    """
    try:
        version = _ready(_LANDLOCK_CREATE_RULESET, None, 0, _LANDLOCK_VERSION)()
    except OSError as error:
        raise OSError(
            f"this kernel has no Landlock ({error.strerror}), Linux 5.13 has it"
        ) from None
    known = [bits for since, bits in _FILE_RIGHTS.items() if since <= version]
    handled = (1 << max(known)) - 1
    attributes = struct.pack("<Q", handled)
    if version >= _TCP_VERSION:
        attributes += struct.pack("<Q", _TCP_RIGHTS)
    if version >= _SCOPE_VERSION:
        attributes += struct.pack("<Q", _SCOPES)
    ruleset = _ready(_LANDLOCK_CREATE_RULESET, attributes, len(attributes), 0)()
    allowed = dict.fromkeys(readable, _READ_FILE | _READ_DIR) | _DEVICES
    for path, rights in allowed.items():
        try:
            beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue  # it does not exist, or this user may not read it
        if not stat.S_ISDIR(os.fstat(beneath).st_mode):
            rights &= ~_READ_DIR
        rule = struct.pack("<Qi", rights & handled, beneath)
        _ready(_LANDLOCK_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0)()
        os.close(beneath)
    return ruleset


def _filter(program: ctypes.Array[ctypes.c_char], flags: int = 0) -> Callable[[], int]:
    header = struct.pack("<HxxxxxxQ", len(program) // 8, ctypes.addressof(program))
    flags |= _SPEC_ALLOW
    return _ready(_NUMBERS["seccomp"], _SET_MODE_FILTER, flags, header)


def _ready(number: int, *arguments: int | bytes | None) -> Callable[[], int]:
    """A system call that Python has no function for, and that raises OSError.

    To make the objects of ctypes takes a term longer than to make the call.
    """
    made = [
        ctypes.c_long(each) if isinstance(each, int) else ctypes.c_char_p(each)
        for each in (number, *arguments)
    ]
    return lambda: _checked(_libc.syscall(*made))


def _prctl(option: int, value: int) -> None:
    unused = ctypes.c_ulong(0)
    _checked(_libc.prctl(option, ctypes.c_ulong(value), unused, unused, unused))


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
