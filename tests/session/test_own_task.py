"""A task of the user's own from end to end: the one of docs/own-task.md, as it stands there."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from pytest_llmarith.records import schema_of
from tests.llm_server import Answer, Call
from tests.session.bench import Bench

DOCUMENT = Path(__file__).parents[2] / "docs" / "own-task.md"
TRIALS = 20


def code() -> str:
    """The task of the document."""
    (block,) = re.findall(r"^```python\n(.*?)^```", DOCUMENT.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return str(block)


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
    """Outcomes, store, records, tables, JSON report, page, gates: as of our own tasks."""
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
    assert Counter(record["outcome"] for record in records.values()) == {"correct": 10, "nan": 8, "deviate": 2}
    for record in records.values():
        schema.validate(record)
    first, fourth = records["trial_0"], records["trial_3"]
    assert first["nodeid"] == "test_reversal.py::test_reversal[openai/gpt-4o-mini-trial_0]"
    assert (first["task"], first["outcome"], first["reason"]) == ("reversal", "nan", "unreadable")
    assert [records[f"trial_{n}"]["reason"] for n in (1, 2)] == ["empty", "truncated"]
    assert fourth["answer"] == {"kind": "custom", "read": fourth["problem"]["inputs"]["word"]}
    (counted,) = own.summary()["results"]
    assert (counted["task"], counted["measured"], counted["outcomes"]["deviate"]) == ("reversal", TRIALS, 2)
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


def test_what_it_raises_is_an_error_of_the_test(own: Bench) -> None:
    """With its traceback, never as no answer; the reply is kept, and the mended task asks nothing.

    It is asked with templates, filler context and repeats; number formats make no items of a task without numbers.
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
        [">*words = text.splitt()", "E*AttributeError: 'str' object has no attribute 'splitt'*"]
    )
    result.stdout.no_fnmatch_line("*_own_record*")
    for record in own.records():
        assert record["outcome"] == "unanswered"
        assert record["raised"].startswith("AttributeError: 'str' object has no attribute 'splitt'")
        assert record["reply"]["text"] == record["problem"]["expected"]
    (counted,) = own.summary()["results"]
    assert (counted["measured"], counted["outcomes"]["unanswered"]) == (0, 2)
    own.pytester.makepyfile(test_reversal=code())
    assert own.run(*way, "--lf").ret == 0
    assert len(own.server.requests) == 2
    for record in own.records():
        assert (record["outcome"], record["condition"]["prompt"]) == ("correct", "terse")
        assert record["prompt"][-1]["content"].endswith("backwards: " + record["problem"]["inputs"]["word"])
    assert [result["repeats"]["consistency"]["percent"] for result in own.summary()["results"]] == [100]


MESSAGES = """
    import pytest

    from pytest_llmarith import Problem, Task

    def prompt(problem):
        shown = [{"role": "user", "content": "abc"}, {"role": "assistant", "content": "cba"}]
        return [{"role": "system", "content": "Reverse."}, *shown, {"role": "user", "content": problem["word"]}]

    turned = Task("turned", lambda seed, trials: [Problem("a", {"word": "xyz"}, "zyx")], prompt, lambda text, _: text)

    @pytest.mark.llmarith_task(turned)
    def test_turned(problem, ask):
        ask(problem)
"""


def test_a_prompt_of_messages(own: Bench) -> None:
    """They are sent, recorded and stored as they are; templates and system prompts of the run replace their part."""
    (own.pytester.path / "test_reversal.py").unlink()
    own.pytester.makepyfile(test_turned=MESSAGES)
    assert own.run().ret == own.run("-n", "2").ret == 0
    (first,) = own.server.requests
    assert [message["role"] for message in first.body["messages"]] == ["system", "user", "assistant", "user"]
    assert own.records()[0]["prompt"] == own.records()[0]["reply"]["sent"]["messages"] == first.body["messages"]
    assert own.run("--llm-system-prompt=Brief.", "--llm-prompt-template=Now {word}", "--llm-context=1k").ret == 0
    system, *shown, last = own.server.requests[-1].body["messages"]
    assert (system["content"], shown) == ("Brief.", first.body["messages"][1:3])
    assert last["content"].endswith("Now xyz")
