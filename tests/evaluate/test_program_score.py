"""Programs as a function: plain data out, in any process or thread, whatever the reply
holds.
"""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.programs import compute_score, reward, score
from pytest_llmarith.sandbox import isolation, runner
from pytest_llmarith.tasks.oeis.details import IntegerSequence, TermStatus
from pytest_llmarith.types import Outcome

SQUARES = IntegerSequence(
    "A000290", "The squares.", (), tuple(str(n * n) for n in range(20)), 0, ()
)
SQUARE = "```python\nprint(int(input()) ** 2)\n```"
SLOW = "```python\nn = int(input())\nwhile n > 1: pass\nprint(n ** 2)\n```"
LIMITS = (0.2, 0.4)
HALF = "```python\nn = int(input())\nprint(n ** 2 if n < 3 else 0)\n```"


@pytest.fixture(autouse=True)
def _sandbox() -> None:
    try:
        isolation.probe()
    except isolation.UnavailableError as error:
        pytest.skip(str(error))


REPLIES: list[tuple[Any, Outcome, float]] = [
    (SQUARE, Outcome.CORRECT, 1.0),
    ([{"role": "assistant", "content": SQUARE}], Outcome.CORRECT, 1.0),
    (HALF, Outcome.DEVIATE, 0.5),
    ("```python\nimport os\nos.kill(os.getppid(), 9)\n```", Outcome.DEVIATE, 0.0),
    ("```python\nprint(" + "(" * 500 + "\n```", Outcome.NAN, 0.0),
    ("I cannot.", Outcome.NAN, 0.0),
    ("\ud800\x00", Outcome.NAN, 0.0),
    ("", Outcome.NAN, 0.0),
    (None, Outcome.NAN, 0.0),
    (7, Outcome.NAN, 0.0),
    ([{"text": 7}], Outcome.NAN, 0.0),
    (f"```python\nprint({SQUARES.terms}[int(input())])\n```", Outcome.CHEAT, 0.0),
]


@pytest.mark.parametrize(("reply", "outcome", "share"), REPLIES)
def test_whatever_a_reply_holds(reply: Any, outcome: Outcome, share: float) -> None:
    found = score(reply, SQUARES, terms=6)
    assert (found.outcome, found.score, found.skipped) == (outcome, share, 0)
    assert pickle.loads(pickle.dumps(found)) == found


def test_a_program_is_stopped_early_if_asked() -> None:
    """What did not run is not right, and the result says how much that is."""
    found = score(SLOW, SQUARES, terms=10, limits=LIMITS, stop_after_late=2)
    assert [term.status for term in found.terms] == ["ok", "ok", "late", "late"]
    assert (found.skipped, found.score) == (6, 0.2)
    found = score(SLOW, SQUARES, terms=10, limits=LIMITS, budget_s=0.3)
    assert [term.status for term in found.terms][-1] is TermStatus.LATE
    assert (found.skipped, found.scores) == (7, {0.2: 0.2, 0.4: 0.2})
    found = score(SQUARE, SQUARES, terms=4, stop_after_late=1, budget_s=60.0)
    assert (len(found.terms), found.skipped, found.score) == (4, 0, 1.0)


EXECUTORS: dict[str, Callable[[], Executor]] = {
    "threads": partial(ThreadPoolExecutor, 2),
    "fork": partial(ProcessPoolExecutor, 2, get_context("fork")),
    "spawn": partial(ProcessPoolExecutor, 2, get_context("spawn")),
}


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.parametrize("kind", EXECUTORS)
def test_in_processes_and_threads(kind: str) -> None:
    """Hostile programs among them; also through asyncio."""
    replies = [reply for reply, _, _ in REPLIES[:6]]
    one = partial(score, sequence=SQUARES, terms=6)
    with EXECUTORS[kind]() as executor:
        found = list(executor.map(one, replies))

        async def all_() -> list[Any]:
            loop = asyncio.get_running_loop()
            asked = [loop.run_in_executor(executor, one, reply) for reply in replies]
            return list(await asyncio.gather(*asked))

        again = asyncio.run(all_())
    expected = [(outcome, share) for _, outcome, share in REPLIES[:6]]
    for results in (found, again):
        assert [(one.outcome, one.score) for one in results] == expected


def test_isolation_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    score(SQUARE, SQUARES, terms=1)
    monkeypatch.setattr(isolation, "attack", pytest.fail)
    assert score(SQUARE, SQUARES, terms=1).score == 1


def test_rewards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the forms of TRL and verl, by an A-number of the project's cache."""
    fibonacci = "a, b = 0, 1\nfor _ in range(int(input())): a, b = b, a + b\nprint(a)"
    found = reward([fibonacci, None], sequence=["A000045"] * 2, prompts=["", ""])
    assert found == [1.0, 0.0]
    assert compute_score("oeis", fibonacci, "A000045") == {"score": 1.0, "acc": True}
    with pytest.raises(ValueError, match="A000290"):
        score(SQUARE, "A000290")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="is not an A-number"):
        score(SQUARE, "../A000045")


@pytest.mark.parametrize(
    ("said", "slots"), [("max 100000", None), ("150000 100000", 1), ("x", None)]
)
def test_a_container_with_less_processor_time_than_cores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, slots: int | None
) -> None:
    usual = runner.slot_count()
    monkeypatch.setattr(runner, "_CGROUPS", tmp_path)
    (tmp_path / "cpu.max").write_text(f"{said}\n")
    assert runner.slot_count() == (slots or usual)
