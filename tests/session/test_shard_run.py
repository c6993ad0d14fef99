"""Runs that are shards: together they ask what one run would, each question once."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.llm_server import Answer, Call
from tests.session.bench import ITEMS, WAYS, Bench, right


def test_three_machines_ask_what_one_would(bench: Bench) -> None:
    """However each of them runs; what it is a part of stands in header, folder and summary, gates hold for the part."""
    shards: list[dict[str, Any]] = []
    for index, way in enumerate(WAYS.values(), 1):
        result = bench.run(f"--llm-shard={index}/3", "--llm-store=off", "--llm-fail-under=100", *way)
        assert result.ret == 0, result.stdout.str()
        result.stdout.fnmatch_lines([f"llmarith: shard {index} of 3"])
        summary = bench.summary()
        assert summary["complete"]
        assert summary["run"]["selected"] == summary["run"]["shard"]["dealt"] == len(bench.records())
        assert bench.runs[-1].name.endswith(f"_openai-gpt-4o-mini_shard-{index}-of-3")
        shards.append(summary["run"]["shard"])
    assert Counter(bench.server.asked.values()) == {1: ITEMS}
    assert [shard["index"] for shard in shards] == [1, 2, 3]
    assert sum(shard["dealt"] for shard in shards) == ITEMS
    assert {(shard["count"], shard["whole"], shard["selection"]) for shard in shards} == {
        (3, ITEMS, shards[0]["selection"])
    }


def test_last_failed_is_of_this_shard(bench: Bench, way: tuple[str, ...]) -> None:
    """--lf asks all that this machine has not got, and deals nothing anew."""

    def outage(call: Call) -> Answer | str:
        return Answer(status=500) if "+" in call.prompt else right(call)

    bench.script = outage
    assert bench.run("--llm-shard=2/2", "--llm-retries=0", *way).ret == 1
    missing = {record["nodeid"] for record in bench.records() if record["outcome"] == "unanswered"}
    assert len(missing) > 1
    bench.script = right
    assert bench.run("--llm-shard=2/2", "--lf", *way).ret == 0
    assert {record["nodeid"] for record in bench.records()} == missing
    run = bench.summary()["run"]
    assert (run["partial"], run["shard"]["index"], run["shard"]["whole"]) == (True, 2, None)
