"""Reports, pages and comparisons of 61,668 trials in 90 runs, as published by
llm_arithmetic, and of half of them.

The replies are those of `../shared/transcripts`, repeated, or bare numbers if that
folder is absent. They are read as rows of llm_arithmetic, which are graded again, and
as the logs of runs.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from perf.commands import ROOT, Run, run_llmarith
from perf.measures import Measure
from pytest_llmarith.evaluate import AskedTrial, evaluate
from pytest_llmarith.records import Reply, as_dict
from pytest_llmarith.results.load import load_runs
from pytest_llmarith.tasks import arithmetic
from pytest_llmarith.tasks.checks import problems_of
from pytest_llmarith.types import Model

TRIALS, RUNS = 61_668, 90
# Rows are graded again, which takes most of their time.
SECONDS, MEGABYTES = {"trials of run logs": 8.0, "rows of llm_arithmetic": 30.0}, 200.0
_PAGE_MB = 10.0
_TRANSCRIPTS = ROOT.parent / "shared" / "transcripts"
# Twice as many trials take twice as long, with a margin for other load on the machine.
_LINEAR = 2.6

_TOKENS = ("prompt_tokens", "completion_tokens")

Record = dict[str, Any]
_Write = Callable[[Path, Sequence[Record]], None]


def measure(trials: int = TRIALS) -> list[Measure]:
    """Wall time, processor time and memory at half and at full size, and their
    ratio.
    """
    records = list(_records())
    return [
        each
        for shape, write in _SHAPES.items()
        for each in _measured(shape, write, records, trials)
    ]


def _measured(
    shape: str, write: _Write, records: Sequence[Record], trials: int
) -> Iterator[Measure]:
    processor: dict[str, list[float]] = {}
    for count, runs in ((trials // 2, RUNS // 2), (trials, RUNS)):
        with tempfile.TemporaryDirectory() as name:
            _write_runs(
                folder := Path(name), write, islice(cycle(records), count), count, runs
            )
            for what, command in _COMMANDS.items():
                run = run_llmarith(*command(folder))
                processor.setdefault(what, []).append(run.processor_seconds)
                yield from _of_run(f"{what}, {count:,} {shape}", run, SECONDS[shape])
            yield Measure(
                f"page, {count:,} {shape}: size",
                _page(folder).stat().st_size / 2**20,
                "MB",
                at_most=_PAGE_MB,
            )
    for what, (half, whole) in processor.items():
        yield Measure(
            f"{what}, {shape}: twice as many take",
            whole / half,
            "times",
            at_most=_LINEAR,
        )


def _of_run(name: str, run: Run, seconds: float) -> Iterator[Measure]:
    yield Measure(name, run.seconds, "s", at_most=seconds)
    yield Measure(f"{name}: processor time", run.processor_seconds, "s")
    yield Measure(f"{name}: memory", run.megabytes, "MB", at_most=MEGABYTES)


def _page(folder: Path) -> Path:
    return folder / "report.html"


def _compared(folder: Path) -> list[str]:
    """All runs compared with the first, without pairing."""
    runs = sorted(str(run) for run in folder.iterdir() if run.name.startswith("run-"))
    return ["compare", "--unpaired", *runs]


_COMMANDS: Mapping[str, Callable[[Path], list[str]]] = {
    "report": lambda folder: ["report", str(folder), "--min-depth=5"],
    "page": lambda folder: [
        "report",
        str(folder),
        "--format=html",
        f"--output={_page(folder)}",
        "--force",
    ],
    "compare": _compared,
}


def _write_runs(
    folder: Path, write: _Write, records: Iterator[Record], count: int, runs: int
) -> None:
    for number in range(runs):
        size = count * (number + 1) // runs - count * number // runs
        write(folder / f"run-{number:03}", list(islice(records, size)))


def _write_log(run: Path, records: Sequence[Record]) -> None:
    run.mkdir()
    named = (
        {**record, "nodeid": f"test_bench.py::test[{number}]"}
        for number, record in enumerate(records)
    )
    (run / "trials.jsonl").write_text(
        "".join(f"{json.dumps(record)}\n" for record in named), encoding="ascii"
    )


def _write_rows(run: Path, records: Sequence[Record]) -> None:
    run.with_suffix(".jsonl").write_text(
        "".join(f"{json.dumps(_row(record))}\n" for record in records),
        encoding="ascii",
    )


def _row(record: Record) -> Record:
    problem, reply = record["problem"], record["reply"] or {}
    names = {"correct": "Correct", "deviate": "Deviate"}
    return {
        "model": record["model"],
        "variant": problem["variant"],
        "depth": problem["depth"],
        "operands": [problem["inputs"][side] for side in ("lhs", "rhs")],
        "correct": problem["expected"],
        "raw_response": reply.get("text") or "",
        "classification": names.get(record["outcome"], "NaN"),
        "tokens": {name: reply.get(name) for name in _TOKENS},
        "cost": reply.get("cost_usd"),
        "failed_to_get_reply": not reply,
    }


_SHAPES: Mapping[str, _Write] = {
    "rows of llm_arithmetic": _write_rows,
    "trials of run logs": _write_log,
}


def _records() -> Iterator[Record]:
    if _TRANSCRIPTS.is_dir():
        # One name, so that the runs can be compared.
        yield from (
            as_dict(record) | {"model": "one"}
            for run in load_runs(_TRANSCRIPTS)
            for record in run.records()
        )
        return
    model = Model("one", "openai/one")
    for problem in problems_of(arithmetic.task(), 0, 10):
        reply = Reply(problem.expected, completion_tokens=3)
        yield as_dict(
            evaluate(
                problem, AskedTrial.of(problem, model, problem.prompt, None), reply
            )
        )
