"""Runs that are killed at random moments: no reply is lost, and none is paid for twice
that had arrived.

KILLS=50 makes fifty runs, each killed once; without it the controller and a worker of
one run are killed. A moment is a count of requests that the server has seen, so it does
not depend on the speed of a machine.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pytest_llmarith.tasks import addition
from tests.llm_server import PATIENCE_S, Answer, Call, LlmServer
from tests.session.bench import WAYS, right

pytestmark = pytest.mark.proof

QUESTIONS = 300
CONCURRENCY = 16
MOST_RUNS = 6
PROMPTS = frozenset(
    addition.prompt(problem) for problem in addition.problems(0, QUESTIONS)
)
BENCH = f"""
import pytest

@pytest.mark.integer_addition(trials={QUESTIONS})
def test_integer_addition(problem, ask):
    ask(problem)
"""
# Each worker names itself, so that one can be killed.
CONFTEST = """
import os

def pytest_configure(config):
    if hasattr(config, "workerinput"):
        open(f"{os.getppid()}-{os.getpid()}", "w").close()
"""


class KilledBench:
    """A folder with a bench, and a server that kills the process of its run at some
    requests.

    An even seed kills the controller, an odd one a worker.
    """

    def __init__(self, folder: Path, seeds: Sequence[int]) -> None:
        self.server = LlmServer(self._answer)
        self._kills = {Random(seed).randint(1, QUESTIONS): seed for seed in seeds}
        self._folder = folder
        self._process: subprocess.Popen[str] | None = None
        for name, text in (
            ("test_bench.py", BENCH),
            ("conftest.py", CONFTEST),
            ("pytest.ini", "[pytest]\n"),
        ):
            (folder / name).write_text(text, encoding="utf-8")

    def run(self, way: str) -> tuple[int, str]:
        """The same command each time; its exit status, and what it printed."""
        command = [
            sys.executable,
            "-m",
            "pytest",
            "--llm-model=openai/gpt-4o-mini",
            *WAYS[way],
        ]
        command += [
            f"--llm-api-base={self.server.base_url}",
            f"--llm-concurrency={CONCURRENCY}",
        ]
        command += ["-ollm_timeout=5", "-ollm_retries=1"]
        with subprocess.Popen(
            command,
            cwd=self._folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as self._process:
            printed, _ = self._process.communicate(
                timeout=2 * PATIENCE_S
            )  # its workers hold the pipe as well
        give_up_at = time.monotonic() + 2 * PATIENCE_S
        while any(
            map(self._is_broker, Path("/proc").glob("[0-9]*"))
        ):  # it outlives a killed controller for a moment
            assert time.monotonic() < give_up_at
            time.sleep(0.05)
        return self._process.returncode, printed

    def _is_broker(self, process: Path) -> bool:
        try:
            is_here = Path(os.readlink(process / "cwd")) == self._folder
            return (
                is_here
                and b"pytest_llmarith.models.broker"
                in (process / "cmdline").read_bytes()
            )
        except OSError:  # it has ended meanwhile
            return False

    def stored(self) -> dict[str, str]:
        """The replies in the store, by prompt."""
        path = self._folder / ".llmarith" / "store.sqlite"
        if not path.exists():
            return {}
        with closing(sqlite3.connect(path)) as database:
            replies = [
                json.loads(row)
                for (row,) in database.execute("SELECT reply FROM replies")
            ]
        return {
            reply["sent"]["messages"][-1]["content"]: reply["text"] for reply in replies
        }

    def logs(self) -> list[list[dict[str, Any]]]:
        """The records of every run, in the order of the runs; every line is a whole
        one.
        """
        texts = [
            path.read_text("ascii")
            for path in sorted(self._folder.glob("reports/*/trials.jsonl"))
        ]
        assert all(text.endswith("\n") for text in texts)
        return [[json.loads(line) for line in text.splitlines()] for text in texts]

    def _answer(self, call: Call) -> Answer:
        assert self._process is not None
        seed = self._kills.get(len(self.server.requests))
        if seed is not None and seed % 2:
            worker = min(self._folder.glob(f"{self._process.pid}-*"))
            worker.unlink()  # its successor has a file of its own
            os.kill(int(worker.name.partition("-")[2]), signal.SIGKILL)
        elif seed is not None:
            os.kill(self._process.pid, signal.SIGKILL)
        return Answer(right(call), delay_s=0.01)


SEEDS = [[seed] for seed in range(int(os.environ.get("KILLS", "0")))] or [[16, 17]]


@pytest.mark.parametrize("seeds", SEEDS, ids=str)
def test_a_run_survives(
    seeds: Sequence[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-tests")
    controllers = sum(seed % 2 == 0 for seed in seeds)
    bench = KilledBench(tmp_path, seeds)
    stored: dict[str, str] = {}
    unwritten: Counter[str] = (
        Counter()
    )  # answers that a controller was killed with, before it had them on disk
    with bench.server as server:
        for _ in range(MOST_RUNS):
            status, printed = bench.run(
                "plain" if controllers == len(seeds) and seeds[0] % 4 else "-n 2"
            )
            earlier, stored = stored, bench.stored()
            assert earlier.items() <= stored.items(), "a reply is gone from the store"
            unwritten.update(
                {call.prompt for call in server.answered}
                - stored.keys()
                - unwritten.keys()
            )
            if status == 0:
                break
        else:
            pytest.fail(printed)
    unanswered = Counter(call.prompt for call in server.requests) - Counter(
        call.prompt for call in server.answered
    )
    assert server.asked == Counter(PROMPTS) + unanswered + unwritten
    assert (
        unanswered + unwritten
    ).total() <= CONCURRENCY * controllers  # those in flight
    assert stored.keys() == PROMPTS
    logs = bench.logs()
    for log in logs:
        assert len({record["nodeid"] for record in log}) == len(log)
    assert Counter(record["outcome"] for record in logs[-1]) == {"correct": QUESTIONS}
