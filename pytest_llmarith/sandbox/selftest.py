"""The self-test of a level: one short program, whose input says how it attacks the jail that it runs in."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from pytest_llmarith.sandbox.runner import Sandbox
from pytest_llmarith.sandbox.slots import Slots
from pytest_llmarith.values import Isolation, Level, ProgramLimits

# Far from anything that the attacks need.
_LIMITS = ProgramLimits(seconds=(10.0,), memory_bytes=1 << 28)

_WAIT_S = 60.0

# What each input tries, in the words in which an isolation says what it enforces. Input 0 is no attack.
NAMES = (
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
HELD = "held\n"

_PROGRAM = """
import os, socket

def stay_at_work(): raise PermissionError

def read_file(): open({secret!r}).read()

def write_file(): open({litter!r}, "w")

def reach_network(): socket.create_connection({listener!r}, 1)

def make_process():
    if os.fork() == 0:
        os._exit(0)

def take_memory(): bytearray({too_much})

def take_memory_of_the_kernel():
    import ctypes, threading
    threading.Thread(target=int).start()  # what a program may do, though it is counted
    call = ctypes.CDLL(None, use_errno=True).syscall
    # A thread with descriptors of its own: by clone without CLONE_FILES, by close_range with CLOSE_RANGE_UNSHARE. The
    # other arguments are wrong, so that the kernel does nothing if it is asked.
    for number, *values in (56, 0x10100, 0, 0, 0, 0), (436, 9, 8, 2):
        if call(number, *values) != -1 or ctypes.get_errno() != 1:
            return
    for way in socket.socketpair, os.pipe:
        try:
            for _ in range(1000):
                way()
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

attacks = [stay_at_work, read_file, write_file, reach_network, make_process, take_memory,
    take_memory_of_the_kernel, send_signal, see_environment, open_zygote]
try:
    attacks[int(input())]()
except (OSError, MemoryError):
    print("held")
else:
    print("through")
"""


def attacked(level: Level) -> list[str]:
    """What the program printed for every input, 0 first; raises OSError where it does not run. It waits for no slot.

    Fewer outputs than there are inputs mean that the machine stayed too busy for a minute.
    """
    with TemporaryDirectory(prefix="llmarith-") as folder, _attacking_program(_LIMITS.memory_bytes) as program:
        sandbox = Sandbox(Isolation(level, ()), _LIMITS, Slots(Path(folder), 1), wait_s=_WAIT_S)
        return [run.stdout for run in sandbox.run(program, range(len(NAMES) + 1))]


def held(outputs: Sequence[str]) -> tuple[str, ...]:
    """The names of the attacks that failed, given the output for every input from 1 on."""
    return tuple(name for name, output in zip(NAMES, outputs, strict=True) if output == HELD)


@contextmanager
def _attacking_program(memory_bytes: int) -> Iterator[str]:
    """A program that goes for real things, which last as long: a file, a listening socket, this process."""
    with TemporaryDirectory(prefix="llmarith-") as folder, socket.create_server(("127.0.0.1", 0)) as listener:
        Path(folder).chmod(0o777)  # only the jail is to stand in the way, even of a user that owns nothing
        secret = Path(folder) / "secret"
        secret.write_text("the answers", encoding="utf-8")
        secret.chmod(0o644)
        yield _PROGRAM.format(
            secret=str(secret),
            litter=str(Path(folder) / "litter"),
            listener=listener.getsockname(),
            too_much=2 * memory_bytes,
            harness=os.getpid(),
            variables=_own_variables(),
        )


def _own_variables() -> list[str]:
    """Names alone: the program need not know the values."""
    return sorted(os.environ)
