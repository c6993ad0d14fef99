"""A run of 300 questions that is struck once, at a moment that a seed chooses; and what is left of it.

The moment is a count of requests that the server has seen, so that it does not depend on the speed of a machine.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from pytest_llmarith.tasks import addition
from tests.llm_server import PATIENCE_S, Answer, Call, Gate, LlmServer
from tests.session.bench import WAYS, right

QUESTIONS = 300
CONCURRENCY = 16
PROMPTS = frozenset(addition.prompt(problem) for problem in addition.problems(0, QUESTIONS))
TARGETS = ("controller", "worker", "server", "network")

_DELAY_S = 0.01
_BENCH = f"""
    import pytest

    @pytest.mark.integer_addition(trials={QUESTIONS})
    def test_integer_addition(problem, ask):
        ask(problem)
"""
_CONFTEST = """
    import os

    def pytest_configure(config):
        if hasattr(config, "workerinput"):
            open(f"{os.getppid()}-{os.getpid()}", "w").close()
"""


@dataclass(frozen=True)
class Blow:
    """What is struck, and when.

    A worker and a controller are killed with -9. A server drops all connections and refuses new ones, for a moment
    or until the run has ended (`hard`). A network swallows or resets (`hard`) so many requests.
    """

    seed: int
    target: str
    at_request: int
    requests_lost: int
    hard: bool

    @classmethod
    def of(cls, seed: int) -> Blow:
        draw = Random(seed)
        target = TARGETS[seed % len(TARGETS)]
        return cls(seed, target, draw.randint(1, QUESTIONS), draw.randint(1, CONCURRENCY), draw.random() < 0.5)

    @property
    def most_lost(self) -> int:
        """How many requests may have to be made again: those in flight, for whom nobody can know."""
        return {"worker": 0, "network": self.requests_lost}.get(self.target, CONCURRENCY)


class Ordeal:
    """A folder with a bench, a server, and blows that fall on its runs."""

    def __init__(self, folder: Path, blows: Sequence[Blow]) -> None:
        self.server = LlmServer(self._answer)
        self._blows = blows
        self._folder = folder
        self._draw = Random(blows[0].seed)
        self._way = "-n 2" if any(blow.target == "worker" for blow in blows) else self._draw.choice(["plain", "-n 2"])
        self._process: subprocess.Popen[str] | None = None
        self._away = False
        (folder / "test_bench.py").write_text(textwrap.dedent(_BENCH), encoding="utf-8")
        (folder / "conftest.py").write_text(textwrap.dedent(_CONFTEST), encoding="utf-8")
        (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")

    def run(self) -> tuple[int, str]:
        """The same command each time; its exit status, and what it printed."""
        if self._away:
            self.server.come_back()
            self._away = False
        command = [sys.executable, "-m", "pytest", "--llm-model=openai/gpt-4o-mini", *WAYS[self._way]]
        command += [f"--llm-api-base={self.server.base_url}", f"--llm-concurrency={CONCURRENCY}"]
        command += ["--llm-timeout=5", "--llm-retries=1"]
        with subprocess.Popen(
            command, cwd=self._folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as self._process:
            printed, _ = self._process.communicate(timeout=2 * PATIENCE_S)  # its workers hold the pipe as well
        self._wait_for_broker()
        return self._process.returncode, printed

    def _wait_for_broker(self) -> None:
        """The broker's process outlives a controller that was killed, until what is in flight is in the store."""
        give_up_at = time.monotonic() + 2 * PATIENCE_S
        while any(map(self._is_broker, Path("/proc").glob("[0-9]*"))):
            assert time.monotonic() < give_up_at
            time.sleep(0.05)

    def _is_broker(self, process: Path) -> bool:
        try:
            is_here = Path(os.readlink(process / "cwd")) == self._folder
            return is_here and b"pytest_llmarith.models.server" in (process / "cmdline").read_bytes()
        except OSError:  # it has ended meanwhile
            return False

    def stored(self) -> dict[str, str]:
        """The replies in the store, by prompt."""
        path = self._folder / ".llmarith" / "store.sqlite"
        if not path.exists():
            return {}
        with closing(sqlite3.connect(path)) as database:
            rows = database.execute("SELECT reply FROM replies").fetchall()
        replies = [json.loads(row) for (row,) in rows]
        return {reply["sent"]["messages"][-1]["content"]: reply["text"] for reply in replies}

    def logs(self) -> list[list[dict[str, Any]]]:
        """The records of every run, in the order of the runs; every line is a whole one."""
        logs = []
        for path in sorted(self._folder.glob("reports/*/trials.jsonl")):
            text = path.read_text(encoding="ascii")
            assert text.endswith("\n")
            logs.append([json.loads(line) for line in text.splitlines()])
        return logs

    # --- the blow, on the server's thread ---------------------------------------------------------------------------

    def _answer(self, call: Call) -> Answer:
        number = len(self.server.requests)
        for blow in self._blows:
            since = number - blow.at_request
            if since == 0:
                self._strike(blow)
            if blow.target == "network" and 0 <= since < blow.requests_lost:
                return Answer(reset_after=0) if blow.hard else Answer(gate=Gate())
        return Answer(right(call), delay_s=_DELAY_S)

    def _strike(self, blow: Blow) -> None:
        assert self._process is not None
        match blow.target:
            case "controller":
                os.kill(self._process.pid, signal.SIGKILL)
            case "worker":
                worker = self._draw.choice(sorted(self._folder.glob(f"{self._process.pid}-*")))
                worker.unlink()  # its successor has a file of its own
                os.kill(int(worker.name.partition("-")[2]), signal.SIGKILL)
            case "server":
                self._away = blow.hard
                self.server.go_away(None if blow.hard else 0.2)
