"""The filter of system calls, read as the kernel reads it: what may be called, with which arguments."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.sandbox import seccomp

_ALLOW, _KILL, _EPERM, _ENOSYS = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026
_X86_64, _ARM = 0xC000003E, 0xC00000B7
_PID = 4711
_FILTER: list[tuple[int, int, int, int]] = [
    (code, if_true, if_false, operand)
    for code, if_true, if_false, operand in struct.iter_unpack(
        "<HBBI", seccomp.filter_program().replace(seccomp.PID_MARK, struct.pack("<I", _PID))
    )
]
_WORDS = st.integers(0, 2**64 - 1)


def _verdict(number: int, *arguments: int, architecture: int = _X86_64) -> int:
    """Classic BPF, as far as the filter uses it."""
    call = struct.pack("<IIQ6Q", number, architecture, 0, *arguments, *[0] * (6 - len(arguments)))
    at, register = 0, 0
    while True:
        code, if_true, if_false, operand = _FILTER[at]
        match code:
            case 0x20:
                [register] = struct.unpack_from("<I", call, operand)
            case 0x05:
                at += operand
            case 0x15:
                at += if_true if register == operand else if_false
            case 0x35:
                at += if_true if register >= operand else if_false
            case 0x06:
                return operand
            case _:
                raise AssertionError(f"an instruction of another kind: {code:#x}")
        at += 1


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ((0, 0), _ALLOW),  # read
        ((2,), _EPERM),  # open, which libc has left for openat
        ((41, 1, 1), _EPERM),  # socket
        ((42,), _EPERM),  # connect
        ((57,), _EPERM),  # fork
        ((58,), _EPERM),  # vfork
        ((59,), _EPERM),  # execve
        ((101,), _EPERM),  # ptrace
        ((310,), _EPERM),  # process_vm_readv
        ((317,), _EPERM),  # seccomp
        ((319,), _EPERM),  # memfd_create
        ((425,), _EPERM),  # io_uring_setup
        ((439,), _ALLOW),  # faccessat2
        ((0xFFFF,), _EPERM),
        ((0x40000000,), _KILL),  # read, in the numbers of x32
        ((16, 0, 0x5401), _ALLOW),  # ioctl TCGETS
        ((16, 0, 0x5412), _EPERM),  # ioctl TIOCSTI
        ((72, 0, 3), _ALLOW),  # fcntl F_GETFL
        ((72, 0, 5), _EPERM),  # fcntl F_GETLK
        ((72, 0, 6), _EPERM),  # fcntl F_SETLK
        ((72, 0, 8), _EPERM),  # fcntl F_SETOWN
        ((72, 0, 1031), _EPERM),  # fcntl F_SETPIPE_SZ
        ((62, _PID, 9), _ALLOW),  # kill
        ((62, 0, 9), _EPERM),
        ((62, 1, 9), _EPERM),
        ((62, 2**64 - 1, 9), _EPERM),
        ((234, _PID, _PID, 6), _ALLOW),  # tgkill
        ((234, 1, 1, 6), _EPERM),
        ((200, _PID, 9), _EPERM),  # tkill, which names a thread without its process
        ((56, 0x3D0F00), _ALLOW),  # clone, as pthread_create calls it
        ((56, 0x7D0F00), _ALLOW),  # the same by musl
        ((56, 0x3D0B00), _EPERM),  # with descriptors of its own
        ((56, 17), _EPERM),  # clone, as fork
        ((56, 0x4111), _EPERM),  # clone, as vfork
        ((56, 0x10000000 | 0x10000), _EPERM),  # clone into a user namespace
        ((435,), _ENOSYS),  # clone3
        ((436, 3, 9, 0), _ALLOW),  # close_range
        ((436, 3, 9, 4), _ALLOW),  # CLOSE_RANGE_CLOEXEC
        ((436, 3, 9, 2), _EPERM),  # CLOSE_RANGE_UNSHARE
        ((436, 3, 9, 6), _EPERM),
        ((302, 0, 9, 0), _ALLOW),  # prlimit64, a question
        ((302, 0, 9, 4096), _EPERM),
        ((302, 0, 9, 1 << 32), _EPERM),
        ((302, 0, 3, 4096), _ALLOW),  # the stack's
        ((302, 1, 3, 4096), _EPERM),
        ((53, 1, 1), _ALLOW),  # socketpair
        ((53, 1, 0o2004001), _ALLOW),
        ((53, 1, 2), _EPERM),
        ((53, 2, 1), _EPERM),
        ((44, 3, 4096, 1, 0, 0), _ALLOW),  # sendto, without an address
        ((44, 3, 4096, 1, 0, 4096), _EPERM),
        ((44, 3, 4096, 1, 0, 1 << 32), _EPERM),
    ],
)
def test_what_may_be_called(call: tuple[int, ...], expected: int) -> None:
    """Each system call, by its number and arguments, is allowed, refused or deadly as the table has it."""
    assert _verdict(*call) == expected


@given(st.integers(0, 2**32 - 1), st.lists(_WORDS, max_size=6))
def test_every_call_has_a_verdict(number: int, arguments: list[int]) -> None:
    """Every path ends within the program, in one of four ways."""
    assert _verdict(number, *arguments) in {_ALLOW, _KILL, _EPERM, _ENOSYS}


@given(st.integers(0, 2**32 - 1), st.sampled_from([_ARM, 0x40000003]))
def test_other_architectures_are_killed(number: int, architecture: int) -> None:
    """A call of another architecture is deadly, as its number means another call there."""
    assert _verdict(number, architecture=architecture) == _KILL


def test_the_pid_stands_in_two_places() -> None:
    """The mark for the pid stands in two places, and nothing else in the program looks like it."""
    assert seccomp.filter_program().count(seccomp.PID_MARK) == 2
