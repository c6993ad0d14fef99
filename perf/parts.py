"""Replies graded again by parts: two processes against one, and a Dask cluster of two
against two processes, from the first part to the last, without their start.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from perf.measures import Measure
from pytest_llmarith.records import encode
from pytest_llmarith.report.parts import StoredPart, in_processes, on_dask, parts_of
from pytest_llmarith.results.regrade import RegradedCounts
from tests.cluster import cluster
from tests.runs_on_disk import asked, record_of

_REPLIES = ("{}", "It is {}.", "The sum is 7.", "I think that it is about {}, so: {}")
_ROUNDS = 2

Engine = Callable[[list[StoredPart]], Iterator[RegradedCounts]]


def measure(replies: int = 40_000, rounds: int = _ROUNDS) -> list[Measure]:
    """Alternating, of which the best counts."""
    with tempfile.TemporaryDirectory() as folder, cluster() as (address, _):
        log = Path(folder, "replies.jsonl")
        some = [asked(text, trial=n) for n, text in enumerate(_REPLIES)]
        lines = "".join(encode(record_of(one)) + "\n" for one in some)
        log.write_text(lines * (replies // len(some)), "ascii")
        ways: dict[str, Engine] = {
            "one process": partial(in_processes, workers=1),
            "two processes": partial(in_processes, workers=2),
            "Dask": partial(on_dask, scheduler=address),
        }
        best = dict.fromkeys(ways, 0.0)
        for number in range(rounds):
            for way, engine in ways.items():
                parts = parts_of(
                    [log], Path(folder, f"{way} {number}"), part_bytes=1 << 20
                )
                best[way] = max(best[way], _rate(engine(parts)))
    one, two, dask = best.values()
    return [
        Measure("parts: one process", one, "replies a second"),
        Measure("parts: two processes against one", two / one, "times", at_least=1.67),
        Measure("parts: Dask against processes", dask / two, "times", at_least=0.8),
    ]


def _rate(done: Iterator[RegradedCounts]) -> float:
    next(done)
    started = time.perf_counter()
    replies = sum(one.transitions.total() for one in done)
    return replies / (time.perf_counter() - started)
