"""The seccomp filters of both kinds of processors, run by an interpreter of BPF.

So the filter of the other processor is tested as well.
"""

from __future__ import annotations

import errno
import os
import re
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.sandbox import seccomp
from pytest_llmarith.sandbox.child.system_calls import ALLOWED, ARCHITECTURES, numbers

_INCLUDE = Path("/usr/include")
_HEADERS = {
    "x86_64": [
        _INCLUDE / "x86_64-linux-gnu/asm/unistd_64.h",
        _INCLUDE / "asm/unistd_64.h",
    ],
    "aarch64": [_INCLUDE / "asm-generic/unistd.h"],
}
_OWN_PID = 4711
_ALLOW, _KILL, _NOTIFY = "allow", "kill", "notify"
_ACTIONS = {
    0x7FFF0000: _ALLOW,
    0x80000000: _KILL,
    0x7FC00000: _NOTIFY,
    0x00050000 | errno.EPERM: "EPERM",
    0x00050000 | errno.ENOSYS: "ENOSYS",
}
_THREAD = 0x3D0F00
_PIPES = {"pipe", "pipe2"}

machines = pytest.mark.parametrize("machine", [*ARCHITECTURES])


def _answer(
    program: bytes, number: int, architecture: int, arguments: tuple[int, ...] = ()
) -> str:
    """What the program answers to a call."""
    padded = [*arguments, *[0] * (6 - len(arguments))]
    seen = struct.pack("<iIQ6Q", number, architecture, 0, *padded)
    instructions = [*struct.iter_unpack("<HBBI", program)]
    loaded = position = 0
    while True:
        code, if_true, if_false, value = instructions[position]
        position += 1
        match code:
            case 0x20:
                (loaded,) = struct.unpack_from("<I", seen, value)
            case 0x05:
                position += value
            case 0x15:
                position += if_true if loaded == value else if_false
            case 0x35:
                position += if_true if loaded >= value else if_false
            case 0x06:
                return _ACTIONS[value]
            case _:
                raise AssertionError(f"instruction {code:#x}")


def _filtered(machine: str, number: int, *arguments: int) -> str:
    program = seccomp.filter_program(machine)
    own_pid = struct.pack("<I", _OWN_PID)
    program = program.replace(seccomp.PID_MARK, own_pid)
    return _answer(program, number, ARCHITECTURES[machine], arguments)


@machines
def test_numbers_are_those_of_the_kernel(machine: str) -> None:
    header = next(filter(Path.exists, _HEADERS[machine]), None)
    if header is None:
        pytest.skip("the kernel's headers are not installed")
    text = header.read_text()
    defined: dict[str, str] = dict(re.findall(r"#define\s+(__NR\w+)\s+(\w+)", text))
    expected = {}
    for name in numbers("x86_64"):
        value = defined.get(f"__NR_{name}", "")
        value = defined.get(value) or value  # __NR3264_fcntl, for example
        if value.isdigit():
            expected[name] = int(value)
    assert numbers(machine) == expected


@machines
def test_architectures_are_those_of_the_kernel(machine: str) -> None:
    """A machine's value has its number in ELF files, and bits for 64, little-endian."""
    header = _INCLUDE / "linux/elf-em.h"
    if not header.exists():
        pytest.skip("the kernel's headers are not installed")
    found = re.search(rf"#define EM_{machine.upper()}\s+(\d+)", header.read_text())
    assert found is not None
    assert ARCHITECTURES[machine] == 0xC0000000 | int(found[1])


@machines
def test_only_the_listed_calls_are_allowed(machine: str) -> None:
    number_of = numbers(machine)
    allowed = {number_of[name] for name in ALLOWED if name in number_of}
    allowed |= {number_of[name] for name in ("ioctl", "fcntl", "getpgid", "sendto")}
    allowed |= {number_of[name] for name in ("prlimit64", "close_range")}
    for number in range(1000):
        if number in allowed and number != number_of["ioctl"]:
            expected = _ALLOW
        elif number == number_of["clone3"]:
            expected = "ENOSYS"
        else:
            expected = "EPERM"
        assert _filtered(machine, number) == expected, number


@machines
@pytest.mark.parametrize(
    ("call", "arguments", "expected"),
    [
        ("ioctl", (1, 0x5401), _ALLOW),
        ("ioctl", (1, 0x5412), "EPERM"),
        ("fcntl", (1, 1030), _ALLOW),
        ("fcntl", (1, 8, _OWN_PID), "EPERM"),
        ("getpgid", (0,), _ALLOW),
        ("getpgid", (_OWN_PID,), "EPERM"),
        ("sendto", (3, 1 << 40, 5, 0, 0, 0), _ALLOW),
        ("sendto", (3, 1 << 40, 5, 0, 1 << 40, 16), "EPERM"),
        ("sendto", (3, 1 << 40, 5, 0, 1, 16), "EPERM"),
        ("socketpair", (1, 1, 0), _ALLOW),
        ("socketpair", (1, 2, 0), "EPERM"),
        ("socketpair", (2, 1, 0), "EPERM"),
        ("clone", (_THREAD,), _ALLOW),
        ("clone", (0x7D0F00,), _ALLOW),
        ("clone", (17,), "EPERM"),
        ("clone", (_THREAD & ~0x400,), "EPERM"),
        ("kill", (_OWN_PID, 9), _ALLOW),
        ("kill", (_OWN_PID - 1, 9), "EPERM"),
        ("kill", ((1 << 32) - 1, 9), "EPERM"),
        ("tgkill", (_OWN_PID, 1, 9), _ALLOW),
        ("tgkill", (1, 1, 9), "EPERM"),
        ("prlimit64", (0, 3, 1 << 40, 0), _ALLOW),
        ("prlimit64", (0, 7, 0, 1 << 40), _ALLOW),
        ("prlimit64", (0, 7, 1 << 40, 0), "EPERM"),
        ("prlimit64", (1, 3, 0, 1 << 40), "EPERM"),
        ("close_range", (3, 64, 4), _ALLOW),
        ("close_range", (3, 64, 2), "EPERM"),
    ],
)
def test_arguments_decide(
    machine: str, call: str, arguments: tuple[int, ...], expected: str
) -> None:
    assert _filtered(machine, numbers(machine)[call], *arguments) == expected


@machines
@given(number=st.integers(0, 2**31 - 1), architecture=st.integers(0, 2**32 - 1))
def test_other_architectures_end_the_program(
    machine: str, number: int, architecture: int
) -> None:
    """Numbers mean other calls there, also on x86_64 with the bit of x32."""
    program = seccomp.filter_program(machine)
    other = architecture != ARCHITECTURES[machine]
    x32 = machine == "x86_64" and number >= 1 << 30
    answer = _answer(program, number, architecture)
    assert (answer == _KILL) == (other or x32)


@machines
def test_other_architectures_by_name(machine: str) -> None:
    """The other machine, 32 bits on both, and a large number."""
    program = seccomp.filter_program(machine)
    others = {*ARCHITECTURES.values(), 0x40000003, 0x40000028}
    for architecture in others - {ARCHITECTURES[machine]}:
        assert _answer(program, 0, architecture) == _KILL
    large = _answer(program, 1 << 30, ARCHITECTURES[machine])
    assert large == (_KILL if machine == "x86_64" else "EPERM")


@machines
def test_calls_that_are_counted(machine: str) -> None:
    program = seccomp.notify_filter(machine)
    number_of = numbers(machine)
    counted = {"clone", "socketpair", *_PIPES} & number_of.keys()
    for name, number in number_of.items():
        expected = _NOTIFY if name in counted else _ALLOW
        assert _answer(program, number, ARCHITECTURES[machine]) == expected


def test_this_machine_is_known() -> None:
    machine = os.uname().machine
    assert bool(numbers(machine)) == (machine in ARCHITECTURES)
    assert numbers("riscv64") == {}
