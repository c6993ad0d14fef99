"""What a value from anywhere has to be, before it is counted or kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pytest_llmarith.reports.checks import (
    LARGEST,
    is_amount,
    is_count,
    is_count_or_none,
    is_decimal,
    is_moment,
    is_number,
    object_in,
)

NOT_NUMBERS = [True, None, "1", [1], float("nan"), float("inf"), 10**400, 1e300]


@pytest.mark.parametrize(
    ("holds", "good", "bad"),
    [
        (is_count, [0, 7, LARGEST], [-1, 1.0, LARGEST + 1, *NOT_NUMBERS]),
        (is_count_or_none, [0, None], [-1, True, "1"]),
        (is_amount, [0, 0.5, LARGEST], [-1, -0.5, *NOT_NUMBERS]),
        (is_number, [-1, 0.5, -LARGEST], NOT_NUMBERS),
        (is_decimal, ["1", "-0.5", "1E+999"], [1, "", "x", "NaN", "Infinity", None]),
        (is_moment, ["2026-11-22T00:31:05+00:00"], ["2026-11-22T00:31:05", "2026-11-22T00:31:05+01:00", "now", None]),
    ],
)
def test_only_what_it_is_passes(holds: Callable[[Any], bool], good: list[Any], bad: list[Any]) -> None:
    """Whatever its type, nothing raises, and a truth value is no number."""
    assert all(holds(value) for value in good)
    assert not any(holds(value) for value in bad)


def test_an_object_or_nothing() -> None:
    """What is no object has nothing in it."""
    assert object_in({"a": {"b": 1}}, "a") == {"b": 1}
    assert [object_in({"a": value}, "a") for value in (None, 1, [1], "b")] == [{}] * 4
    assert object_in({}, "a") == {}
