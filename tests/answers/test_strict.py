"""The strict reading takes what int() takes, and a bare fixed-point number."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pytest_llmarith.answers.extract import bare_number
from pytest_llmarith.values import Dtype

NEARLY_A_NUMBER = st.text(st.sampled_from("0123456789_+- .\n\t\x00\x1c\u2009\u00a0٣９²½Ⅷ−e,x"), max_size=12)


def _as_int(text: str) -> int | None:
    try:
        return int(text.strip())
    except ValueError:
        return None


@given(st.one_of(NEARLY_A_NUMBER, st.text(max_size=12), st.integers().map(str)))
@example("1_000")
@example("1__0")
@example("_1")
@example("1_")
@example("1_0_")
@example("+007")
@example("- 5")
@example("٣９")
@example("²")
@example("\u2009 5\x1c\n")
@example("5\x00")
@settings(deadline=None, max_examples=500)
def test_it_agrees_with_int(text: str) -> None:
    """On any text, an integer is read exactly where int(text.strip()) reads it, and with the same value."""
    assert bare_number(text, Dtype.INT) == _as_int(text)


@pytest.mark.parametrize("text", ["12.50", "-12", "+0.5", " 007.10\n", "1_000.2_5", "١٢.٥"])
def test_fixed_point_numbers_are_bare(text: str) -> None:
    """Sign, digits, one point and decimals, with the tolerance that integers have."""
    assert bare_number(text, Dtype.FLOAT) == Decimal(text.strip().replace("_", ""))


@pytest.mark.parametrize(
    "text", ["", ".5", "5.", "1e5", "1,234.5", "5_", "1_0.5_", "1 000", "1.2.3", "−5", "nan", "inf", "0x10", "= 5"]
)
def test_anything_else_is_not(text: str) -> None:
    """Exponents, separators, names of floats and a missing digit on either side of the point are no bare number."""
    assert bare_number(text, Dtype.FLOAT) is None


def test_length_is_no_limit() -> None:
    """int() raises beyond 4,300 digits; a bare number has no such limit."""
    assert bare_number("7" * 10_000, Dtype.INT) == Decimal("7" * 10_000)


def test_zero_has_no_sign() -> None:
    """-0 is read as 0, in its value and in its text."""
    assert str(bare_number("-0", Dtype.INT)) == "0"
