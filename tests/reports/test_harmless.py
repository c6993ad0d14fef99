"""Foreign text on a terminal: printable, bounded, and still recognizable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.reports.harmless import sanitize, sanitize_name

TEXT = st.text(st.characters())


@given(TEXT, st.integers(0, 200))
def test_every_text_is_printable_and_bounded(text: str, limit: int) -> None:
    """Whatever a model replies, a terminal gets one printable line of the length that was asked for."""
    shown = sanitize(text, limit)
    assert shown.isprintable()
    assert len(shown) <= limit


@given(TEXT, st.integers(10, 200))
def test_every_name_is_printable_and_bounded(name: str, limit: int) -> None:
    """Whatever a model is called, a column gets something, and not more than fits."""
    shown = sanitize_name(name, limit)
    assert shown.isprintable()
    assert 1 <= len(shown) <= limit


@given(st.text("abc XYZ.,-0123456789{}\\", max_size=40))
def test_harmless_text_stays_as_it_is(text: str) -> None:
    """Text that a terminal only prints is not touched."""
    assert sanitize(text, 40) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\x1b[2J\x1b]0;title\x07", "\\x1b[2J\\x1b]0;title\\x07"),
        ("\x9b31m", "\\x9b31m"),
        ("\u202e321\u2066", "\\u202e321\\u2066"),
        ("\u200b\u2028\ufeff", "\\u200b\\u2028\\ufeff"),
        ("\ud800", "\\ud800"),
        ("é 模型 ×10¹⁷", "é 模型 ×10¹⁷"),
        ("\\boxed{7}", "\\boxed{7}"),
        ("1" * 40, "1" * 40),
        ("= " + "12" * 2150 + " ok", "= 121212121212...121212121212 (4,300 digits) ok"),
    ],
)
def test_what_a_terminal_would_obey_is_spelled_out(text: str, shown: str) -> None:
    """Escape sequences, line breaks and changes of direction are shown, long numbers lose their middle."""
    assert sanitize(text, 80) == shown


def test_what_is_too_long_loses_its_end() -> None:
    """Text that is too long loses its end, where three dots say that there is more."""
    assert sanitize("a" * 81, 80) == "a" * 77 + "..."
    assert sanitize("\x1b" * 30, 10) == "\\x1b\\x1..."


def test_a_name_keeps_its_end() -> None:
    """The end of a model's name tells more than its middle."""
    assert sanitize_name("openrouter/deepseek/deepseek-v3.2-exp-thinking", 20) == "openro...xp-thinking"


@pytest.mark.parametrize("name", ["", "   "])
def test_a_name_of_nothing_is_a_question_mark(name: str) -> None:
    """A row without a name would look like a part of the row above."""
    assert sanitize_name(name, 20) == "?"
