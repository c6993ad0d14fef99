"""The seccomp filters of a program, as BPF for x86_64.

They allow the system calls that computing needs, by number and arguments. All other
calls fail with EPERM.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

# The filter has this in place of the program's process id, which is known only after
# its fork.
PID_MARK = struct.pack("<I", 0x7E_57_1D_AA)

_X86_64 = 0xC000003E
_X32_BIT = 0x40000000

_ALLOW = 0x7FFF0000
_KILL = 0x80000000
_EPERM = 0x00050000 | 1
_ENOSYS = 0x00050000 | 38
_NOTIFY = 0x7FC00000

# The codes of BPF instructions.
_LOAD = 0x20
_JUMP = 0x05
_EQUAL = 0x15
_AT_LEAST = 0x35
_RETURN = 0x06
# Offsets in what a filter looks at: number of the call, architecture, arguments.
_NUMBER = 0
_ARCHITECTURE = 4
_ARGUMENTS = 16

_ALLOWED = {
    "read": 0,
    "write": 1,
    "close": 3,
    "stat": 4,
    "fstat": 5,
    "lstat": 6,
    "poll": 7,
    "lseek": 8,
    "mmap": 9,
    "mprotect": 10,
    "munmap": 11,
    "brk": 12,
    "rt_sigaction": 13,
    "rt_sigprocmask": 14,
    "rt_sigreturn": 15,
    "pread64": 17,
    "pwrite64": 18,
    "readv": 19,
    "writev": 20,
    "access": 21,
    "pipe": 22,
    "select": 23,
    "sched_yield": 24,
    "mremap": 25,
    "madvise": 28,
    "dup": 32,
    "dup2": 33,
    "pause": 34,
    "nanosleep": 35,
    "getitimer": 36,
    "alarm": 37,
    "setitimer": 38,
    "getpid": 39,
    "recvfrom": 45,
    "shutdown": 48,
    "getsockname": 51,
    "getsockopt": 55,
    "exit": 60,
    "uname": 63,
    "getcwd": 79,
    "chdir": 80,
    "readlink": 89,
    "umask": 95,
    "gettimeofday": 96,
    "getrlimit": 97,
    "getrusage": 98,
    "sysinfo": 99,
    "times": 100,
    "getuid": 102,
    "getgid": 104,
    "geteuid": 107,
    "getegid": 108,
    "getppid": 110,
    "getpgrp": 111,
    "getgroups": 115,
    "rt_sigpending": 127,
    "rt_sigtimedwait": 128,
    "rt_sigsuspend": 130,
    "sigaltstack": 131,
    "gettid": 186,
    "time": 201,
    "futex": 202,
    "sched_getaffinity": 204,
    "epoll_create": 213,
    "getdents64": 217,
    "set_tid_address": 218,
    "restart_syscall": 219,
    "clock_gettime": 228,
    "clock_getres": 229,
    "clock_nanosleep": 230,
    "exit_group": 231,
    "epoll_wait": 232,
    "epoll_ctl": 233,
    "openat": 257,
    "newfstatat": 262,
    "readlinkat": 267,
    "faccessat": 269,
    "pselect6": 270,
    "ppoll": 271,
    "set_robust_list": 273,
    "epoll_pwait": 281,
    "eventfd": 284,
    "eventfd2": 290,
    "epoll_create1": 291,
    "dup3": 292,
    "pipe2": 293,
    "getrandom": 318,
    "membarrier": 324,
    "statx": 332,
    "rseq": 334,
    "faccessat2": 439,
}
_CLONE = 56
_SOCKETPAIR = 53
_CLONE3 = 435
# The calls that make a thread, a pipe or a pair of sockets. The zygote counts them.
_COUNTED = (_CLONE, _SOCKETPAIR, _ALLOWED["pipe"], _ALLOWED["pipe2"])

_AF_UNIX = 1
_RLIMIT_STACK = 3
# SOCK_STREAM, also nonblocking and close-on-exec.
_STREAMS = (1, 0o4001, 0o2000001, 0o2004001)
# TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX: questions about a file, and
# its own flags.
_IOCTLS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
# F_DUPFD to F_SETFL, F_DUPFD_CLOEXEC, F_GETPIPE_SZ. F_SETOWN would let the kernel
# signal other processes, and other terms would see locks.
_FCNTLS = (0, 1, 2, 3, 4, 1030, 1032)
# The flags of pthread_create in glibc and in musl: a thread that shares memory,
# descriptors and signals.
_THREADS = (0x003D0F00, 0x007D0F00)
# No flags, and CLOSE_RANGE_CLOEXEC. CLOSE_RANGE_UNSHARE would give a thread descriptors
# of its own.
_CLOSE_RANGE_FLAGS = (0, 4)
# Calls that are allowed with some arguments. Each has a list of alternatives: the
# values that words of its arguments may have. Word 2 * n is the lower half of argument
# n, and word 2 * n + 1 the upper half of a pointer.
_RESTRICTED: dict[int, list[dict[int, tuple[int, ...]]]] = {
    16: [{2: _IOCTLS}],
    72: [{2: _FCNTLS}],
    44: [{8: (0,), 9: (0,)}],  # sendto without an address
    _SOCKETPAIR: [{0: (_AF_UNIX,), 2: _STREAMS}],  # asyncio needs one to wake itself
    _CLONE: [{0: _THREADS}],
    62: [{0: struct.unpack("<I", PID_MARK)}],  # kill
    234: [{0: struct.unpack("<I", PID_MARK)}],  # tgkill
    # prlimit64: set own stack limit, read own limits
    302: [{0: (0,), 2: (_RLIMIT_STACK,)}, {0: (0,), 4: (0,), 5: (0,)}],
    436: [{4: _CLOSE_RANGE_FLAGS}],
}

Instruction = tuple[int, int, int, int]


def filter_program() -> bytes:
    """The filter of allowed calls, with `PID_MARK` in place of the process id."""
    instructions = [
        _load(_ARCHITECTURE),
        (_EQUAL, 1, 0, _X86_64),
        _return(_KILL),  # the numbers of other architectures mean other calls
        _load(_NUMBER),
        (_AT_LEAST, 0, 1, _X32_BIT),
        _return(_KILL),
    ]
    instructions += _if_among(sorted(_ALLOWED.values()), [_return(_ALLOW)])
    # The flags of clone3 are in memory; without it libc calls clone.
    instructions += _if_among([_CLONE3], [_return(_ENOSYS)])
    for number, alternatives in _RESTRICTED.items():
        block = list[Instruction]()
        for words in alternatives:
            block += _alternative(words)
        block.append(_return(_EPERM))
        instructions += _if_among([number], block)
    instructions.append(_return(_EPERM))
    return _packed(instructions)


def notify_filter() -> bytes:
    """A second filter, which passes the calls that are counted to the zygote."""
    return _packed(
        [_load(_NUMBER), *_if_among(_COUNTED, [_return(_NOTIFY)]), _return(_ALLOW)]
    )


def _alternative(words: dict[int, tuple[int, ...]]) -> list[Instruction]:
    """Allow the call if each of these words has one of its values."""
    block = [_return(_ALLOW)]
    for word, values in reversed(words.items()):
        block = [_load(_ARGUMENTS + 4 * word), *_if_among(values, block)]
    return block


def _if_among(values: Sequence[int], block: list[Instruction]) -> list[Instruction]:
    """Run the block if the loaded word is one of these values."""
    tests = list[Instruction]()
    for done, value in enumerate(values):
        # It jumps over the other tests, and the jump after them.
        tests.append((_EQUAL, len(values) - done, 0, value))
    return [*tests, (_JUMP, 0, 0, len(block)), *block]


def _load(offset: int) -> Instruction:
    return (_LOAD, 0, 0, offset)


def _return(action: int) -> Instruction:
    return (_RETURN, 0, 0, action)


def _packed(instructions: Iterable[Instruction]) -> bytes:
    packed = b""
    for instruction in instructions:
        packed += struct.pack("<HBBI", *instruction)
    return packed
