"""What bounds the asking, as options write it."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_llmarith.options.asking import asking_limits
from pytest_llmarith.values import AskingLimits, Price

WRITTEN: list[tuple[str, str, str, Any]] = [
    ("--llm-concurrency", "64", "concurrency", 64),
    ("--llm-timeout", "0.5", "timeout_s", 0.5),
    ("--llm-retries", "0", "retries", 0),
    ("--llm-rpm", "500", "requests_per_minute", 500),
    ("--llm-tpm", "2000000", "tokens_per_minute", 2_000_000),
    ("--llm-max-cost", "0.25", "max_cost_usd", 0.25),
    ("--llm-max-tokens", "100000", "max_tokens", 100_000),
    ("--llm-price", "1.1, 4.4", "price", Price(1.1, 4.4)),
    ("--llm-price", "0,0", "price", Price(0.0, 0.0)),
]

REFUSED = [
    ("--llm-concurrency", "0", "'0' is not a whole number from 1 to 1024"),
    ("--llm-retries", "-1", "'-1' is not a whole number from 0 to 100"),
    ("--llm-timeout", "soon", "'soon' is not a positive number of seconds; write 600 or 0.5"),
    ("--llm-rpm", "0", "'0' is not a whole number from 1 to 100000000"),
    ("--llm-tpm", "1e6", "'1e6' is not a whole number from 1 to 100000000"),
    ("--llm-max-cost", "$5", "'$5' is not a positive amount of US dollars; write 5 or 0.25"),
    ("--llm-max-cost", "0", "'0' is not a positive amount of US dollars; write 5 or 0.25"),
    ("--llm-max-cost", "nan", "'nan' is not a positive amount of US dollars; write 5 or 0.25"),
    ("--llm-max-tokens", "0", "'0' is not a whole number from 1 to 999999999"),
    (
        "--llm-price",
        "1.1",
        "'1.1' is not IN,OUT; write the US dollars per million prompt and completion tokens: 1.1,4.4",
    ),
    (
        "--llm-price",
        "-1,4",
        "'-1,4' is not IN,OUT; write the US dollars per million prompt and completion tokens: 1.1,4.4",
    ),
]


def test_what_holds_where_nothing_is_given() -> None:
    """The defaults of the options are those of the value."""
    assert asking_limits(lambda option: None) == AskingLimits()


@pytest.mark.parametrize(("option", "text", "field", "value"), WRITTEN)
def test_as_it_is_written(option: str, text: str, field: str, value: Any) -> None:
    """Each option sets its field, and leaves the others alone."""
    assert asking_limits({option: text}.get) == AskingLimits(**{field: value})


@pytest.mark.parametrize(("option", "text", "message"), REFUSED)
def test_what_is_no_bound(option: str, text: str, message: str) -> None:
    """A mistake is named with its option and what to write instead."""
    with pytest.raises(ValueError, match=r"^--llm") as refused:
        asking_limits({option: text}.get)
    assert str(refused.value) == f"{option}: {message}"
