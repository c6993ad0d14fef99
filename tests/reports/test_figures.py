"""Numbers as tables show them."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.records import Percentage
from pytest_llmarith.reports import figures


@pytest.mark.parametrize(
    ("part", "whole", "shown"),
    [
        (0, 0, "-"),
        (0, 10, "0.0"),
        (10, 10, "100.0"),
        (1, 3, "33.3"),
        (613, 1000, "61.3"),
        (9_999, 10_000, ">99.9"),
        (1, 10_000, "<0.1"),
    ],
)
def test_shares(part: int, whole: int, shown: str) -> None:
    """Only all is 100 and only nothing is 0; of nothing there is no share."""
    assert figures.share(part, whole) == shown


def test_intervals() -> None:
    """An interval shows both ends, and no decimal behind 100."""
    assert figures.interval(Percentage(50.0, 57.62, 64.75)) == "57.6-64.8"
    assert figures.interval(Percentage(50.0, 99.46, 100.0)) == "99.5-100"
    assert figures.interval(Percentage(50.0, 0.0, 0.53)) == "0.0-0.5"
    assert figures.interval(None) == "-"


@pytest.mark.parametrize(
    ("cost", "unpriced", "shown"),
    [
        (None, 720, "-"),
        (0.0, 0, "$0"),
        (0.0123, 0, "$0.0123"),
        (0.0123, 3, "$0.0123+"),
        (0.00004, 0, "<$0.0001"),
        (7.2, 0, "$7.20"),
        (1234.5, 0, "$1,234"),
    ],
)
def test_dollars(cost: float | None, unpriced: int, shown: str) -> None:
    """An unknown cost is a dash, never 0; a plus says that there is more that nobody knows."""
    assert figures.dollars(cost, unpriced) == shown


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (None, "-"),
        (0, "0"),
        (999, "999"),
        (12_345, "12.3k"),
        (999_949, "999.9k"),
        (999_950, "1.0M"),
        (4_500_000, "4.5M"),
        (10**10, "10.0G"),
        (10**15, "1.0e+15"),
    ],
)
def test_thousands(number: int | None, shown: str) -> None:
    """Counts of tokens are short at every size."""
    assert figures.thousands(number) == shown


@pytest.mark.parametrize(
    ("cost", "shown"),
    [
        (None, "-"),
        (0.0, "$0"),
        (0.00004, "$0.000040"),
        (0.0123, "$0.012"),
        (0.5, "$0.50"),
        (7.2, "$7.20"),
        (1e-9, "<$0.0000001"),
    ],
)
def test_prices(cost: float | None, shown: str) -> None:
    """What one reply costs has two digits, however little it is."""
    assert figures.price(cost) == shown


@pytest.mark.parametrize(
    ("number", "shown"), [(None, "-"), (0, "0"), (31.0, "31"), (31.5, "31.5"), (999.0, "999"), (1234.5, "1.2k")]
)
def test_counts(number: float | None, shown: str) -> None:
    """The middle of counts may lie between two of them."""
    assert figures.count(number) == shown


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (None, "-"),
        ("0", "0"),
        ("0.0", "0"),
        ("1", "1"),
        ("0.0123", "0.012"),
        ("0.00999", "0.010"),
        ("0.000012", "1.2e-05"),
        ("48.27", "48"),
        ("482.7", "483"),
        ("48270.9", "48271"),
        ("482709", "4.8e+05"),
        ("4823512345678901234567.5", "4.8e+21"),
        ("9.96e+99", "1.0e+100"),
        ("1e-2000000", "1.0e-2000000"),
    ],
)
def test_errors_are_short(number: str | None, shown: str) -> None:
    """A relative error of any size is written in a few characters."""
    assert figures.short(number) == shown


@given(st.decimals(min_value=0, allow_nan=False, allow_infinity=False))
def test_a_short_error_is_close(number: Decimal) -> None:
    """An error of two digits is off by five percent at most."""
    assert abs(Decimal(figures.short(str(number))) - number) <= number * Decimal("0.05")


@pytest.mark.parametrize(
    ("number", "shown"),
    [(None, "-"), (0.0, "0.0"), (1.83, "1.8"), (99.94, "99.9"), (99.96, "100"), (600.0, "600"), (1080.0, "1,080")],
)
def test_seconds(number: float | None, shown: str) -> None:
    """Seconds have a decimal while they are few."""
    assert figures.seconds(number) == shown
