"""Landlock: the files that a term may open, and nothing else. A ruleset is built once and put on in every term."""

from __future__ import annotations

import ctypes
import os
import stat
import struct

from pytest_llmarith.sandbox.inside import kernel

_VERSION = 1  # the flag that asks for the ABI
_PATH_BENEATH = 1

WRITE_FILE = 1 << 1
READ_FILE = 1 << 2
READ_DIR = 1 << 3
TRUNCATE = 1 << 14

# What each ABI added: rights on files, rights on TCP ports, scopes (abstract sockets, signals).
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}
_TCP_ABI, _TCP_RIGHTS = 4, 0b11
_SCOPE_ABI, _SCOPES = 6, 0b11

# (path, rights)
Rule = tuple[str, int]


def abi() -> int:
    """The kernel's version of Landlock; raises OSError where it has none or has it switched off."""
    return kernel.syscall(kernel.LANDLOCK_CREATE_RULESET, None, 0, _VERSION)


def ruleset(rules: list[Rule]) -> int:
    """A file descriptor of a ruleset that denies all that this kernel can deny, but for these rules."""
    version = abi()
    rights = (1 << max(bits for since, bits in _FILE_RIGHTS.items() if since <= version)) - 1
    attributes = struct.pack(
        "<QQQ", rights, _TCP_RIGHTS if version >= _TCP_ABI else 0, _SCOPES if version >= _SCOPE_ABI else 0
    )
    size = 8 * (1 + (version >= _TCP_ABI) + (version >= _SCOPE_ABI))
    descriptor = kernel.syscall(kernel.LANDLOCK_CREATE_RULESET, ctypes.c_char_p(attributes), size, 0)
    for path, granted in rules:
        _allow(descriptor, path, granted & rights)
    return descriptor


def restrict(descriptor: int) -> None:
    """Put the ruleset on this process, for good."""
    kernel.syscall(kernel.LANDLOCK_RESTRICT_SELF, descriptor, 0)


def _allow(descriptor: int, path: str, rights: int) -> None:
    try:
        beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what is not there needs no permission
    try:
        if not stat.S_ISDIR(os.fstat(beneath).st_mode):
            rights &= ~READ_DIR
        rule = ctypes.c_char_p(struct.pack("<Qi", rights, beneath))
        kernel.syscall(kernel.LANDLOCK_ADD_RULE, descriptor, _PATH_BENEATH, rule, 0)
    finally:
        os.close(beneath)
