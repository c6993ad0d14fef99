"""Numbers and foreign text as people are shown them."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.figures.estimates import Figure
from pytest_llmarith.safe_text import sanitize, sanitize_name
from pytest_llmarith.views import formatting

TEXT = st.text(st.characters())
CASES: list[tuple[Callable[..., str], Any, str]] = [
    # Only all is 100, and only nothing is 0.
    *(
        (formatting.percent_text, *case)
        for case in [(None, "-"), (0, "0.0"), (100, "100.0"), (61.34, "61.3")]
    ),
    *((formatting.percent_text, *case) for case in [(99.99, ">99.9"), (0.01, "<0.1")]),
    (formatting.with_interval, None, "- (-)"),
    (formatting.with_interval, Figure(50.0, 57.62, 64.75), "50.0 (57.6-64.8)"),
    (formatting.with_interval, Figure(50.0, 99.46, 100.0), "50.0 (99.5-100)"),
    # An unknown cost is not 0.
    *(
        (formatting.dollars, *case)
        for case in [
            (None, "-"),
            (0.0, "$0"),
            (0.0123, "$0.0123"),
            (0.00004, "<$0.0001"),
        ]
    ),
    *((formatting.dollars, *case) for case in [(7.2, "$7.20"), (1234.5, "$1,234")]),
    *(
        (formatting.price, *case)
        for case in [(None, "-"), (0.0, "$0"), (0.00004, "$0.000040"), (0.5, "$0.50")]
    ),
    *((formatting.price, *case) for case in [(7.2, "$7.20"), (1e-9, "<$0.0000001")]),
    *(
        (formatting.thousands, *case)
        for case in [(None, "-"), (0, "0"), (999, "999"), (12_345, "12.3k")]
    ),
    *(
        (formatting.thousands, *case)
        for case in [(999_949, "999.9k"), (999_950, "1.0M"), (10**15, "1.0e+15")]
    ),
    *(
        (formatting.count, *case)
        for case in [(None, "-"), (31.0, "31"), (31.5, "31.5"), (1234.5, "1.2k")]
    ),
    *(
        (formatting.seconds, *case)
        for case in [(None, "-"), (1.83, "1.8"), (99.96, "100"), (1080.0, "1,080")]
    ),
    *(
        (formatting.short, *case)
        for case in [(None, "-"), ("0.0", "0"), ("1", "1"), ("0.00999", "0.010")]
    ),
    *(
        (formatting.short, *case)
        for case in [("0.000012", "1.2e-05"), ("482.7", "483"), ("482709", "4.8e+05")]
    ),
    *(
        (formatting.short, *case)
        for case in [("9.96e+99", "1.0e+100"), ("1e-2000000", "1.0e-2000000")]
    ),
    *(
        (formatting.p_of, *case)
        for case in [(None, "-"), (0.0, "<0.0001"), (0.99999, ">0.9999"), (1, "1")]
    ),
    *(
        (formatting.signed, *case)
        for case in [(None, "-"), (-0.04, "0.0"), (0.3, "+0.3"), (-11.72, "-11.7")]
    ),
]


@pytest.mark.parametrize(("show", "value", "text"), CASES)
def test_numbers(show: Callable[..., str], value: Any, text: str) -> None:
    assert show(value) == text


def test_a_plus_says_that_some_replies_have_no_known_price() -> None:
    assert formatting.dollars(0.0123, 3) == "$0.0123+"
    assert formatting.dollars(None, 720) == "-"


@given(st.decimals(min_value=0, allow_nan=False, allow_infinity=False))
def test_two_digits_are_off_by_five_percent_at_most(number: Decimal) -> None:
    assert abs(Decimal(formatting.short(str(number))) - number) <= number * Decimal(
        "0.05"
    )


@given(TEXT, st.integers(10, 200))
def test_every_text_is_one_printable_line_of_bounded_length(
    text: str, limit: int
) -> None:
    for shown in (sanitize(text, limit), sanitize_name(text, limit)):
        assert shown.isprintable()
        assert len(shown) <= limit
    assert sanitize_name(
        text, limit
    )  # a row without a name would look like a part of the row above


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\x1b[2J\x1b]0;title\x07", "\\x1b[2J\\x1b]0;title\\x07"),
        (
            "\u202e321\u2066\u200b\u2028\ufeff\x9b31m\ud800",
            "\\u202e321\\u2066\\u200b\\u2028\\ufeff\\x9b31m\\ud800",
        ),
        ("é 模型 ×10¹⁷ \\boxed{7}", "é 模型 ×10¹⁷ \\boxed{7}"),
        ("= " + "12" * 2150 + " ok", "= 121212121212...121212121212 (4,300 digits) ok"),
        ("a" * 81, "a" * 77 + "..."),
    ],
)
def test_what_a_terminal_would_obey_is_spelled_out(text: str, shown: str) -> None:
    assert sanitize(text, 80) == shown


def test_a_name_keeps_its_end() -> None:
    assert (
        sanitize_name("openrouter/deepseek/deepseek-v3.2-exp-thinking", 20)
        == "openro...xp-thinking"
    )
    assert sanitize_name("  ", 20) == "?"
