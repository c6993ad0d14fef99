"""Many runs summed up at once, by as many processes as there are processors. It does not know what a summary holds."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from pytest_llmarith.reports.opening.run import OpenedRun

# A process takes half a second to begin, in which one alone reads as many bytes.
WORTH_BYTES = 8 << 20


def summed_up(runs: Sequence[OpenedRun]) -> list[OpenedRun]:
    """The same runs, whose summaries are known where there was much to read. Raises Mistake as they do."""
    workers = min(_processors(), len(runs))
    if workers < 2 or sum(run.size for run in runs) < WORTH_BYTES:
        return list(runs)
    # Begun anew, not forked: nobody knows which threads there are.
    with ProcessPoolExecutor(workers, get_context("spawn"), initializer=_leave_ctrl_c_to_others) as pool:
        try:
            return list(pool.map(_summed_up, runs))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _summed_up(run: OpenedRun) -> OpenedRun:
    run.summary()
    return run


def _leave_ctrl_c_to_others() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _processors() -> int:
    """Those that this process may use, where the system tells."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
