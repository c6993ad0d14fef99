"""Reading: what number a reply gives. It may know the operands, never the expected answer."""

from __future__ import annotations

import re
from decimal import Decimal

from pytest_llmarith.numerals.exact import decimal_from
from pytest_llmarith.numerals.strict import bare_number
from pytest_llmarith.values import Dtype, NanReason, Readings

_NUMBER = re.compile(r"[+-]?\d++(?:,\d{3})*+(?:\.\d++)?")


def read(text: str, operands: tuple[str, ...] = (), dtype: Dtype = Dtype.INT) -> Readings:
    """Both readings of a reply: the bare number, and the final answer that it intends."""
    strict = bare_number(text, dtype)
    if strict is not None:
        return Readings(strict, strict)
    number = _last_number(text[-20_000:])
    return Readings(number, None, None if number is not None else _reason(text))


def _last_number(text: str) -> Decimal | None:
    found = _NUMBER.findall(text)
    return decimal_from(found[-1].replace(",", "")) if found else None


def _reason(text: str) -> NanReason:
    return NanReason.UNREADABLE if text.strip() else NanReason.EMPTY
