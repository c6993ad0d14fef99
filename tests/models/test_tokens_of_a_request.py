"""How large a request is, as far as it shows before it is sent."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_llmarith.models.tokens import about_tokens, most_tokens_sent, sent_bound
from pytest_llmarith.values import Model


def test_tokens_are_about_a_quarter_of_the_characters() -> None:
    """A prompt has about a quarter as many tokens as characters, its system prompt included."""
    assert about_tokens(Model("m", "x"), "x" * 10) == 3
    assert about_tokens(Model("m", "x", system_prompt="y" * 6), "x" * 10) == 4


@pytest.mark.parametrize(
    ("params", "bound"),
    [
        ({}, None),
        ({"max_tokens": 100}, 100),
        ({"max_completion_tokens": 50, "max_tokens": 100}, 100),
        ({"max_completion_tokens": 100, "max_tokens": 50}, 100),
        ({"max_tokens": 0}, None),
        ({"max_tokens": -1}, None),
        ({"max_tokens": True}, None),
        ({"max_tokens": "many"}, None),
    ],
)
def test_the_larger_of_two_limits_bounds_a_reply(params: dict[str, Any], bound: int | None) -> None:
    """Some servers know only one of them; a value that is no positive number bounds nothing."""
    assert sent_bound(Model("m", "t", params)) == bound


@pytest.mark.parametrize("prompt", ["1 + 1", "×" * 100, "数" * 50])
def test_no_prompt_has_more_tokens_than_bytes(prompt: str) -> None:
    """The messages and the parameters count, such as the tools that are sent along."""
    sent = most_tokens_sent(Model("m", "t"), prompt)
    assert sent > len(prompt.encode())
    assert most_tokens_sent(Model("m", "t", system_prompt="y" * 1000), prompt) > sent + 1000
    assert most_tokens_sent(Model("m", "t", {"tools": [{"name": "x" * 500}]}), prompt) > sent + 500
