"""Memory of the controller of a pytest run, sampled while trials are written."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from perf.commands import ENVIRONMENT, ROOT

_EVERY_S = 0.1
_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
_PAGE_MB = os.sysconf("SC_PAGE_SIZE") / 2**20


class Sample(NamedTuple):
    """After `seconds`, the memory of the controller and the number of trials
    written.
    """

    seconds: float
    megabytes: float
    written: int


class Watched(NamedTuple):
    """A whole run: wall time, processor time, the broker's part of it, largest memory,
    that of its broker, size of its log, and samples.
    """

    seconds: float
    processor_seconds: float
    broker_processor_seconds: float
    peak_megabytes: float
    broker_megabytes: float
    log_bytes: int
    samples: list[Sample]

    @property
    def per_second(self) -> float:
        """Trials written per second, from the first sample with a trial to the last."""
        first, last = self.samples[0], self.samples[-1]
        return (last.written - first.written) / (last.seconds - first.seconds)

    @property
    def growth_per_1000(self) -> float:
        """Growth of the controller in megabytes per 1,000 trials, over the last three
        quarters of them.
        """
        last = self.samples[-1]
        first = next(
            sample for sample in self.samples if sample.written >= last.written / 4
        )
        return (
            (last.megabytes - first.megabytes) / (last.written - first.written) * 1000
        )


def watched_bench(url: str, trials: int, folder: Path, *args: str) -> Watched:
    """The arithmetic bench at a server of one's own, its store in this folder."""
    with tempfile.TemporaryDirectory() as reports:
        return watched_pytest(
            Path(reports),
            "benches/test_arithmetic.py",
            "--llm-model=openai/stub",
            f"--llm-api-base={url}",
            f"--llm-trials={trials}",
            "--llm-concurrency=64",
            f"-ollm_store_dir={folder}",
            "-q",
            *args,
            environment={"OPENAI_API_KEY": "none"},
        )


def watched_pytest(
    reports: Path, *args: str, environment: Mapping[str, str]
) -> Watched:
    """Run pytest, its reports in an empty folder; raises RuntimeError with its output
    if it fails.
    """
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        f"--llm-reports={reports}",
        *args,
    ]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        start = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**ENVIRONMENT, **environment},
        )
        samples, broker = _samples(process.pid, start, reports)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - start
        output.seek(0)
        if process.returncode != 0:
            raise RuntimeError(
                f"{' '.join(command)} ended with "
                f"{process.returncode}:\n{output.read()[-3000:]}"
            )
    log_bytes = sum(log.stat().st_size for log in _logs(reports))
    return Watched(
        seconds,
        usage.ru_utime + usage.ru_stime,
        broker.processor_seconds,
        usage.ru_maxrss / 1024,
        broker.megabytes,
        log_bytes,
        samples,
    )


class _Broker(NamedTuple):
    processor_seconds: float = 0.0
    megabytes: float = 0.0


def _samples(pid: int, start: float, reports: Path) -> tuple[list[Sample], _Broker]:
    """Samples until the process ends, one for each change in the number of trials, and
    what its broker has used.
    """
    broker = _Broker()
    samples: list[Sample] = []
    written = place = 0
    while megabytes := _resident(pid):
        for log in _logs(reports):
            with open(log, "rb") as lines:
                lines.seek(place)
                text = lines.read()
            written, place = written + text.count(b"\n"), place + len(text)
        if written > (samples[-1].written if samples else 0):
            samples.append(Sample(time.perf_counter() - start, megabytes, written))
        broker = _Broker(*map(max, broker, _of_broker(pid)))
        time.sleep(_EVERY_S)
    return samples, broker


def _of_broker(pid: int) -> _Broker:
    """What the broker that a process has started uses; nothing if there is none."""
    with suppress(OSError):  # a process has ended
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            if (
                b"pytest_llmarith.models.broker"
                in Path(f"/proc/{child}/cmdline").read_bytes()
            ):
                status = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2]
                ticks = sum(map(int, status.split()[11:13]))
                return _Broker(ticks / _TICKS_A_SECOND, _resident(int(child)))
    return _Broker()


def _resident(pid: int) -> float:
    """Resident memory in megabytes; 0 if the process has ended."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE_MB


def _logs(reports: Path) -> list[Path]:
    return list(reports.glob("*/trials.jsonl"))
