"""What a reply said, without what was thought on the way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.replies import Said, said

PIECES = ["<think>", "</think>", "[THINK]", "[/THINK]", "<|channel|>final<|message|>", "\n", " ", "5", "the ", "<"]
REPLIES = st.lists(st.sampled_from(PIECES), max_size=12).map("".join) | st.text()


@pytest.mark.parametrize(
    ("reply", "spoken"),
    [
        ("", ""),
        ("5", "5"),
        ("<think>4</think>5", "5"),
        ("  <reasoning>\n4\n</reasoning>5", "5"),
        ("<scratchpad>4</scratchpad>5", "5"),
        ("<thought>4</thinking>5", "5"),
        ("<THINK>4</Think>\n5", "\n5"),
        ("[THINK]4[/THINK]5", "5"),
        ("<|channel|>analysis<|message|>4<|channel|>final<|message|>5", "5"),
        ("<think>4</think>", ""),
    ],
)
def test_what_was_thought_is_dropped(reply: str, spoken: str) -> None:
    """Thoughts between tags are dropped, whichever tags a model has for them, in any case of letters."""
    assert said(reply) == Said(spoken, cut=False)


@pytest.mark.parametrize("reply", ["4</think>5", "<think>3</think>4<think>\n4</think>5", "3</think>4</thinking>5"])
def test_all_before_the_last_closing_tag_is_a_thought(reply: str) -> None:
    """A thought may lack its opening tag, which some servers swallow, and may be one of several."""
    assert said(reply) == Said("5", cut=False)


@pytest.mark.parametrize(
    ("reply", "spoken"),
    [
        ("<think>6", ""),
        ("\t<think>6", ""),
        ("5\n<think>6", "5\n"),
        ("<think>4</think>5\n[THINK]6", "5\n"),
        ("<|channel|>analysis<|message|>6", ""),
        ("<|channel|>commentary<|message|>6", ""),
    ],
)
def test_a_thought_without_an_end_is_cut(reply: str, spoken: str) -> None:
    """A thought that has no end is dropped, and the reply is said to be cut within it."""
    assert said(reply) == Said(spoken, cut=True)


@pytest.mark.parametrize("reply", ["the <think> block gave 5", "x <think>", "<thinkers>5", "<th ink>5", "think: 5"])
def test_who_speaks_of_thoughts_does_not_think(reply: str) -> None:
    """A tag within a sentence only speaks of thoughts, and another word is no tag."""
    assert said(reply) == Said(reply, cut=False)


@given(REPLIES)
def test_what_was_said_is_a_part_of_the_reply(reply: str) -> None:
    """Nothing is added or changed: what was said stands in the reply, and at its end unless that was cut."""
    spoken = said(reply)
    assert spoken.text in reply
    assert spoken.cut or reply.endswith(spoken.text)


@given(REPLIES)
def test_no_thought_is_left(reply: str) -> None:
    """What was said once is said again whole, as no closing tag and no open thought are left in it."""
    assert said(said(reply).text) == Said(said(reply).text, cut=False)
