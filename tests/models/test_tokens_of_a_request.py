"""How large a request is, as far as it shows before it is sent."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_llmarith.models.tokens import about_tokens, sent_bound
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
        ({"max_completion_tokens": 50, "max_tokens": 100}, 50),
        ({"max_completion_tokens": 100, "max_tokens": 50}, 50),
        ({"max_tokens": 0}, None),
        ({"max_tokens": "many"}, None),
    ],
)
def test_the_smaller_of_two_limits_bounds_a_reply(params: dict[str, Any], bound: int | None) -> None:
    """Each of them ends the reply; what is no positive number ends nothing."""
    assert sent_bound(Model("m", "t", params)) == bound
