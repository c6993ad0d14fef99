"""Restricts a term before its program: rlimits, Landlock, capabilities, seccomp.

Landlock denies all files except those that the term may read.
"""

from __future__ import annotations

import ctypes
import os
import resource
import stat
import struct

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


class Confinement:
    """The restrictions that a zygote prepares for all its terms.

    Raises OSError if this kernel lacks them. `readable` are the files and folders that
    Landlock lets a term read, None for no Landlock. `syscalls` and `notify` are BPF
    programs, empty for none; the first has `pid_mark` in place of the term's process
    id.
    """

    def __init__(
        self,
        memory_bytes: int,
        readable: list[str] | None,
        syscalls: bytes,
        pid_mark: bytes,
        notify: bytes,
    ) -> None:
        self._memory_bytes = memory_bytes
        self._ruleset = None if readable is None else _ruleset(readable)
        self._syscalls = syscalls
        self._pid_mark = pid_mark
        self._notify = notify

    def notify(self) -> int | None:
        """The descriptor on which the kernel reports each call that is counted.

        None if no call is.
        """
        return _filter(self._notify, _NEW_LISTENER) if self._notify else None

    def apply(self) -> None:
        """Restrict this process permanently; raises OSError if that fails."""
        for limit, value in (
            (resource.RLIMIT_AS, self._memory_bytes),
            (resource.RLIMIT_FSIZE, 0),
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_NOFILE, _OPEN_FILES),
        ):
            hard = resource.getrlimit(limit)[1]
            most = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(limit, (most, most))
        if self._ruleset is not None:
            _syscall(_LANDLOCK_RESTRICT_SELF, self._ruleset, 0)
        if self._syscalls:
            header = ctypes.c_char_p(struct.pack("<Ii", _CAPABILITY_VERSION_3, 0))
            capset = numbers(os.uname().machine)["capset"]
            _syscall(capset, header, ctypes.c_char_p(bytes(24)))
            own_pid = struct.pack("<I", os.getpid())
            _filter(self._syscalls.replace(self._pid_mark, own_pid))


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
        version = _syscall(_LANDLOCK_CREATE_RULESET, None, 0, _LANDLOCK_VERSION)
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
    ruleset = _syscall(
        _LANDLOCK_CREATE_RULESET, ctypes.c_char_p(attributes), len(attributes), 0
    )
    allowed = dict.fromkeys(readable, _READ_FILE | _READ_DIR) | _DEVICES
    for path, rights in allowed.items():
        try:
            beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue  # it does not exist, or this user may not read it
        if not stat.S_ISDIR(os.fstat(beneath).st_mode):
            rights &= ~_READ_DIR
        rule = ctypes.c_char_p(struct.pack("<Qi", rights & handled, beneath))
        _syscall(_LANDLOCK_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0)
        os.close(beneath)
    return ruleset


def _filter(program: bytes, flags: int = 0) -> int:
    instructions = ctypes.create_string_buffer(program, len(program))
    address = ctypes.addressof(instructions)
    header = struct.pack("<HxxxxxxQ", len(program) // 8, address)
    seccomp = numbers(os.uname().machine)["seccomp"]
    return _syscall(
        seccomp, _SET_MODE_FILTER, _SPEC_ALLOW | flags, ctypes.c_char_p(header)
    )


def _syscall(number: int, *arguments: object) -> int:
    """The result of a system call that Python has no function for.

    Raises OSError if it fails.
    """
    passed = [
        ctypes.c_long(each) if isinstance(each, int) else each for each in arguments
    ]
    result: int = _libc.syscall(ctypes.c_long(number), *passed)
    if result < 0:
        raise _last_error()
    return result


def _prctl(option: int, value: int) -> None:
    unused = ctypes.c_ulong(0)
    result = _libc.prctl(option, ctypes.c_ulong(value), unused, unused, unused)
    if result != 0:
        raise _last_error()


def _last_error() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))
