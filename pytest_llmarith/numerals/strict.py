"""The strict reading: the whole reply is the bare number. It does not know operands, nor what a sentence is.

Integers are what Python's `int(text.strip())` takes, without its quadratic time and its limit of 4,300 digits.
"""

from __future__ import annotations

import re
from decimal import Decimal

from pytest_llmarith.numerals.exact import decimal_from
from pytest_llmarith.values import Dtype

# `\d` is every character that `int` takes for a digit; possessive quantifiers keep a failed match linear. They stand on
# single characters only: a possessive group keeps half a repetition in Python before 3.11.5.
_DIGITS = r"\d++(?:_\d++)*"
_BARE = {
    Dtype.INT: re.compile(rf"[+-]?{_DIGITS}"),
    Dtype.FLOAT: re.compile(rf"[+-]?{_DIGITS}(?:\.{_DIGITS})?"),
}


def bare_number(text: str, dtype: Dtype) -> Decimal | None:
    """The number that the text is, but for white space around it."""
    bare = text.strip()
    return decimal_from(bare) if _BARE[dtype].fullmatch(bare) else None
