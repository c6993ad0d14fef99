"""Log probabilities in a run: asked for, kept, shown, and missed by one line."""

from __future__ import annotations

import pytest

from pytest_llmarith.cli import main
from tests.llm_server import Answer, Call
from tests.session.bench import BENCH, WAYS, Bench, right


@pytest.mark.parametrize("way", ["plain", "-n 2"])
def test_one_provider_tells_them_and_one_refuses(bench: Bench, way: str) -> None:
    def script(call: Call) -> Answer:
        number = right(call)
        tokens = [{"token": digit, "logprob": -0.1} for digit in number]
        if call.body["model"] == "told":
            return Answer(number, logprobs={"content": tokens})
        if "logprobs" in call.body:
            return Answer(status=400, error={"message": "no parameter top_logprobs"})
        return Answer(number)

    bench.script = script
    bench.pytester.makepyfile(test_bench=BENCH)
    command = (
        *("-v", "-k", "integer_addition", "--llm-logprobs"),
        *("--llm-model=openai/told", "--llm-model=openai/silent"),
        f"--llm-api-base={bench.server.base_url}",
    )
    result = bench.run(*WAYS[way], *command, model=None)
    assert result.ret == 0, [*result.outlines, *result.errlines]
    shown = result.stdout.str()
    assert "no log probabilities with 4 answers" in shown
    assert "how probable answers were to the model" in shown
    for record in bench.records():
        tokens = record["reply"].get("logprobs", [])
        told = "".join(text for _, text, *_ in tokens)
        assert told == (record["answer"] if record["model"] == "openai/told" else "")
        assert record["outcome"] == "correct"
    asked = len(bench.server.requests)
    assert bench.run(*WAYS[way], *command, model=None).ret == 0
    assert len(bench.server.requests) == asked  # all are in the store
    page = (bench.runs[-1] / "report.html").read_text(encoding="utf-8")
    assert 'id="confidence"' in page
    picture = bench.pytester.path / "reliability.svg"
    output = f"--output={picture}"
    plot = ["plot", str(bench.runs[-1]), "--kind=reliability", output]
    assert main(plot) == 0
    drawn = picture.read_text(encoding="utf-8")
    assert "openai/told" in drawn
    assert "openai/silent" not in drawn
