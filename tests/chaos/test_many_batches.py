"""A run of 50,000 questions in batches: each is asked once, within 1 GiB of memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.batch_server import BatchServer
from tests.llm_server import Answer

pytestmark = pytest.mark.proof

QUESTIONS = 50_000
RUN = """
import asyncio, resource, sys
from pathlib import Path
from pytest_llmarith.models.broker import Broker
from pytest_llmarith.models.client import Client
from pytest_llmarith.models.store import RunStore
from pytest_llmarith.types import BatchMode, Model, Question, RequestLimits, StoreMode

async def run(target, base_url, path, count):
    model = Model("m", target, {}, base_url)
    broker = Broker(Client(), [model], RunStore(Path(path), StoreMode.ON), RequestLimits(), batch=BatchMode.WAIT)
    broker.plan([Question("m", f"Reply with just the sum: {i} + {7919 * i}", i) for i in range(count)])
    print(await broker.batch(), broker.progress().kept, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    await broker.close()

asyncio.run(run(*sys.argv[1:4], int(sys.argv[4])))
"""


@pytest.mark.parametrize("target", ["openai/gpt-4o-mini", "anthropic/claude-haiku-4-5"])
@pytest.mark.timeout(900)
def test_many_questions(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI", "ANTHROPIC"):
        monkeypatch.setenv(f"{name}_API_KEY", "sk-secret-of-the-tests")
    with BatchServer(
        lambda call: Answer("123456", reasoning="because " * 50)
    ) as server:
        command = [
            sys.executable,
            "-c",
            RUN,
            target,
            server.base_url,
            str(tmp_path / "store.sqlite"),
            str(QUESTIONS),
        ]
        printed = subprocess.run(
            command, stdout=subprocess.PIPE, check=True, text=True
        ).stdout
    failure, kept, peak_kib = printed.split()
    assert failure == "None"
    assert int(kept) == QUESTIONS
    assert len(server.asked) == QUESTIONS
    assert set(server.asked.values()) == {1}
    assert int(peak_kib) < 2**20
