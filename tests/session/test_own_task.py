"""A task of the user's own from end to end: the one of docs/own-task.md, as it stands
there.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from pytest_llmarith.cli import WRONG_USAGE, main
from pytest_llmarith.summaries import schema_of
from tests.llm_server import Answer, Call
from tests.session.bench import Bench

DOCUMENT = Path(__file__).parents[2] / "docs" / "own-task.md"
TRIALS = 20


def code(fragment: str = "reversal = ") -> str:
    """The file of the document with this line."""
    blocks = re.findall(
        r"^```python\n(.*?)^```", DOCUMENT.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    (found,) = (block for block in blocks if fragment in block)
    return str(found)


def reversed_word(call: Call) -> str:
    return call.prompt.split()[-1][::-1]


@pytest.fixture
def own(bench: Bench) -> Bench:
    """A test-suite that holds this task alone."""
    (bench.pytester.path / "test_bench.py").unlink()
    bench.pytester.makepyfile(test_reversal=code())
    bench.script = reversed_word
    return bench


def test_everything_else_comes_for_free(own: Bench) -> None:
    schema = Draft202012Validator(schema_of("record"))

    def script(call: Call) -> Answer | str:
        word = call.prompt.split()[-1]
        replies: dict[int, Answer | str] = {
            4: "I do not know.",
            5: "",
            6: Answer(word[::-1], finish_reason="length"),
            7: "<think>x</think>" + word,
        }
        return replies.get(len(word), word[::-1])

    own.script = script
    result = own.run("-p", "no:xdist", "--llm-fail-under=reversal:90", "-rA")
    assert result.ret == 1
    records = {record["problem"]["label"]: record for record in own.records()}
    assert len(records) == len(own.server.requests) == TRIALS
    assert Counter(record["outcome"] for record in records.values()) == {
        "correct": 10,
        "nan": 8,
        "deviate": 2,
    }
    for record in records.values():
        schema.validate(record)
    shown = " ".join(" ".join(result.outlines).split())
    assert "2 with another answer; 8 nan" in shown
    first, fourth = records["trial_0"], records["trial_3"]
    assert (
        first["nodeid"] == "test_reversal.py::test_reversal[openai/gpt-4o-mini-trial_0]"
    )
    assert first["task"] == "reversal"
    assert first["outcome"] == "nan"
    assert first["reason"] == "unreadable"
    assert [records[f"trial_{n}"]["reason"] for n in (1, 2)] == ["empty", "truncated"]
    assert fourth["answer"] == fourth["problem"]["inputs"]["word"]
    (counted,) = own.summary()["results"]
    assert counted["task"] == "reversal"
    assert counted["measured"] == TRIALS
    assert counted["outcomes"]["deviate"] == 2
    assert {test["llmarith"]["task"] for test in own.report()["tests"]} == {"reversal"}
    expected = fourth["problem"]["expected"]
    result.stdout.fnmatch_lines(
        [
            f"DEVIATE *trial_3] - expected {expected}, got {expected[::-1]}",
            "reversal *",
            "--llm-fail-under: openai/gpt-4o-mini, reversal: * 90 %*",
        ]
    )
    assert "reversal" in (own.runs[0] / "report.html").read_text("utf-8")


@pytest.mark.proof
def test_what_it_raises_is_an_error_of_the_test(own: Bench) -> None:
    """With its traceback, never as no answer; the reply is kept, and the mended task
    asks nothing.

    It is asked with templates, filler context and repeats; number formats make no items
    of a task without numbers.
    """
    template = own.pytester.path / "terse.txt"
    template.write_text("backwards: {word}", "utf-8")
    asked = (
        "--llm-trials=1",
        "--llm-context=1k",
        f"--llm-prompt-template={template}",
        "--llm-number-format=plain,comma",
    )
    way = (*asked, "--llm-repeats=2")
    broken = code().replace("words = text.split()", "words = text.splitt()")
    own.pytester.makepyfile(test_reversal=broken)
    result = own.run(*way)
    assert result.ret == 1
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        [
            ">*words = text.splitt()",
            "E*AttributeError: 'str' object has no attribute 'splitt'*",
        ]
    )
    result.stdout.no_fnmatch_line("*_own_record*")
    for record in own.records():
        assert record["outcome"] == "unanswered"
        assert record["raised"].startswith(
            "AttributeError: 'str' object has no attribute 'splitt'"
        )
        assert record["reply"]["text"] == record["problem"]["expected"]
    (counted,) = own.summary()["results"]
    assert (counted["measured"], counted["outcomes"]["unanswered"]) == (0, 2)
    own.pytester.makepyfile(test_reversal=code())
    assert own.run(*way, "--lf").ret == 0
    assert len(own.server.requests) == 2
    for record in own.records():
        assert record["outcome"] == "correct"
        assert record["condition"]["prompt"] == "terse"
        assert record["prompt"][-1]["content"].endswith(
            "backwards: " + record["problem"]["inputs"]["word"]
        )
    assert [
        result["repeats"]["consistency"]["percent"]
        for result in own.summary()["results"]
    ] == [100]


MESSAGES = """
    import pytest

    from pytest_llmarith import Problem, Task

    def prompt(problem):
        shown = [{"role": "user", "content": "abc"}, {"role": "assistant", "content": "cba"}]
        return [{"role": "system", "content": "Reverse."}, *shown, {"role": "user", "content": problem["word"]}]

    turned = Task("turned", lambda seed, trials: [Problem({"word": "xyz"}, "zyx", "a")], prompt, lambda text, _: text)

    @pytest.mark.llmarith_task(turned)
    def test_turned(problem, ask):
        ask(problem)
"""


def test_a_test_that_does_not_ask(own: Bench) -> None:
    """Its question was asked before it began, so the run says what was not graded."""
    own.pytester.makepyfile(test_reversal=code().replace("ask(problem)", "pass"))
    result = own.run("-p", "no:xdist")
    assert result.ret == 0
    said = " ".join(result.stdout.str().split())
    assert re.search(
        r"trial_0\] and 19 other tests passed without ask\(problem\)", said
    )


@pytest.mark.proof
def test_a_prompt_of_messages(own: Bench) -> None:
    """They are sent, recorded and stored as they are; templates and system prompts of
    the run replace their part.
    """
    (own.pytester.path / "test_reversal.py").unlink()
    own.pytester.makepyfile(test_turned=MESSAGES)
    assert own.run().ret == own.run("-n", "2").ret == 0
    (first,) = own.server.requests
    assert [message["role"] for message in first.body["messages"]] == [
        "system",
        "user",
        "assistant",
        "user",
    ]
    assert (
        own.records()[0]["prompt"]
        == own.records()[0]["reply"]["sent"]["messages"]
        == first.body["messages"]
    )
    (template := own.pytester.path / "terse.txt").write_text("Now {word}", "utf-8")
    assert (
        own.run(
            "--llm-system-prompt=Brief.",
            f"--llm-prompt-template={template}",
            "--llm-context=1k",
        ).ret
        == 0
    )
    system, *shown, last = own.server.requests[-1].body["messages"]
    assert (system["content"], shown) == ("Brief.", first.body["messages"][1:3])
    assert last["content"].endswith("Now xyz")


@pytest.fixture
def sorting(bench: Bench) -> Bench:
    """A test-suite with the grid of the document.

    The model exchanges the first two of eight words and more.
    """
    (bench.pytester.path / "test_bench.py").unlink()
    bench.pytester.makepyfile(test_sorting=code("grid = "))
    bench.script = partial(sorted_words, 8)
    return bench


def sorted_words(wrong_from: int, call: Call) -> str:
    system, user = (message["content"] for message in call.body["messages"])
    words = sorted(user.split(), reverse="falling" in system)
    if len(words) >= wrong_from:
        words[:2] = words[1], words[0]
    return " ".join(words)


@pytest.mark.proof
def test_a_grid_with_scores(sorting: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert sorting.run("-k", "sorting").ret == 0
    (result,) = sorting.summary()["results"]
    assert [one["variant"] for one in result["variants"]] == ["rising", "falling"]
    rising = result["variants"][0]
    assert rising["correct"] == 10
    assert rising["deviate"] == 10
    assert rising["ninety_percent_to"]["possible"] == 4
    assert [(cell["variant"], cell["depth"]) for cell in result["cells"]][:2] == [
        ("rising", 2),
        ("rising", 4),
    ]
    d50 = {one["variant"]: one["d50"] for one in result["thresholds"]}
    assert (4 < d50["rising"] < 8, 4 < d50["falling"] < 8) == (True, True)
    score, same_words = rising["scores"]
    assert score["name"] == "score"
    assert score["problems"] == 20
    assert score["mean"]["percent"] == 90.625
    assert score["mean"]["low"] < 90.625 < score["mean"]["high"]
    assert (same_words["name"], same_words["mean"]["percent"]) == ("same words", 100)
    worst = next(
        one
        for one in sorting.records()
        if one["nodeid"].endswith("rising-depth_8-trial_0]")
    )
    assert (worst["outcome"], worst["grade"]["score"]) == ("deviate", 0.75)
    values = {"in place": 6, "words": 8}
    assert worst["grade"]["details"] == {"kind": "own", "values": values}
    page = (sorting.runs[0] / "report.html").read_text("utf-8")
    assert ('id="cells"' in page, 'id="scores"' in page) == (True, True)
    # The same questions to a model that is always right.
    sorting.script = partial(sorted_words, 99)
    assert sorting.run("-k", "sorting", "--llm-store=off").ret == 0
    first, second = map(str, sorting.runs)
    capsys.readouterr()
    assert main(["compare", first, second, "--format=json"]) == 0
    (compared,) = json.loads(capsys.readouterr().out)["comparisons"]
    found = {row["measure"]: row for row in compared["estimates"]}
    difference = found["score_difference"]
    assert difference["task"] == "sorting"
    assert difference["n"] == 40
    assert difference["value"] == pytest.approx(100 - 90.625)
    assert difference["low"] > 0
    assert found["score_difference_better"]["value"] == 20
    assert found["score_difference_worse"]["value"] == 0
    assert found["score_difference_p"]["value"] < 0.05
    task = sorting.pytester.path / "test_sorting.py"
    assert main(["regrade", first, f"--task={task}:sorting"]) == 0
    out, err = capsys.readouterr()
    assert ("Mean score: 0.9062 before, 0.9062 after" in out, err) == (True, "")
    task.write_text(task.read_text("utf-8").replace("k=4", "k=5"), "utf-8")
    assert main(["regrade", first, f"--task={task}:sorting"]) == WRONG_USAGE
    assert "makes another problem" in capsys.readouterr().err


def test_the_fake_models_answer_the_grid(
    sorting: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the measure of the document; `oracle` is always right."""
    counted = code("grid = ").replace("=replies)", "=replies, measures=[mostly])")
    before, after = counted.split("grid = ")
    whole = f"{before}{code('= share(')}\n\ngrid = {after}"
    sorting.pytester.makepyfile(test_sorting=whole)
    fakes = [f"--llm-model=llmarith/{name}" for name in ("oracle", "sloppy")]
    assert sorting.run("-k", "sorting", *fakes, model=None).ret == 0
    correct = Counter(
        one["model"] for one in sorting.records() if one["outcome"] == "correct"
    )
    assert correct["llmarith/oracle"] == 40
    assert 0 < correct["llmarith/sloppy"] < 40
    run = str(sorting.runs[0])
    capsys.readouterr()
    assert main(["report", run, "--format=json", "--measure=mostly"]) == 0
    found = json.loads(capsys.readouterr().out)["estimates"]
    shares = [one["value"] for one in found if one["variant"] is one["depth"] is None]
    assert shares[0] == 100
    assert 0 < shares[1] < 100


@pytest.mark.proof
def test_a_grid_is_searched(sorting: Bench) -> None:
    assert sorting.run("-k", "rising", "--llm-adaptive=3,14", "-n", "2").ret == 0
    (record,) = sorting.records()
    search = record["grade"]["details"]
    assert (record["task"], search["depths"]) == ("threshold", [2, 4, 8, 16])
    assert {step["depth"] for step in search["trail"]} <= {2, 4, 8, 16}
    assert sorting.run("-k", "simplest and rising", "--llm-breaking-point=30").ret == 0
    (record,) = sorting.records()
    minimum = record["grade"]["details"]["minimum"]
    assert len(json.loads(minimum["expected"])) == 8
