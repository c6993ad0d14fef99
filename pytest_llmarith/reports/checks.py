"""What values from anywhere have to be before they are counted or kept, each with one bound.

It does not know in which record or summary they stand.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

LARGEST = 10**15  # of anything that is counted, paid or waited for; floats hold whole numbers beyond it


def check(holds: bool, otherwise: str) -> None:
    """Raise ValueError with what is wrong, unless it holds."""
    if not holds:
        raise ValueError(otherwise)


def object_of(value: Any, what: str) -> Mapping[str, Any]:
    """The value, which is a JSON object; raises ValueError where it is none."""
    check(isinstance(value, dict), f"{what} is not a JSON object")
    found: Mapping[str, Any] = value
    return found


def object_in(facts: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """What stands under a name; nothing where that is no object."""
    value = facts.get(name)
    return value if isinstance(value, dict) else {}


def is_count(value: Any) -> bool:
    """Whether it is a whole number from 0, and none that nobody could have counted."""
    return type(value) is int and 0 <= value <= LARGEST


def is_count_or_none(value: Any) -> bool:
    return value is None or is_count(value)


def is_number(value: Any) -> bool:
    """Whether it is a number that can be added to others."""
    return type(value) in (int, float) and abs(value) <= LARGEST and math.isfinite(value)


def is_amount(value: Any) -> bool:
    """Whether it is a number from 0, such as dollars or seconds."""
    return is_number(value) and value >= 0


def is_decimal(text: Any) -> bool:
    """Whether it is a number as text, of any size."""
    try:
        return isinstance(text, str) and Decimal(text).is_finite()
    except InvalidOperation:
        return False


def is_moment(value: Any) -> bool:
    """Whether it is a time in UTC, as text: times are compared as texts."""
    try:
        return isinstance(value, str) and datetime.fromisoformat(value).utcoffset() == timedelta(0)
    except ValueError:
        return False
