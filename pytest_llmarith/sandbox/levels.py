"""The strictest level that holds on this machine, found out by attacking it."""

from __future__ import annotations

import platform
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from pytest_llmarith.sandbox import attacks, jail
from pytest_llmarith.sandbox.runner import Sandbox
from pytest_llmarith.sandbox.slots import Slots
from pytest_llmarith.values import Isolation, Level, ProgramLimits

# Far from anything that the attacks need.
_LIMITS = ProgramLimits(seconds=(10.0,), memory_bytes=1 << 28)
_INSTEAD = {
    Level.STRICT: "ask for --oeis-sandbox=standard",
    Level.STANDARD: "ask for --oeis-sandbox=none, which gives programs the rights of this user",
    Level.NONE: "leave the OEIS items out",
}
_REMEDIES = {
    Level.STRICT: "allow unprivileged user namespaces",
    Level.STANDARD: "boot Linux 5.13 or newer with Landlock and seccomp",
    Level.NONE: "repair it",
}


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
    if level is Level.STRICT and jail.bubblewrap() is None:
        raise UnavailableError(f"bubblewrap is not installed: apt install bubblewrap, or {_INSTEAD[level]}")
    try:
        at_work, *outputs = _attacked(level)
    except OSError as error:
        raise UnavailableError(f"{error}: {_REMEDIES[level]}, or {_INSTEAD[level]}") from None
    if at_work != attacks.HELD:
        raise UnavailableError(f"level {level} runs no program at all: {_REMEDIES[level]}, or {_INSTEAD[level]}")
    held = attacks.held(outputs)
    missing = [name for name in attacks.NAMES if name not in held]
    if missing and level is not Level.NONE:
        raise UnavailableError(f"level {level} does not hold here ({', '.join(missing)}): {_INSTEAD[level]}")
    return Isolation(level, held)


def _attacked(level: Level) -> list[str]:
    """What the self-test printed for every input. It waits for nobody's slot."""
    with TemporaryDirectory(prefix="llmarith-") as folder, attacks.attacking_program(_LIMITS.memory_bytes) as program:
        sandbox = Sandbox(Isolation(level, ()), _LIMITS, Slots(Path(folder), 1))
        return [run.stdout for run in sandbox.run(program, range(len(attacks.NAMES) + 1))]


def _require_platform(level: Level) -> None:
    system, machine = platform.system(), platform.machine()
    if system != "Linux" or (machine != "x86_64" and level is not Level.NONE):
        raise UnavailableError(
            f"programs can be locked in on Linux x86_64, and this is {system} {machine}: {_INSTEAD[level]}"
        )
