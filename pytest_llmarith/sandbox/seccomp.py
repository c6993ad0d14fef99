"""The system calls that a program may make, as a BPF program for x86_64: a list of what computing needs.

Everything else fails with EPERM, as if by an ordinary lack of rights: no process, no socket to the outside, no signal
to others, no change to a file's metadata.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

# Stands in the filter for the pid of the term, which is known only after its fork.
PID_MARK = struct.pack("<I", 0x7E_57_1D_AA)

_X86_64 = 0xC000003E
_X32_BIT = 0x40000000

_ALLOW = 0x7FFF0000
_KILL = 0x80000000
_EPERM = 0x00050000 | 1
_ENOSYS = 0x00050000 | 38
_ASK = 0x7FC00000

_LOAD, _JUMP, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x05, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16

# fmt: off
_ALLOWED = {
    "read": 0, "write": 1, "close": 3, "stat": 4, "fstat": 5, "lstat": 6, "poll": 7, "lseek": 8, "mmap": 9,
    "mprotect": 10, "munmap": 11, "brk": 12, "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15,
    "pread64": 17, "pwrite64": 18, "readv": 19, "writev": 20, "access": 21, "pipe": 22, "select": 23,
    "sched_yield": 24, "mremap": 25, "madvise": 28, "dup": 32, "dup2": 33, "pause": 34, "nanosleep": 35,
    "getitimer": 36, "alarm": 37, "setitimer": 38, "getpid": 39, "recvfrom": 45, "shutdown": 48, "getsockname": 51,
    "getsockopt": 55, "exit": 60, "uname": 63, "getcwd": 79, "chdir": 80, "readlink": 89, "umask": 95,
    "gettimeofday": 96, "getrlimit": 97, "getrusage": 98, "sysinfo": 99, "times": 100, "getuid": 102, "getgid": 104,
    "geteuid": 107, "getegid": 108, "getppid": 110, "getpgrp": 111, "getgroups": 115, "rt_sigpending": 127,
    "rt_sigtimedwait": 128, "rt_sigsuspend": 130, "sigaltstack": 131, "gettid": 186, "time": 201, "futex": 202,
    "sched_getaffinity": 204, "epoll_create": 213, "getdents64": 217, "set_tid_address": 218, "restart_syscall": 219,
    "clock_gettime": 228, "clock_getres": 229, "clock_nanosleep": 230, "exit_group": 231, "epoll_wait": 232,
    "epoll_ctl": 233, "openat": 257, "newfstatat": 262, "readlinkat": 267, "faccessat": 269, "pselect6": 270,
    "ppoll": 271, "set_robust_list": 273, "epoll_pwait": 281, "eventfd": 284, "eventfd2": 290, "epoll_create1": 291,
    "dup3": 292, "pipe2": 293, "getrandom": 318, "membarrier": 324, "statx": 332, "rseq": 334, "faccessat2": 439,
}
# fmt: on
_IOCTL, _FCNTL, _SENDTO, _SOCKETPAIR, _CLONE, _KILL_CALL, _TGKILL, _PRLIMIT, _CLONE3, _CLOSE_RANGE = (
    16,
    72,
    44,
    53,
    56,
    62,
    234,
    302,
    435,
    436,
)
# What makes a thread, a pipe or a pair of sockets: the zygote counts them.
_COUNTED = (_CLONE, _SOCKETPAIR, _ALLOWED["pipe"], _ALLOWED["pipe2"])

# TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX: questions about a file, and its own flags.
_IOCTLS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
# F_DUPFD to F_SETFL, F_DUPFD_CLOEXEC, F_GETPIPE_SZ. Not F_SETOWN, which lets the kernel send signals to others, and no
# locks, which other terms could see.
_FCNTLS = (0, 1, 2, 3, 4, 1030, 1032)

# What pthread_create asks for in glibc, and in musl: a thread that shares memory, descriptors and signals.
_THREADS = (0x003D0F00, 0x007D0F00)
# None, and CLOSE_RANGE_CLOEXEC. Not CLOSE_RANGE_UNSHARE: it gives a thread descriptors of its own.
_CLOSE_RANGE_FLAGS = (0, 4)
_RLIMIT_STACK = 3
_AF_UNIX, _SOCK_STREAM = 1, 1
_SOCK_FLAGS = (0, 0o4000, 0o2000000, 0o2004000)  # nonblocking, close-on-exec

Instruction = tuple[int, int, int, int]


def filter_program() -> bytes:
    """The filter, with `PID_MARK` where the term's pid belongs."""
    return _packed([*_preamble(), *_allowed(), *_special(), _give(_EPERM)])


def gate() -> bytes:
    """A filter to stand beside the other: it asks about what is counted, and leaves the rest to that one."""
    hits = [(_EQUAL, len(_COUNTED) - position, 0, number) for position, number in enumerate(_COUNTED)]
    return _packed([_load(_NUMBER), *hits, _give(_ALLOW), _give(_ASK)])


def _packed(instructions: Sequence[Instruction]) -> bytes:
    return b"".join(struct.pack("<HBBI", *each) for each in instructions)


def _preamble() -> list[Instruction]:
    """Numbers mean something else on other architectures, so those are killed."""
    return [
        _load(_ARCHITECTURE),
        (_EQUAL, 1, 0, _X86_64),
        _give(_KILL),
        _load(_NUMBER),
        (_AT_LEAST, 0, 1, _X32_BIT),
        _give(_KILL),
    ]


def _allowed() -> list[Instruction]:
    numbers = sorted(_ALLOWED.values())
    hits = [(_EQUAL, len(numbers) - position, 0, number) for position, number in enumerate(numbers)]
    return [*hits, (_JUMP, 0, 0, 1), _give(_ALLOW)]


def _special() -> list[Instruction]:
    """The calls whose arguments decide."""
    own_pid = struct.unpack("<I", PID_MARK)[0]
    return [
        *_for_call(_IOCTL, _one_of(1, _IOCTLS)),
        *_for_call(_FCNTL, _one_of(1, _FCNTLS)),
        *_for_call(_KILL_CALL, _one_of(0, [own_pid])),
        *_for_call(_TGKILL, _one_of(0, [own_pid])),
        *_for_call(_CLONE, _one_of(0, _THREADS)),
        *_for_call(_CLONE3, [_give(_ENOSYS)]),  # its flags are out of sight, so that libc falls back to clone
        *_for_call(_CLOSE_RANGE, _one_of(2, _CLOSE_RANGE_FLAGS)),
        *_for_call(_PRLIMIT, _own_limits()),
        *_for_call(_SOCKETPAIR, _pair_of_streams()),
        *_for_call(_SENDTO, _no_address()),
    ]


def _for_call(number: int, block: Sequence[Instruction]) -> list[Instruction]:
    return [(_EQUAL, 0, len(block), number), *block]


def _one_of(argument: int, values: Sequence[int]) -> list[Instruction]:
    hits = [(_EQUAL, len(values) - position, 0, value) for position, value in enumerate(values)]
    return [_load_low(argument), *hits, _give(_EPERM), _give(_ALLOW)]


def _own_limits() -> list[Instruction]:
    """Its own limits may be read, and its stack may grow: what many a recursive program asks for."""
    return [
        _load_low(0),
        (_EQUAL, 0, 6, 0),
        _load_low(1),
        (_EQUAL, 5, 0, _RLIMIT_STACK),
        _load_low(2),
        (_EQUAL, 0, 2, 0),
        _load_high(2),
        (_EQUAL, 1, 0, 0),
        _give(_EPERM),
        _give(_ALLOW),
    ]


def _pair_of_streams() -> list[Instruction]:
    """asyncio wakes itself up through one. Its ends know nobody but each other."""
    streams = [_SOCK_STREAM | flags for flags in _SOCK_FLAGS]
    return [_load_low(0), (_EQUAL, 1, 0, _AF_UNIX), _give(_EPERM), *_one_of(1, streams)]


def _no_address() -> list[Instruction]:
    return [
        _load_low(4),
        (_EQUAL, 0, 3, 0),
        _load_high(4),
        (_EQUAL, 0, 1, 0),
        _give(_ALLOW),
        _give(_EPERM),
    ]


def _load(offset: int) -> Instruction:
    return (_LOAD, 0, 0, offset)


def _load_low(argument: int) -> Instruction:
    return _load(_ARGUMENTS + 8 * argument)


def _load_high(argument: int) -> Instruction:
    return _load(_ARGUMENTS + 8 * argument + 4)


def _give(action: int) -> Instruction:
    return (_RETURN, 0, 0, action)
