"""The model's thoughts are removed from a reply; refusals are recognized."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.answers import Stripped, refuses, strip_thoughts

PIECES = ["<think>", "</think>", "[THINK]", "[/THINK]", "<|channel|>final<|message|>", "\n", " ", "5", "the ", "<"]
REPLIES = st.lists(st.sampled_from(PIECES), max_size=12).map("".join) | st.text()


@pytest.mark.parametrize(
    ("reply", "spoken"),
    [
        ("", ""),
        ("5", "5"),
        ("<think>4</think>5", "5"),
        ("  <reasoning>\n4\n</reasoning>5", "5"),
        ("<thought>4</thinking>5", "5"),
        ("<THINK>4</Think>\n5", "\n5"),
        ("[THINK]4[/THINK]5", "5"),
        ("<|channel|>analysis<|message|>4<|channel|>final<|message|>5", "5"),
        ("4</think>5", "5"),
        ("<think>3</think>4<think>\n4</think>5", "5"),
        *((text, text) for text in ("the <think> block gave 5", "x <think>", "<thinkers>5", "<th ink>5")),
    ],
)
def test_thoughts_are_removed(reply: str, spoken: str) -> None:
    """All before the last closing tag is a thought, with or without its opening tag; a tag in a sentence is a word."""
    assert strip_thoughts(reply) == Stripped(spoken, cut=False)


@pytest.mark.parametrize(
    ("reply", "spoken"),
    [
        ("\t<think>6", ""),
        ("5\n<think>6", "5\n"),
        ("<think>4</think>5\n[THINK]6", "5\n"),
        ("<|channel|>commentary<|message|>6", ""),
    ],
)
def test_a_thought_without_an_end_is_cut(reply: str, spoken: str) -> None:
    """A thought that has no end is removed, and the reply is marked as cut."""
    assert strip_thoughts(reply) == Stripped(spoken, cut=True)


@given(REPLIES)
def test_any_reply(reply: str) -> None:
    """The rest is a part of the reply, at its end unless a thought was cut, and holds no further thought."""
    spoken = strip_thoughts(reply)
    assert spoken.text in reply
    assert spoken.cut or reply.endswith(spoken.text)
    assert strip_thoughts(spoken.text) == Stripped(spoken.text, cut=False)


@pytest.mark.parametrize(
    ("text", "is_refusal"),
    [
        *(
            (text, True)
            for text in ("I can't do that", "I can’t", "I CANNOT", "I can not", "I couldn't say", "I won’t")
        ),
        *((text, True) for text in ("We are unable to", "It is impossible to tell", "I don’t have the ability")),
        *(
            (text, True)
            for text in ("This is beyond my abilities.", "I must decline.", "I refuse.", "Sorry.\n\nI cannot")
        ),
        *((text, False) for text in ("", "5", "The scant result", "a canoe", "a steep decline", "willnot")),
    ],
)
def test_refusals(text: str, is_refusal: bool) -> None:
    """A refusal is recognized in many wordings; words that look alike are none."""
    assert refuses(text) is is_refusal
