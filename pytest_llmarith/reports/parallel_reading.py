"""Many runs read at once, by as many processes as there are processors. It does not know what is made of them."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Protocol, TypeVar

# A process takes half a second to begin, in which one alone reads as many bytes.
WORTH_BYTES = 8 << 20


class Readable(Protocol):
    """A run that can be handed to another process."""

    @property
    def size(self) -> int:
        """How many bytes there are to read."""


RunT = TypeVar("RunT", bound=Readable)
MadeT = TypeVar("MadeT")


def each_read(deed: Callable[[RunT], MadeT], runs: Sequence[RunT]) -> Iterator[MadeT]:
    """What the deed, a function of a module, makes of each run, in their order. Raises what it raises."""
    workers = min(_processors(), len(runs))
    if workers < 2 or sum(run.size for run in runs) < WORTH_BYTES:
        yield from map(deed, runs)
        return
    # Begun anew, not forked: nobody knows which threads there are.
    with ProcessPoolExecutor(workers, get_context("spawn"), initializer=_leave_ctrl_c_to_others) as pool:
        try:
            yield from pool.map(deed, runs)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _leave_ctrl_c_to_others() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _processors() -> int:
    """Those that this process may use, where the system tells."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
