"""The strictest level that holds on this machine, found out by attacking it.

This module alone can be imported where there is no sandbox, to say so.
"""

from __future__ import annotations

import platform
from dataclasses import replace

from pytest_llmarith.values import Isolation, Level

_INSTEAD = {
    Level.STRICT: "ask for --oeis-sandbox=standard",
    Level.STANDARD: "ask for --oeis-sandbox=none, which gives programs the rights of this user",
    Level.NONE: "leave the OEIS items out",
}
_KERNEL = "boot Linux 5.13 or newer with Landlock and seccomp"
_NAMESPACES = "allow unprivileged user namespaces"


_UNPROTECTED = "WARNING: programs that a model wrote run with the rights of this user"


class UnavailableError(ValueError):
    """No sandbox of the wanted level is to be had: what is missing and what to do, in one line."""


def probe(wanted: Level | None = None) -> Isolation:
    """The isolation at this level, or at the strictest that holds. It takes a fraction of a second.

    Raises UnavailableError where the level's self-test fails, or, without a wish, those of strict and standard: level
    none is there for whoever asks for it by name.
    """
    if wanted is not None:
        return _tested(wanted)
    try:
        return _tested(Level.STRICT)
    except UnavailableError as error:
        return replace(_tested(Level.STANDARD), remarks=(f"{error}",))


def _tested(level: Level) -> Isolation:
    _require_platform(level)
    from pytest_llmarith.sandbox import jail, selftest

    if level is Level.STRICT and jail.bubblewrap() is None:
        raise UnavailableError(f"bubblewrap is not installed: apt install bubblewrap, or {_INSTEAD[level]}")
    try:
        at_work, *outputs = selftest.attacked(level)
    except OSError as error:
        remedy = _NAMESPACES if "bwrap" in f"{error}" else _KERNEL
        raise UnavailableError(f"{error}: {remedy}, or {_INSTEAD[level]}") from None
    if len(outputs) < len(selftest.NAMES):
        raise UnavailableError("this machine is too busy for the self-test of the sandbox: run it again later")
    if at_work != selftest.HELD:
        raise UnavailableError(f"level {level} runs no program at all here: {_INSTEAD[level]}")
    held = selftest.held(outputs)
    missing = [name for name in selftest.NAMES if name not in held]
    if missing and level is not Level.NONE:
        raise UnavailableError(f"level {level} does not hold here ({', '.join(missing)}): {_INSTEAD[level]}")
    return Isolation(level, held, (_UNPROTECTED,) if level is Level.NONE else ())


def _require_platform(level: Level) -> None:
    system, machine = platform.system(), platform.machine()
    if system != "Linux" or (machine != "x86_64" and level is not Level.NONE):
        raise UnavailableError(
            f"programs can be locked in on Linux x86_64, and this is {system} {machine}: {_INSTEAD[level]}"
        )
