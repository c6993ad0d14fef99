"""Two runs at the same time, as processes of their own: every question is asked by one of them."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.models.keeping.store import Store
from tests.llm_server import PATIENCE_S

ROOT = Path(__file__).parents[3]
COUNT, IN_FLIGHT = 60, 4


class Runs:
    """Runs that share a store, and what all of them have asked."""

    def __init__(self, folder: Path) -> None:
        self.store = folder / "store" / "store.sqlite"
        self._requests = folder / "requests"
        self._begun: list[subprocess.Popen[str]] = []

    def begin(self, *settings: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "tests.models.small_run", str(self.store), str(self._requests)]
        self._begun.append(subprocess.Popen([*command, *settings], cwd=ROOT, stdout=subprocess.PIPE, text=True))
        return self._begun[-1]

    def end(self) -> None:
        for run in self._begun:
            run.kill()
            with run:
                pass

    def requests(self) -> Counter[str]:
        return Counter(self._requests.read_text().split() if self._requests.exists() else ())

    def wait_for_requests(self, count: int) -> None:
        give_up_at = time.monotonic() + PATIENCE_S
        while self.requests().total() < count:
            assert time.monotonic() < give_up_at
            time.sleep(0.005)


def told_by(run: subprocess.Popen[str]) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(run.communicate(timeout=PATIENCE_S)[0])
    return told


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    made = Runs(tmp_path)
    yield made
    made.end()


def test_two_runs_pay_once(runs: Runs) -> None:
    """Both have every reply in the end, whoever has asked."""
    both = [runs.begin(f"--count={COUNT}", "--seconds=0.02") for _ in "ab"]
    told = [told_by(run) for run in both]
    assert [len(one["replies"]) for one in told] == [COUNT, COUNT]
    assert runs.requests() == {f"q{number}": 1 for number in range(COUNT)}
    assert sum(one["progress"]["answered"] for one in told) == COUNT
    assert [one["progress"]["elsewhere"] for one in told] == [0, 0]


def test_a_killed_run_leaves_its_questions_to_the_other(runs: Runs) -> None:
    """Killed with -9 while its requests are in flight and the other one waits for them."""
    killed = runs.begin(f"--count={COUNT}", "--seconds=3600")
    runs.wait_for_requests(IN_FLIGHT)
    other = runs.begin(f"--count={COUNT}")
    with pytest.raises(subprocess.TimeoutExpired):
        other.wait(1)  # it cannot end while its first questions are asked elsewhere
    assert runs.requests().total() == IN_FLIGHT
    killed.kill()
    killed.communicate()
    told = told_by(other)
    assert len(told["replies"]) == COUNT
    asked_twice = {f"q{number}": 2 for number in range(IN_FLIGHT)}
    assert runs.requests() == {f"q{number}": 1 for number in range(COUNT)} | asked_twice


def test_a_run_of_the_same_questions_goes_on_where_a_killed_one_was(runs: Runs) -> None:
    """Nothing that a killed run leaves behind is in the way: no claim, no seat."""
    killed = runs.begin(f"--count={COUNT}", "--seconds=0.02")
    runs.wait_for_requests(COUNT // 2)
    killed.kill()
    killed.communicate()
    asked = runs.requests().total()
    store = Store(runs.store)
    kept = store.count()
    store.close()
    assert asked - kept <= IN_FLIGHT
    assert len(told_by(runs.begin(f"--count={COUNT}"))["replies"]) == COUNT
    assert runs.requests().total() == COUNT + asked - kept
