"""A run without pytest and litellm, as a process of its own: it asks, notes every request, and says what came of it.

    python -m tests.models.small_run STORE REQUESTS [--count=8] [--seconds=0.5] ...

Every request is a line in the file REQUESTS, written when it is sent. On stdout stands one JSON object in the end.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pytest_llmarith.models import store
from pytest_llmarith.values import AskingLimits, Failure, Model, Question, Reply, StoreMode, Terms
from tests.models.scripted import RunningBroker

MODEL = Model("m", "openai/some")


class NotingClient:
    """Replies to everything after a while, with so many characters."""

    def __init__(self, requests: Path, seconds: float, size: int) -> None:
        self._requests = os.open(requests, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self._seconds = seconds
        self._size = size

    def prepare(self) -> None: ...

    def terms(self, model: Model) -> Terms:
        return Terms()

    async def complete(self, model: Model, prompt: str, timeout_s: float) -> Reply:
        os.write(self._requests, f"{prompt}\n".encode())
        await asyncio.sleep(self._seconds)
        return Reply(prompt, reasoning="x" * self._size, sent={"model": model.target})

    async def close(self) -> None: ...


def main(path: Path, requests: Path, mode: str, count: int, seconds: float, size: int) -> dict[str, Any]:
    client = NotingClient(requests, seconds, size)
    broker = RunningBroker(client, [MODEL], path, AskingLimits(concurrency=4), StoreMode(mode))
    questions = [Question("m", f"q{number}", number) for number in range(count)]
    broker.announce(questions)
    answers = [broker.ask_and_wait(question) for question in questions]
    stopped = broker.stopped
    broker.close(30)
    return {
        "replies": [answer.text for answer in answers if isinstance(answer, Reply)],
        "stored": sum(isinstance(answer, Reply) and answer.stored for answer in answers),
        "failures": [answer.message for answer in answers if isinstance(answer, Failure)],
        "stopped": stopped and stopped.message,
        "progress": asdict(broker.progress()),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("path", type=Path)
    parser.add_argument("requests", type=Path)
    parser.add_argument("--mode", default="on")
    parser.add_argument("--count", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=0.0)
    parser.add_argument("--size", type=int, default=0)
    parser.add_argument("--busy-s", type=float, default=30.0)
    given = vars(parser.parse_args())
    store.BUSY_S = given.pop("busy_s")
    sys.stdout.write(json.dumps(main(**given)))
