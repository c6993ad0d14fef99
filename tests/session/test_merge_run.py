"""Runs on several machines and the run that they are together: the numbers of the unsplit run."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.llm_server import Answer, Call
from tests.session.bench import ITEMS, WAYS, Bench, right

# What a second run of the same questions has otherwise: when it ran, and how long an embedded model took.
TIMES = {"date", "median_latency_s", "latency_s", "term_seconds"}


def merge(bench: Bench, *args: str | Path) -> tuple[dict[str, Any], str]:
    """The summary of the merged run, and what the command printed."""
    into = bench.pytester.path / "merged"
    result = bench.pytester.run(
        sys.executable, "-c", "import sys; from pytest_llmarith.cli import main; sys.exit(main())",
        "merge", *args, "--into", into,
    )  # fmt: skip
    assert result.ret == 0, result.stderr.str()
    assert result.errlines == []
    return json.loads((into / "summary.json").read_text(encoding="utf-8")), result.stdout.str()


def timeless(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: timeless(item) for key, item in value.items() if key not in TIMES}
    return [timeless(item) for item in value] if isinstance(value, list) else value


def test_replayed_replies(bench: Bench) -> None:
    """From the same stored replies shards and whole say the same, byte by byte: costs, medians, what is missing."""

    def script(call: Call) -> Answer | str:
        if "/" in call.prompt:
            return ""
        return Answer(status=503) if " - " in call.prompt else "7" if "*" in call.prompt else right(call)

    bench.script = script
    bench.run("--llm-retries=0")
    bench.run("--llm-store=only")
    whole = bench.summary()
    assert 0 < whole["unanswered"] < ITEMS
    for index, way in enumerate(WAYS.values(), 1):
        bench.run("--llm-store=only", f"--llm-shard={index}/3", "--llm-reports=shards", *way)
    shards = sorted((bench.pytester.path / "shards").glob("*_shard-*"))
    merged, shown = merge(bench, *reversed(shards))
    assert json.dumps(merged["results"]).replace(merged["results"][0]["date"], "") == json.dumps(
        whole["results"]
    ).replace(whole["results"][0]["date"], "")
    assert (merged["answered"], merged["unanswered"]) == (whole["answered"], whole["unanswered"])
    assert merged["run"]["asking"] == whole["run"]["asking"]
    assert "openai/gpt-4o-mini, arithmetic: correct of 1 by variant and depth" in shown
    records = bench.pytester.path / "merged" / "trials.jsonl"
    assert len(records.read_text(encoding="utf-8").splitlines()) == ITEMS


@pytest.mark.proof
def test_the_embedded_models(bench: Bench) -> None:
    """Runs of both embedded models on five machines merge into what one machine makes, but for times."""
    models = ("--llm-model=llmarith/exact",)
    bench.run(*models, model="llmarith/sloppy")
    whole = bench.summary()
    for index in range(1, 6):
        bench.run(*models, f"--llm-shard={index}/5", "--llm-reports=shards", model="llmarith/sloppy")
    merged, _ = merge(bench, *(bench.pytester.path / "shards").glob("*_shard-*"))
    assert timeless(merged["results"]) == timeless(whole["results"])
    assert merged["complete"]
    assert merged["run"]["selected"] == whole["run"]["selected"] == 2 * ITEMS
