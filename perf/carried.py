"""What one broker carries, without pytest: `python -m perf.carried URL CONCURRENCY QUESTIONS FOLDER`.

Prints questions a second, and milliseconds of processor per question: with litellm, with the store.
"""

from __future__ import annotations

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pytest_llmarith.models.broker import Broker
from pytest_llmarith.models.client import Client
from pytest_llmarith.values import AskingLimits, Model, Question, Reply

_LANES = 8  # askers, as the workers of a run are: each waits for one reply at a time
_WARM = 50  # first requests open connections


def _carried(url: str, concurrency: int, count: int, folder: Path) -> tuple[float, float]:
    model = Model("stub", "openai/stub", api_base=url)
    limits = AskingLimits(concurrency=concurrency, timeout_s=60)
    broker = Broker(Client(), {"stub": model}, folder / "store.sqlite", limits=limits)
    broker.prepare()
    _ask(broker, [Question("stub", "warm up", trial) for trial in range(_WARM)])
    start, processor = time.perf_counter(), time.process_time()
    _ask(broker, [Question("stub", f"{trial} + {trial}", trial) for trial in range(count)])
    seconds, processor = time.perf_counter() - start, time.process_time() - processor
    broker.close()
    return count / seconds, 1000 * processor / count


def _ask(broker: Broker, questions: list[Question]) -> None:
    """Announce all, and let every lane ask its share."""
    broker.announce(questions)

    def ask(lane: int) -> None:
        for question in questions[lane::_LANES]:
            outcome = broker.ask_and_wait(question, f"{lane}")
            assert isinstance(outcome, Reply), outcome

    with ThreadPoolExecutor(_LANES) as lanes:
        list(lanes.map(ask, range(_LANES)))


if __name__ == "__main__":
    a_second, milliseconds = _carried(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
    print(a_second, milliseconds)  # noqa: T201  # the parent reads it
