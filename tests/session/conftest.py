"""Real runs of pytest: a bench to run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.llm_server import LlmServer
from tests.session.bench import BENCH, Bench, right


@pytest.fixture
def bench(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, programs: Path
) -> Iterator[Bench]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-tests")
    # Else a run in a worker of these tests takes itself for one.
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    pytester.makepyfile(test_bench=BENCH)
    made: Bench
    with LlmServer(lambda call: made.script(call)) as server:
        made = Bench(pytester, server, right, programs)
        yield made
