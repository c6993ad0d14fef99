"""Runs a program once for every input, each time in a process of its own.

A term runs, and is timed, only while it holds a slot, a lock file that all runs of a
user share, so that terms do not slow each other down. The kernel releases the locks of
a process that ends.
"""

from __future__ import annotations

import fcntl
import math
import os
import platform
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from pytest_llmarith.sandbox.program_runs import (
    Ending,
    Isolation,
    ProgramLimits,
    ProgramRun,
)
from pytest_llmarith.sandbox.zygote_client import ZygoteClient, ZygoteLost

# The variable with a folder that the containers of a host share, so that they see each
# other's terms.
SLOTS = "LLMARITH_SLOTS"
_TRY_AGAIN_S = 5.0
# Shared caches and cores slow a term down by this share, even if it does not wait for a
# processor.
_MARGIN = 0.2
_CALIBRATION_RUNS = 3
_CALIBRATION_PROGRAM = """\
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

print(fibonacci(int(input())))
"""
_CGROUPS = Path("/sys/fs/cgroup")
_CALIBRATION_INPUT = 22  # about 30,000 calls, a few milliseconds


def slot_count() -> int:
    """One for each core except one, which the zygotes use.

    A container may have less processor time than cores.
    """
    cores = len(os.sched_getaffinity(0))
    return max(1, math.ceil(min(cores, _quota())) - 1)


def _quota() -> float:
    """The processors that the control groups of this process may use; infinite if there
    is no limit. A container sees its own group at the root.
    """
    least = math.inf
    with suppress(OSError, ValueError, ZeroDivisionError):
        own = Path("/proc/self/cgroup").read_text().rpartition("0::/")[2].split("\n")[0]
        for group in (Path(own), *Path(own).parents):
            with suppress(OSError, ValueError, ZeroDivisionError):
                most, period = (_CGROUPS / group / "cpu.max").read_text().split()
                least = min(least, int(most) / int(period))
    return least


class Slots:
    """`size` lock files in a private folder of this user."""

    def __init__(self, folder: Path | None = None, size: int | None = None) -> None:
        named = f"llmarith-slots-{os.geteuid()}"
        shared = os.environ.get(SLOTS) or tempfile.gettempdir()
        self._folder = folder or Path(shared, named)
        self.size = size or slot_count()

    @contextmanager
    def hold(self, *, every: bool = False) -> Iterator[None]:
        """Hold one slot or every slot, once they are free."""
        with ExitStack() as held:
            folder = self._open_folder(held)
            if every:
                # In this order, so that two runs cannot deadlock.
                for number in range(self.size):
                    _lock(held, folder, number, fcntl.LOCK_EX)
            else:
                self._lock_one(held, folder)
            yield

    def _lock_one(self, held: ExitStack, folder: int) -> None:
        """Lock a slot that is free, or wait for this process's own."""
        own = os.getpid() % self.size
        for number in (*range(own, self.size), *range(own)):
            if _lock(held, folder, number, fcntl.LOCK_EX | fcntl.LOCK_NB):
                return
        _lock(held, folder, own, fcntl.LOCK_EX)

    def _open_folder(self, held: ExitStack) -> int:
        """A descriptor of the folder.

        Raises OSError if other users could write in it.
        """
        with suppress(FileExistsError):
            self._folder.mkdir(mode=0o700)
        folder = os.open(
            self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        )
        held.callback(os.close, folder)
        found = os.fstat(folder)
        if found.st_uid != os.geteuid() or found.st_mode & 0o077:
            raise PermissionError(
                f"{self._folder} must be a private folder of this user: remove it, or "
                f"set TMPDIR"
            )
        return folder


def _lock(held: ExitStack, folder: int, number: int, operation: int) -> bool:
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(f"{number}.lock", flags, 0o600, dir_fd=folder)
    held.callback(os.close, descriptor)
    try:
        fcntl.flock(descriptor, operation)
    except BlockingIOError:
        return False
    return True


class Sandbox:
    """A `Runner` at the probed level; several threads may use it.

    If a term is inconclusive, it is run again for up to `wait_s` seconds per program.
    `on_term` is called after each term of every program.
    """

    def __init__(
        self,
        isolation: Isolation,
        limits: ProgramLimits,
        slots: Slots | None = None,
        *,
        wait_s: float = 0.0,
        on_term: Callable[[], None] = lambda: None,
    ) -> None:
        self.isolation = isolation
        self.limits = limits
        self._slots = slots or Slots()
        self._wait_s = wait_s
        self._on_term = on_term

    def run(
        self,
        program: str,
        inputs: Sequence[int],
        is_enough: Callable[[ProgramRun], bool | None] = lambda run: None,
    ) -> list[ProgramRun]:
        """Run the program with every input in order, up to the first run that is
        inconclusive or enough.

        Raises OSError if the sandbox does not start.
        """
        runs = []
        until = time.monotonic() + self._wait_s
        zygote = ZygoteClient(self.isolation.level, program, self.limits)
        with closing(zygote) as client:
            for number in inputs:
                run = self._measure(client, number)
                while run.ending is Ending.INCONCLUSIVE and time.monotonic() < until:
                    time.sleep(_TRY_AGAIN_S)
                    run = self._measure(client, number)
                self._on_term()
                runs.append(run)
                if run.ending is Ending.INCONCLUSIVE or is_enough(run):
                    break
        return runs

    def _measure(self, client: ZygoteClient, number: int) -> ProgramRun:
        """Run a term; run it again with all slots if that showed too little.

        Its time may be close to a limit, or its zygote was lost.
        """
        with suppress(ZygoteLost):
            run = self._run_once(client, number, every_slot=False)
            if run.alone or not self._is_doubtful(run):
                return run
        try:
            return self._run_once(client, number, every_slot=True)
        except ZygoteLost as error:
            return ProgramRun(
                number,
                Ending.KILLED,
                exit_status=None,
                detail=f"the process that starts programs was lost: {error}",
                stdout="",
                stderr="",
                seconds=0.0,
                alone=True,
            )

    def _run_once(
        self, client: ZygoteClient, number: int, *, every_slot: bool
    ) -> ProgramRun:
        longest_s = self.limits.longest_s
        alone = every_slot or self._slots.size == 1
        # A term that exceeds the margin when it shares the machine would be late alone.

        stop_s = longest_s if alone else (1 + _MARGIN) * longest_s
        with self._slots.hold(every=every_slot):
            run = client.run(number, stop_s, _inconclusive_s(longest_s))
        return replace(run, alone=alone)

    def _is_doubtful(self, run: ProgramRun) -> bool:
        """Whether sharing the machine may have decided a term."""
        if run.ending is Ending.INCONCLUSIVE:
            return True
        limits = self.limits.seconds
        return any(abs(run.seconds - limit) <= _MARGIN * limit for limit in limits)


def machine_facts() -> dict[str, Any]:
    """The interpreter of the programs and the machine, for records of times."""
    cpus = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    model = re.search(r"^model name[^:\n]*:(.*)", cpus, re.MULTILINE)
    version = platform.python_version()
    return {
        "host": platform.node(),
        "interpreter": f"{platform.python_implementation()} {version}",
        "machine": platform.machine(),
        "processor": model[1].strip() if model else None,
        "kernel": f"{platform.system()} {platform.release()}",
        "cores": len(os.sched_getaffinity(0)),
        "slots": slot_count(),
    }


def calibrate(isolation: Isolation) -> float | None:
    """The seconds that a fixed program takes, the median of three runs.

    None if none ended.
    """
    sandbox = Sandbox(isolation, ProgramLimits(seconds=(10.0,)))
    inputs = [_CALIBRATION_INPUT for _ in range(_CALIBRATION_RUNS)]
    seconds = []
    for run in sandbox.run(_CALIBRATION_PROGRAM, inputs):
        if run.ending is Ending.EXITED and run.exit_status == 0:
            seconds.append(run.seconds)
    return median(seconds) if seconds else None


def _inconclusive_s(longest_s: float) -> float:
    """The wall time after which a term may be inconclusive (`protocol.SLOWEST`)."""
    return 3 * longest_s + 2
