"""The seccomp filters of a program, as BPF for one kind of processor.

They allow the system calls that computing needs, by number and arguments. All other
calls fail with EPERM.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import groupby

from pytest_llmarith.sandbox.child.system_calls import ALLOWED, ARCHITECTURES, numbers

# The filter has this in place of the program's process id, which is known only after
# its fork.
PID_MARK = struct.pack("<I", 0x7E_57_1D_AA)

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

# The calls that make a thread, a pipe or a pair of sockets. The zygote counts them.
_COUNTED = ("clone", "socketpair", "pipe", "pipe2")

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
_RESTRICTED: dict[str, list[dict[int, tuple[int, ...]]]] = {
    "ioctl": [{2: _IOCTLS}],
    "fcntl": [{2: _FCNTLS}],
    "getpgid": [{0: (0,)}],  # getpgrp of aarch64
    "sendto": [{8: (0,), 9: (0,)}],  # without an address
    "socketpair": [{0: (_AF_UNIX,), 2: _STREAMS}],  # asyncio needs one to wake itself
    "clone": [{0: _THREADS}],
    "kill": [{0: struct.unpack("<I", PID_MARK)}],
    "tgkill": [{0: struct.unpack("<I", PID_MARK)}],
    # Set the own stack limit, read own limits.
    "prlimit64": [{0: (0,), 2: (_RLIMIT_STACK,)}, {0: (0,), 4: (0,), 5: (0,)}],
    "close_range": [{4: _CLOSE_RANGE_FLAGS}],
}

Instruction = tuple[int, int, int, int]


@cache
def filter_program(machine: str) -> bytes:
    """The filter of allowed calls, with `PID_MARK` in place of the process id."""
    number_of = numbers(machine)
    # The flags of clone3 are in memory; without it libc calls clone.
    blocks = {number_of["clone3"]: [_return(_ENOSYS)]}
    for name in ALLOWED:
        if name in number_of:
            blocks[number_of[name]] = [_return(_ALLOW)]
    for name, alternatives in _RESTRICTED.items():
        block = blocks[number_of[name]] = []
        for words in alternatives:
            block += _alternative(words)
        block.append(_return(_EPERM))
    denied = [_return(_EPERM)]
    same = groupby(range(max(blocks) + 2), lambda number: blocks.get(number, denied))
    ranges = [(next(alike), block) for block, alike in same]
    if machine == "x86_64":
        ranges.append((_X32_BIT, [_return(_KILL)]))
    return _packed(
        [
            _load(_ARCHITECTURE),
            (_EQUAL, 1, 0, ARCHITECTURES[machine]),
            _return(_KILL),  # the numbers of other architectures mean other calls
            _load(_NUMBER),
            *_search(ranges),
        ]
    )


@cache
def notify_filter(machine: str) -> bytes:
    """A second filter, which passes the calls that are counted to the zygote."""
    number_of = numbers(machine)
    counted = [number_of[name] for name in _COUNTED if name in number_of]
    return _packed(
        [_load(_NUMBER), *_if_among(counted, [_return(_NOTIFY)]), _return(_ALLOW)]
    )


def _alternative(words: dict[int, tuple[int, ...]]) -> list[Instruction]:
    """Allow the call if each of these words has one of its values."""
    block = [_return(_ALLOW)]
    for word, values in reversed(words.items()):
        block = [_load(_ARGUMENTS + 4 * word), *_if_among(values, block)]
    return block


def _search(ranges: list[tuple[int, list[Instruction]]]) -> list[Instruction]:
    """Run the block of the last range that begins at the loaded number or below it.

    The kernel runs a new filter for each number that a call can have. A test for each
    allowed number would take it longer than a term needs for most else.
    """
    if len(ranges) == 1:
        return ranges[0][1]
    middle = len(ranges) // 2
    below, above = _search(ranges[:middle]), _search(ranges[middle:])
    return [(_AT_LEAST, len(below), 0, ranges[middle][0]), *below, *above]


def _if_among(values: Sequence[int], block: list[Instruction]) -> list[Instruction]:
    """Run the block if the loaded word is one of these values."""
    tests = []
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
