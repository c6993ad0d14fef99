"""Real runs of pytest: a bench to run, and the ways to run it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.llm_server import LlmServer
from tests.session.bench import BENCH, WAYS, Bench, right


@pytest.fixture
def bench(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, programs: Path) -> Iterator[Bench]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-tests")
    pytester.makepyfile(test_bench=BENCH)
    made: Bench
    with LlmServer(lambda call: made.script(call)) as server:
        made = Bench(pytester, server, right, programs)
        yield made


@pytest.fixture(params=[pytest.param("plain", marks=pytest.mark.proof), "-n 2"])
def way(request: pytest.FixtureRequest, bench: Bench) -> tuple[str, ...]:
    """The same run with two workers and in one process; the longer proofs begin it as users do."""
    bench.cold = request.param == "plain"
    return WAYS[request.param]
