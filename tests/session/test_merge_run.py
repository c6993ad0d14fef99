"""Runs on several machines and the run that they are together: the numbers of the unsplit run."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.llm_server import Answer, Call
from tests.session.bench import ITEMS, WAYS, Bench, right


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
