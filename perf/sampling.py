"""A run of pytest watched from outside: how much memory its controller has while the trials are written down."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from perf.commands import ENVIRONMENT, ROOT

_EVERY_S = 0.1
_PAGE_MB = os.sysconf("SC_PAGE_SIZE") / 2**20


class Sample(NamedTuple):
    """After so many `seconds` the controller held `megabytes`, and so many trials were `written`."""

    seconds: float
    megabytes: float
    written: int


class Watched(NamedTuple):
    """A whole run: wall `seconds`, largest memory, size of its log, and the samples taken while it wrote."""

    seconds: float
    peak_megabytes: float
    log_bytes: int
    samples: list[Sample]

    @property
    def per_second(self) -> float:
        """Trials written a second, from the first sample with a trial to the last."""
        first, last = self.samples[0], self.samples[-1]
        return (last.written - first.written) / (last.seconds - first.seconds)

    @property
    def growth_per_1000(self) -> float:
        """Megabytes that the controller grew per 1,000 trials, over the last three quarters of them."""
        last = self.samples[-1]
        first = next(sample for sample in self.samples if sample.written >= last.written / 4)
        return (last.megabytes - first.megabytes) / (last.written - first.written) * 1000


def watched_pytest(reports: Path, *args: str, environment: Mapping[str, str]) -> Watched:
    """Run pytest, its reports in an empty folder; raises RuntimeError with its output where it did not end well."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--llm-reports={reports}", *args]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        start = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT, env={**ENVIRONMENT, **environment}
        )
        samples = _samples(process.pid, start, reports)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - start
        output.seek(0)
        if process.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}:\n{output.read()[-3000:]}")
    return Watched(seconds, usage.ru_maxrss / 1024, sum(log.stat().st_size for log in _logs(reports)), samples)


def _samples(pid: int, start: float, reports: Path) -> list[Sample]:
    """Until the process ends, one whenever trials were written since the last."""
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
        time.sleep(_EVERY_S)
    return samples


def _resident(pid: int) -> float:
    """0 once the process has ended, also before it is waited for."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE_MB


def _logs(reports: Path) -> list[Path]:
    return list(reports.glob("*/trials.jsonl"))
