"""Speed and obeyed effort: what the end of a run, `-v` and the page say."""

from __future__ import annotations

from typing import Any

import pytest

from tests.llm_server import Answer, Call, usage
from tests.session.bench import Bench, right

BENCH = """
    import pytest

    @pytest.mark.integer_addition(trials=12)
    def test_integer_addition(problem, ask):
        ask(problem)
"""
SPENT = {"low": 100, "high": 100, "max": 300}  # in the server's mind


def _answer(call: Call) -> Answer:
    """Thinks as long at low as at high effort, never if asked by another name, and is
    cut often with a limit.
    """
    number = right(call)
    spread = len(call.prompt) % 7 + int(number) % 5
    told = {"predicted_per_second": 50.0 + spread, "prompt_ms": 20.0}
    body: dict[str, Any] = dict(call.body)
    if body.get("max_tokens") and int(number) % 2:
        return Answer("", finish_reason="length", usage=usage(7, 8, 8))
    tokens = SPENT.get(body.get("reasoning_effort", ""), 0)
    tokens += spread if tokens else 0
    return Answer(number, usage=usage(7, 4 + tokens, tokens), more={"timings": told})


def _lines(result: pytest.RunResult) -> str:
    return " ".join(" ".join(result.outlines).split())


def test_the_end_of_a_run_says_where_effort_was_not_obeyed(bench: Bench) -> None:
    rarely = iter([300])

    def answer(call: Call) -> Answer:
        if call.body.get("reasoning_effort") != "xhigh":
            return _answer(call)
        tokens = next(rarely, 1)
        return Answer(right(call), usage=usage(7, 4 + tokens, tokens))

    bench.script = answer
    bench.pytester.makepyfile(test_bench=BENCH)
    models = {one: f"reasoning_effort={one}" for one in (*SPENT, "xhigh")}
    models |= {"thinker": "enable_thinking=true", "brief": "max_tokens=8"}
    result = bench.run(
        f"--llm-api-base={bench.server.base_url}",
        *(f"--llm-model={name}=openai/o?{how}" for name, how in models.items()),
        "-v",
        model=None,
    )
    said = _lines(result)
    assert "low and high spent the same: 10" in said
    assert "high and max spent" not in said
    assert "max and xhigh spent" not in said  # an interval that begins at 0
    assert "asked for thinking, 100 % of replies show none" in said
    assert "max_tokens=8 cut" in said
    rows = [one for one in bench.summary_file()["differences"] if one["by"] == "effort"]
    ratios = {one["at"]: one for one in rows if one["measure"] == "reasoning_ratio"}
    assert sorted(ratios) == ["high", "low", "max"]
    assert ratios["low"]["value"] == pytest.approx(1)
    assert ratios["high"]["value"] == pytest.approx(300 / 100, rel=0.05)
    assert ratios["low"]["n"] == 12
    assert "reasoning tokens where more or less was asked for" in said


def test_the_speed_that_servers_tell_is_shown(bench: Bench) -> None:
    bench.script = _answer
    bench.pytester.makepyfile(test_bench=BENCH)
    result = bench.run("--llm-model=openai/o", "-v")
    said = _lines(result)
    assert "speed: median / nine of ten at most" in said
    reply = bench.records()[0]["reply"]
    assert reply["served_tokens_a_second"] >= 50
    assert reply["served_first_token_s"] == 0.02
    assert reply["in_flight"] >= 1
    assert "first token" in (bench.runs[-1] / "report.html").read_text("utf-8")
