"""Finds the strictest level that works on this machine, by a self-test.

A program attacks the sandbox that runs it. This module can be imported on every
platform; it imports the rest of the sandbox in functions.
"""

from __future__ import annotations

import os
import platform
import socket
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from pytest_llmarith.sandbox.child.system_calls import ARCHITECTURES, numbers
from pytest_llmarith.sandbox.program_runs import (
    Isolation,
    IsolationLevel,
    ProgramLimits,
)

_ALTERNATIVES = {
    IsolationLevel.STRICT: "ask for --oeis-sandbox=standard",
    IsolationLevel.STANDARD: "ask for --oeis-sandbox=none, which gives programs the rights of "
    "this user",
    IsolationLevel.NONE: "leave the OEIS items out",
}
_WARNING = "WARNING: programs that a model wrote run with the rights of this user"

# More than the attacks need.
_LIMITS = ProgramLimits(seconds=(10.0,), memory_bytes=1 << 28)
_WAIT_S = 60.0

# What each input from 1 on attacks, named as in `Isolation.enforced`. Input 0 attacks
# nothing.
ATTACKED = (
    "file reads",
    "file writes",
    "network",
    "new processes",
    "memory",
    "memory of the kernel",
    "signals",
    "environment",
    "zygote memory",
)
_HELD = "held\n"
_PROGRAM = """
import os, socket

def attack_nothing(): raise PermissionError

def read_file(): open({secret!r}).read()

def write_file(): open({written!r}, "w")

def reach_network(): socket.create_connection({listener!r}, 1)

def make_process():
    if os.fork() == 0:
        os._exit(0)

def take_memory(): bytearray({too_much})

def take_memory_of_the_kernel():
    import ctypes, threading
    threading.Thread(target=int).start()  # this is allowed, and counted
    call = ctypes.CDLL(None, use_errno=True).syscall
    # A thread with descriptors of its own: by clone without CLONE_FILES, by close_range with CLOSE_RANGE_UNSHARE. The
    # other arguments are wrong, so that the kernel does nothing if it is asked.
    for number, *values in ({clone}, 0x10100, 0, 0, 0, 0), (436, 9, 8, 2):
        if call(number, *values) != -1 or ctypes.get_errno() != 1:
            return
    for make in socket.socketpair, os.pipe:
        try:
            for _ in range(1000):
                make()
                os.closerange(3, 64)
            return
        except OSError:
            pass
    raise OSError

def send_signal():
    try:
        os.kill({harness}, 0)
    except PermissionError:
        os.kill(os.getppid(), 9)

def see_environment():
    if not set(os.environ) & set({variables!r}):
        open("/proc/{harness}/environ").read()

def open_zygote(): open(f"/proc/{{os.getppid()}}/mem", "r+b")

attacks = [attack_nothing, read_file, write_file, reach_network, make_process, take_memory,
    take_memory_of_the_kernel, send_signal, see_environment, open_zygote]
try:
    attacks[int(input())]()
except (OSError, MemoryError):
    print("held")
else:
    print("through")
"""


class UnavailableError(ValueError):
    """A level does not work here: what is missing and what to do, in one line."""


def probe(wanted: IsolationLevel | None = None) -> Isolation:
    """The isolation at this level, by default at the strictest one that works.

    Takes a fraction of a second. Raises UnavailableError if the self-test fails.
    """
    if wanted is not None:
        return _tested(wanted)
    try:
        return _tested(IsolationLevel.STRICT)
    except UnavailableError as error:
        return replace(_tested(IsolationLevel.STANDARD), remarks=(f"{error}",))


def _tested(level: IsolationLevel) -> Isolation:
    system, machine = platform.system(), platform.machine()
    known = level is IsolationLevel.NONE or machine in ARCHITECTURES
    if system != "Linux" or not known:
        raise UnavailableError(
            f"programs can be confined on Linux {' and '.join(ARCHITECTURES)} only, "
            f"and this is {system} {machine}: {_ALTERNATIVES[level]}"
        )
    try:
        outputs = attack(level)
    except FileNotFoundError as error:  # says itself what to install
        raise UnavailableError(f"{error}") from None
    except OSError as error:
        raise UnavailableError(f"{error}: {_ALTERNATIVES[level]}") from None
    if len(outputs) <= len(ATTACKED):
        raise UnavailableError(
            "this machine is too busy for the self-test of the sandbox: run it again "
            "later"
        )
    advice = _ALTERNATIVES[level]
    of_nothing, *of_attacks = outputs
    if of_nothing != _HELD:
        raise UnavailableError(f"level {level} runs no program here: {advice}")
    held = []
    missing = []
    for name, output in zip(ATTACKED, of_attacks, strict=True):
        if output == _HELD:
            held.append(name)
        else:
            missing.append(name)
    if level is IsolationLevel.NONE:
        return Isolation(level, tuple(held), (_WARNING,))
    if missing:
        raise UnavailableError(
            f"level {level} does not hold here ({', '.join(missing)}): {advice}"
        )
    return Isolation(level, tuple(held), ())


def attack(level: IsolationLevel) -> list[str]:
    """The attacking program's output for every input.

    There are fewer if the machine is too busy for a minute. The targets are a file, a
    listening socket, and this process. Raises OSError if the sandbox does not start.
    """
    from pytest_llmarith.sandbox.runner import Sandbox, Slots

    with (
        TemporaryDirectory(prefix="llmarith-") as private,
        TemporaryDirectory(prefix="llmarith-") as public,
        socket.create_server(("127.0.0.1", 0)) as listener,
    ):
        Path(public).chmod(0o777)  # writable for every user
        secret = Path(public) / "secret"
        secret.write_text("the answers", encoding="utf-8")
        secret.chmod(0o644)
        program = _PROGRAM.format(
            secret=str(secret),
            written=str(Path(public) / "written"),
            listener=listener.getsockname(),
            too_much=2 * _LIMITS.memory_bytes,
            harness=os.getpid(),
            variables=sorted(os.environ),
            clone=numbers(platform.machine()).get("clone", -1),
        )
        slots = Slots(Path(private), 1)
        sandbox = Sandbox(Isolation(level, ()), _LIMITS, slots, wait_s=_WAIT_S)
        runs = sandbox.run(program, range(1 + len(ATTACKED)))
        return [run.stdout for run in runs]
