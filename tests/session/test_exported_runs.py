"""Runs that leave as logs of another tool, and fill a store when they come back."""

from __future__ import annotations

import pytest

from tests.session.bench import ITEMS, Bench

BRIEF = "--llm-system-prompt=Be brief."


@pytest.mark.parametrize("prefix", ["", "text-completion-"])
def test_replies_come_back_with_their_system_prompt(bench: Bench, prefix: str) -> None:
    """A store that took a run's logs of inspect replies to the same questions, and to
    none that was asked without the system prompt.
    """
    model = f"{prefix}openai/gpt-4o-mini"
    bench.script = lambda call: "7"
    assert bench.run(BRIEF, model=model).ret == 0
    assert len(bench.server.requests) == ITEMS
    path, llmarith = bench.pytester.path, bench.programs / "llmarith"
    export = ["export", str(bench.runs[-1]), "--format=inspect", "--output=logs"]
    assert bench.pytester.run(llmarith, *export).ret == 0
    logs = list((path / "logs").iterdir())
    (path / ".llmarith").rename(path / "first-store")
    assert bench.pytester.run(llmarith, "store", "import", *logs).ret == 0
    only = "--llm-store=only"
    before = {one["nodeid"]: one["reply"]["sent"] for one in bench.records()}
    assert bench.run(only, BRIEF, model=model).ret == 0
    assert {one["nodeid"]: one["reply"]["sent"] for one in bench.records()} == before
    assert bench.run(only, model=model).ret == 1
    assert [one["reply"] for one in bench.records()] == [None] * ITEMS
    assert len(bench.server.requests) == ITEMS
