"""Step 6 of the tolerant reading: the value of one written number. It does not know the text around it.

Points and commas are decided here, once: docs/grading.md tells the rules in words.
"""

from __future__ import annotations

import re
from decimal import Decimal

from pytest_llmarith.numerals.exact import decimal_from
from pytest_llmarith.numerals.glyphs import THIN

_HIGHEST_EXPONENT = 9_999

_GROUPING = str.maketrans("", "", f" '_{THIN}")
_MARK = re.compile(r"[.,]")


def value_of(digits: str, exponent: str | None = None) -> Decimal | None:
    """The number that sign, digits, points, group marks and a power of ten write, or None where they write none."""
    plain = _pointed(digits)
    power = _power(exponent)
    return None if plain is None or power is None else decimal_from(f"{plain}E{power}")


def _power(exponent: str | None) -> int | None:
    """The exponent, or None where the number would be longer than anybody could mean."""
    if exponent is None:
        return 0
    digits = exponent.lstrip("+-").lstrip("0")
    if len(digits) > len(str(_HIGHEST_EXPONENT)):
        return None
    return -int(digits or 0) if exponent.startswith("-") else int(digits or 0)


def _pointed(digits: str) -> str | None:
    """The digits with nothing but one decimal point among them."""
    plain = digits.translate(_GROUPING)
    commas, points = plain.count(","), plain.count(".")
    if commas + points <= 1:
        is_decimal = points or (commas and _is_decimal_comma(plain, grouped=len(plain) < len(digits)))
        return plain.replace(",", "." if is_decimal else "")
    if not points or (points == 1 and plain.rindex(",") < plain.index(".")):
        return plain.replace(",", "")  # commas group, even where a group has lost a digit
    return _grouped_by_threes(plain)


def _grouped_by_threes(plain: str) -> str | None:
    """Points and commas in any other order: where all groups have three digits, only the last mark can be decimal."""
    groups = _MARK.split(plain.lstrip("+-"))
    if not all(len(group) == 3 for group in groups[1:-1]) or len(groups[0]) > 3:
        return None
    marks = set(_MARK.findall(plain))
    is_decimal = len(groups[-1]) != 3 or len(marks) > 1
    whole, decimals = (groups[:-1], groups[-1]) if is_decimal else (groups, "0")
    return f"{'-' * plain.startswith('-')}{''.join(whole)}.{decimals}"


def _is_decimal_comma(plain: str, grouped: bool) -> bool:
    """A lone comma groups when exactly three digits follow it, unless another mark groups or a zero leads."""
    whole, _, decimals = plain.lstrip("+-").partition(",")
    return len(decimals) != 3 or grouped or whole == "0"
