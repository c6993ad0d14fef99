"""Each step of the tolerant reading by itself."""

from __future__ import annotations

from decimal import Decimal

import pytest

from pytest_llmarith.numerals.normalize import BOLD, BOX, END_OF_BOX, plain
from pytest_llmarith.numerals.tokenize import MANY, Kind, tokens
from pytest_llmarith.numerals.written import THIN, value_of
from pytest_llmarith.values import Dtype


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("5−3", "5-3"),
        ("10¹⁷", "10^17"),
        ("10⁻⁵", "10^-5"),
        ("1\u202f000", f"1{THIN}000"),
        ("1’000", "1'000"),
        ("1\u200b0", "10"),
        ("5\u20285", "5\n5"),
        (f"{BOX}5{END_OF_BOX}", " 5 "),
        ("a\tb\r\n", "a b\n\n"),
        ("— 5 —", "  5  "),
    ],
)
def test_look_alikes_become_one(text: str, same: str) -> None:
    """One minus, one space that groups, superscripts as exponents; foreign marks are wiped out."""
    assert plain(text, Dtype.FLOAT) == same


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (r"\boxed{5}", f"{BOX}5{END_OF_BOX}"),
        (r"\boxed{\text{a {b} 5}}", f"{BOX} a b 5{END_OF_BOX}"),
        (r"\boxed{5", f"{BOX}5{END_OF_BOX}"),
        (r"\frac{1}{2}", " 1÷2"),
        (r"\frac{\frac{1}{2}}{3}", "  1÷2÷3"),
        (r"1{,}000\,000", f"1,000{THIN}000"),
        (r"1,\!000", "1,000"),
        (r"10^{17}", "10^17"),
        (r"2 \times 3 \cdot 4 \div 5 \approx 6", "2 × 3 × 4 ÷ 5 ≈ 6"),
        ("-$5 and $5$", "- 5 and  5 "),
        ("}}{{", ""),
    ],
)
def test_latex_becomes_text(text: str, shown: str) -> None:
    """Braces and commands go, boxes leave their marks, fractions are divisions."""
    assert plain(text, Dtype.FLOAT) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("**5**", f"{BOLD}5{BOLD}"),
        ("**Answer:** 10400", f"{BOLD}Answer:{BOLD} 10400"),
        ("10**5", "10^5"),
        ("2*3", "2×3"),
        ("2 * 3", "2 × 3"),
        ("* 3", f"{BOLD} 3"),
        ("1_000 __5__", f"1_000 {BOLD}5{BOLD}"),
        ("```python\n5\n```", "\n\n5\n\n"),
        ("`5`", "5"),
        ("10<sup>5</sup>", "10^5 "),
        ("<|end_15|>", " "),
        ("2 < 3", "2 < 3"),
        ("~~4~~5", " 5"),
        ("-**5**", f"{BOLD}-5{BOLD}"),
        ("3 -**5**", f"3 -{BOLD}5{BOLD}"),
    ],
)
def test_markdown_becomes_text(text: str, shown: str) -> None:
    """A star multiplies between two numbers at the same distance; elsewhere it is emphasis."""
    assert plain(text, Dtype.FLOAT) == shown


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("14,530, 800", "14,530,800"),
        ("15594 573.28", "15594573.28"),
        ("14, 15 apples", "14, 15 apples"),
        ("of 100, 200, 300.", "of 100, 200, 300."),
    ],
)
def test_a_reply_of_digits_is_one_number(text: str, closed: str) -> None:
    """Spaces within go only where nothing but the number was said."""
    assert plain(text, Dtype.FLOAT) == closed


@pytest.mark.parametrize(
    ("digits", "value"),
    [
        ("1,234", "1234"),
        ("12,345,678.9", "12345678.9"),
        ("1,23,45,678", "12345678"),
        ("1,365,3221", "13653221"),
        ("1234,567", "1234567"),
        ("1,23", "1.23"),
        ("1,2345", "1.2345"),
        ("0,123", "0.123"),
        ("-1,5", "-1.5"),
        ("1.234", "1.234"),
        ("1.234.567", "1234567"),
        ("-1.234.567,89", "-1234567.89"),
        ("1.234,567", "1234.567"),
        ("1.978,011,669.56", "1978011669.56"),
        ("1 234,567", "1234.567"),
        ("1'234'567.8", "1234567.8"),
        ("1_000", "1000"),
        ("1.24171513.21", None),
        ("1.2.3", None),
    ],
)
def test_points_and_commas_are_decided(digits: str, value: str | None) -> None:
    """Three digits after a lone comma are a group, any other number of them are decimals."""
    assert value_of(digits) == (None if value is None else Decimal(value))


@pytest.mark.parametrize(("exponent", "value"), [("0009", "1E9"), ("-3", "1E-3"), ("9999", "1E9999"), ("+2", "1E2")])
def test_exponents_are_read(exponent: str, value: str) -> None:
    """Exponents are read up to 9,999, with leading zeros or without."""
    assert value_of("1", exponent) == Decimal(value)


@pytest.mark.parametrize("exponent", ["10000", "-10000", "9" * 100_000])
def test_absurd_exponents_write_no_number(exponent: str) -> None:
    """Nobody means a number of more than ten thousand digits, and nothing computes one."""
    assert value_of("1", exponent) is None


def test_identifiers_hold_no_numbers() -> None:
    """Digits that belong to a word are no number."""
    assert [token.kind for token in tokens("vq_15042 gpt-4 x2")] == [Kind.WORD] * 3


def test_only_the_last_tokens_are_kept() -> None:
    """Of any text only so many tokens are kept, the last ones."""
    assert len(tokens("5 a " * MANY)) == MANY
