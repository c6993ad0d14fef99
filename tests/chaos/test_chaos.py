"""Runs that are struck at random moments: no reply is lost, and none is paid for twice that had arrived.

KILLS=50 makes fifty runs, each struck once; without it one run is struck four times, once in each way.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.chaos.ordeal import CONCURRENCY, PROMPTS, QUESTIONS, Blow, Ordeal

MOST_RUNS = 6
LONG = [[Blow.of(seed)] for seed in range(int(os.environ.get("KILLS", "0")))]
SHORT = [[Blow.of(seed) for seed in range(16, 20)]]


@pytest.mark.parametrize(
    "blows", LONG or SHORT, ids=lambda blows: "-".join(f"{blow.target}_{blow.seed}" for blow in blows)
)
def test_a_run_survives(blows: Sequence[Blow], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same command finishes what was broken off, and asks nothing anew but what was in flight."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-tests")
    ordeal = Ordeal(tmp_path, blows)
    stored: dict[str, str] = {}
    unwritten: Counter[str] = Counter()  # answers that a controller was killed with, before it had them on disk
    with ordeal.server as server:
        for _ in range(MOST_RUNS):
            status, printed = ordeal.run()
            earlier, stored = stored, ordeal.stored()
            assert earlier.items() <= stored.items(), "a reply is gone from the store"
            unwritten.update({call.prompt for call in server.answered} - stored.keys() - unwritten.keys())
            if status == 0:
                break
        else:
            pytest.fail(printed)
    unanswered = Counter(call.prompt for call in server.requests) - Counter(call.prompt for call in server.answered)
    assert server.asked == Counter(PROMPTS) + unanswered + unwritten
    assert unwritten.total() <= CONCURRENCY * sum(blow.target == "controller" for blow in blows)
    assert (unanswered + unwritten).total() <= sum(blow.most_lost for blow in blows)
    assert stored.keys() == PROMPTS
    logs = ordeal.logs()
    for log in logs:
        assert len({record["nodeid"] for record in log}) == len(log)
    assert Counter(record["outcome"] for record in logs[-1]) == {"correct": QUESTIONS}
