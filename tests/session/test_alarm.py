"""A model that is right and scores nothing: the end of a run says how its replies
look, whatever the server or the model makes of them.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_llmarith.cli import main
from tests.llm_server import Answer, Call
from tests.session.bench import WAYS, Bench, right

BENCH = """
    import pytest

    @pytest.mark.integer_addition(trials=4)
    def test_integer_addition(problem, ask):
        ask(problem)

    @pytest.mark.arithmetic(depths=[3], trials=1)
    def test_arithmetic(problem, ask):
        ask(problem)
"""
THOUGHT = "I add 12 and 34, which is 46. Then I check that."


def _parts(number: str) -> Answer:
    parts = [{"type": "musing", "musing": THOUGHT}, {"type": "text", "text": number}]
    return Answer(message={"content": parts})


# What a server that is always right sends, with marks that nobody knows.
SITUATIONS: dict[str, Callable[[str], Answer]] = {
    "a key without a thought, and the thought in the content": lambda number: Answer(
        f"<ponder>{THOUGHT}</ponder>\n{number}", message={"reasoning": None}
    ),
    "only the closing mark": lambda number: Answer(f"{THOUGHT}</ponder>\n{number}"),
    "a second closing mark": lambda number: Answer(
        f"{THOUGHT}</ponder>\n\n{number}", reasoning="Yes."
    ),
    "a part of another type": _parts,
    "tokens": lambda number: Answer(f"<|ponder|>{THOUGHT}<|/ponder|>{number}"),
    "brackets": lambda number: Answer(f"[PONDER]{THOUGHT}[/PONDER]{number}"),
    "a mark that is not closed": lambda number: Answer(f"<ponder>\n{THOUGHT} {number}"),
    "channels without their tokens": lambda number: Answer(
        f"thoughtThe answer is 46. Wait.{THOUGHT}final{number}"
    ),
    "a turn that runs on": lambda number: Answer(
        f"{number}<|turn_is_over|>\n<|its_user|>What is 3 + 4?<|turn_is_over|>7"
    ),
    "all in the reasoning": lambda number: Answer(
        None, reasoning=f"{THOUGHT}\n\n{number}"
    ),
    "chat": lambda number: Answer(f"Sure! The answer is {number}. Anything else?"),
    "a call of a tool": lambda number: Answer(
        None,
        finish_reason="tool_calls",
        message={
            "tool_calls": [
                {
                    "id": "1",
                    "type": "function",
                    "function": {"name": "add", "arguments": "{}"},
                }
            ]
        },
    ),
    "cut off": lambda number: Answer(f"{THOUGHT} So", finish_reason="length"),
    "refused": lambda number: Answer("I'm sorry, I can't compute this."),
    "nothing": lambda number: Answer(""),
}


@pytest.mark.parametrize(
    "transport", ["direct", pytest.param("litellm", marks=pytest.mark.proof)]
)
def test_no_right_model_scores_nothing_in_silence(
    bench: Bench, transport: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each server is read rightly, or has a line at the end of the run, in the summary,
    in reports and on the page.
    """
    bench.pytester.makepyfile(test_bench=BENCH)
    names = {f"openai/m{place}": name for place, name in enumerate(SITUATIONS)}

    def script(call: Call) -> Answer:
        situation = names[f"openai/{call.body['model']}"]
        return SITUATIONS[situation](right(call))

    bench.script = script
    first, *others = names
    run = bench.run(
        *(f"--llm-model={name}" for name in others),
        "-q",
        *("-o", f"llm_transport={transport}", "-o", "llm_retries=0"),
        *WAYS["plain"],
        model=first,
    )
    results = bench.summary()["results"]
    assert len(results) == 2 * len(names)
    outputs = [" ".join(run.stdout.str().split())]
    main(["report", str(bench.runs[-1])])
    outputs.append(" ".join(capsys.readouterr().out.split()))
    main(["report", str(bench.runs[-1] / "trials.jsonl")])  # as of a regraded run
    outputs.append(" ".join(capsys.readouterr().out.split()))
    outputs.append((bench.runs[-1] / "report.html").read_text("utf-8"))
    silent = []
    for result in results:
        name = names[result["model"]]
        if result["outcomes"]["correct"] == sum(result["outcomes"].values()):
            continue
        begins = f"{result['model']}, {result['task']}: "
        if "alarm" not in result or any(begins not in text for text in outputs):
            silent.append((name, result["task"], result["outcomes"]))
    assert silent == []
