"""The calls to the Linux kernel that Python has no name for. The numbers are those of x86_64."""

from __future__ import annotations

import ctypes
import os

LANDLOCK_CREATE_RULESET = 444
LANDLOCK_ADD_RULE = 445
LANDLOCK_RESTRICT_SELF = 446
SECCOMP = 317
CAPSET = 126

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def syscall(number: int, *arguments: object) -> int:
    """The result of a raw system call; raises OSError where it is refused."""
    passed = (ctypes.c_long(each) if isinstance(each, int) else each for each in arguments)
    result: int = _libc.syscall(ctypes.c_long(number), *passed)
    if result < 0:
        raise _error()
    return result


def prctl(option: int, value: int) -> None:
    """Set an attribute of this process; raises OSError where it is refused."""
    if _libc.prctl(option, ctypes.c_ulong(value), *(ctypes.c_ulong(0),) * 3) != 0:
        raise _error()


def _error() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))
