"""Whether a reply says that it will not do what it was asked."""

from __future__ import annotations

import pytest

from pytest_llmarith.replies import refuses


@pytest.mark.parametrize(
    "text",
    [
        "I can't do that",
        "I can’t do that",
        "I cannot",
        "I CANNOT",
        "I can not",
        "I couldn't say",
        "We could not",
        "I won't",
        "I won’t",
        "I will not",
        "We are unable to",
        "I'm not able to",
        "That is not possible.",
        "It is impossible to tell",
        "I don't have the ability",
        "I don’t have the ability",
        "I do not have the capability",
        "This is beyond my abilities.",
        "I must decline.",
        "I have to decline.",
        "I refuse.",
        "I am not allowed to",
        "Sorry.\n\nAs a language model,\nI cannot",
    ],
)
def test_a_refusal_is_heard(text: str) -> None:
    """That a reply will not or can not is heard in many wordings, with straight and with curly apostrophes."""
    assert refuses(text)


@pytest.mark.parametrize(
    "text",
    ["", "5", "I can", "The scant result", "significant", "a canoe", "a steep decline", "It is possible", "willnot"],
)
def test_other_words_are_no_refusal(text: str) -> None:
    """Words that merely look alike refuse nothing, and neither does silence."""
    assert not refuses(text)
