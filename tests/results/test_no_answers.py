"""The alarm about many replies without an answer: it names the commonest shape."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from pytest_llmarith.figures.no_answers import SHAPES
from tests.runs_on_disk import added, asked, counted, programmed

REPLIES = Path(__file__).parents[1] / "answers" / "replies"
Made = Callable[..., dict[str, Any]]


def alarm_of(records: list[dict[str, Any]]) -> dict[str, Any] | None:
    (result,) = counted(records)["results"]
    found: dict[str, Any] | None = result.get("alarm")
    return found


# What replies hold, and the shape, how many of ten are right, and the tag.
SHAPED = [
    (added, "Sure: {}.", {}, "no bare number", 10, None),
    (added, "It is 5.", {}, "no bare number", 0, None),
    (added, "", {"reasoning": "So it is {}."}, "in the reasoning", 10, None),
    (asked, " \n", {"reasoning": "1 + 1 = 2"}, "in the reasoning", 0, None),
    (asked, "", {"reasoning": " "}, "empty", 0, None),
    (asked, "{}", {"finish_reason": "length"}, "cut off", 0, None),
    (asked, "{}", {"finish_reason": "content_filter"}, "filtered", 0, None),
    (asked, "", {"finish_reason": "tool_calls"}, "tool call", 0, None),
    (asked, '<tool_call>{{"name": "add"}}</tool_call>', {}, "tool call", 0, None),
    (asked, "I'm sorry, I cannot compute this.", {}, "refusal", 0, None),
    (added, "<muse>7</muse>so {}", {}, "unknown mark", 10, "<muse>"),
    (asked, "<|muse|>7 or 8<|/muse|>\n5", {}, "unknown mark", 0, "<|muse|>"),
    (asked, "<think>8</think><muse>so 7", {}, "unknown mark", 0, "<muse>"),
    (asked, "7<|next|>\nuser: 3 + 4?", {}, "unknown mark", 0, "<|next|>"),
    (asked, "[BEGIN MUSING]7, or 8", {}, "unknown mark", 0, "[BEGIN MUSING]"),
    (asked, "thoughtI add. 7", {}, "unknown mark", 0, "thought"),
    (asked, "<think>12 + 34 =", {}, "thought only", 0, None),
    (asked, "<think>12 + 34 = 46</think>\n", {}, "thought only", 0, None),
    (asked, "Here you are.", {}, "unreadable", 0, None),
]


@pytest.mark.parametrize(("made", "text", "facts", "shape", "right", "tag"), SHAPED)
def test_each_shape(
    made: Made, text: str, facts: dict[str, Any], shape: str, right: int, tag: str
) -> None:
    records = []
    for trial in range(10):
        expected = str(made("{}", trial=trial)["problem"]["expected"])
        named = {name: text.replace("{}", expected) for name, text in facts.items()}
        records.append(made(text, trial=trial, **named))
    assert alarm_of(records) == {
        "replies": 10,
        "count": 10,
        "shape": shape,
        "of_shape": 10,
        "right": right,
        "tag": tag,
    }


def test_the_commonest_of_more_than_a_quarter() -> None:
    """A quarter is none; outages are no replies; a response without text is one."""
    few = [asked("", trial=trial) for trial in range(2)]
    chat = [asked("I cannot.", trial=trial) for trial in range(2, 5)]
    right = [asked("{}", trial=trial) for trial in range(5, 20)]
    assert alarm_of([*few, *chat, *right]) is None
    lost = [asked(None, trial=trial) | {"reason": "timeout"} for trial in range(20, 40)]
    assert alarm_of([*few, *chat, *right, *lost]) is None
    no_text = [
        asked(None, trial=40)
        | {"reason": "the content of the response is no text", "failure": "no text"}
    ]
    found = alarm_of([*few, *chat, *right, *no_text])
    assert found is not None
    assert (found["replies"], found["count"]) == (21, 6)
    assert (found["shape"], found["of_shape"]) == ("refusal", 3)


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "<answer>{}</answer>",
        "<ANSWER>The sum is {}</ANSWER>",
        "<b>{}</b> is the sum",
        "<total>{}</total>",
        "<think>7 or 8</think>\n{}",
        "[Step 1] I add. **{}**",
        "{}<|over|>",
    ],
)
def test_answers_as_usual(text: str) -> None:
    """Tags of an answer, known marks and a token at the end are no reason for it."""
    assert alarm_of([asked(text, trial=trial) for trial in range(4)]) is None


def test_replies_in_all_styles() -> None:
    """Of the replies written for the reader few seem to hold an unknown mark."""
    marked = all_of_them = 0
    for file in REPLIES.glob("*.jsonl"):
        for line in file.read_text("utf-8").splitlines()[::10]:
            text = json.loads(line)["reply"].replace("{", "{{").replace("}", "}}")
            found = alarm_of([asked(text)])
            all_of_them += 1
            marked += found is not None and found["shape"] == "unknown mark"
    assert marked < all_of_them / 100


def test_programs_and_docs() -> None:
    """A task without readings, and a section of the documents for each shape."""
    bad = programmed("A000040") | {"outcome": "nan", "reason": "no program"}
    bad["grade"] = {"score": 0, "scores": bad["grade"]["scores"]}
    found = alarm_of([bad])
    assert found is not None
    assert found["shape"] == "unreadable"
    page = (Path(__file__).parents[2] / "docs" / "grading.md").read_text("utf-8")
    for shape in SHAPES:
        assert f"\n| `{shape.name}` |" in page


@pytest.mark.parametrize(
    "unit", ["<", "<|", "<|a", "<|a|>", "<a>", "[A", "◁a", " ", "to=", "</"]
)
def test_long_replies(unit: str) -> None:
    """Linear time: a megabyte takes no longer than a few seconds."""
    text = unit * (1_000_000 // len(unit))
    record = asked("7") | {"outcome": "nan", "reason": "unreadable"}
    record["reply"]["text"] = text
    record["grade"] = {"score": 0}
    began = process_time()
    assert alarm_of([record]) is not None
    assert process_time() - began < 5
