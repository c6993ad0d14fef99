"""Parses one written number: signs, points, commas, groups, powers of ten and words of magnitude."""

from __future__ import annotations

import re
from decimal import Decimal

from pytest_llmarith.decimals import decimal_from, shifted

THIN = "\u2009"  # stands for all spaces that may group digits but do not separate words

_PLACES = (
    {"hundred": 2, "thousand": 3, "lakh": 5, "million": 6, "crore": 7, "billion": 9, "trillion": 12}
    | {"quadrillion": 15, "quintillion": 18, "sextillion": 21, "septillion": 24, "octillion": 27, "nonillion": 30}
    | {"decillion": 33, "k": 3, "m": 6, "mn": 6, "b": 9, "bn": 9, "t": 12, "tn": 12}
)
_WORD = "|".join(word for word in _PLACES if len(word) > 2)
# "3 hundred million", "2 lakh crore". A plural ("6 thousands") and a hyphen ("6 thousand-digit") mean digit positions.
MAGNITUDES = rf"(?i:(?:{_WORD})(?:[ -](?:{_WORD})){{0,2}})(?![\w-])"
LETTERS = r"(?:[kKMBT]|[mbt]n)(?!\w)"  # 7M, 7bn

_EAST_ASIAN_PLACES = {**dict.fromkeys("万萬만", 4), **dict.fromkeys("亿億억", 8), **dict.fromkeys("兆조", 12)}
_MARKS = "".join(_EAST_ASIAN_PLACES)
_EAST_ASIAN = re.compile(rf"(?:\d[\d,.]{{0,30}}[ ]?[{_MARKS}][ ]?){{1,4}}(?:\d{{1,4}})?")
_PART = re.compile(rf"(\d[\d,.]*)[ ]?([{_MARKS}]?)")

_GROUPING = str.maketrans("", "", f" '_{THIN}")


def value_of(digits: str, exponent: str | None = None, magnitude: str | None = None) -> Decimal | None:
    """The value of digits, a power of ten and words of magnitude; None if the digits are not a number."""
    plain, power = _pointed(digits), (exponent or "").lstrip("+-").lstrip("0")
    if plain is None or len(power) > 4:
        return None
    number = decimal_from(f"{plain}E{'-' * (exponent or '').startswith('-')}{power or 0}")
    return shifted(number, sum(_PLACES[word] for word in re.findall("[a-z]+", (magnitude or "").lower())))


def without_east_asian_magnitudes(text: str) -> str:
    """The text with `15万5736` replaced by 155736."""
    return _EAST_ASIAN.sub(_spelled_out, text)


def _spelled_out(number: re.Match[str]) -> str:
    parts = [(value_of(digits), _EAST_ASIAN_PLACES.get(mark, 0)) for digits, mark in _PART.findall(number[0])]
    values = [shifted(value, places) for value, places in parts if value is not None]
    return format(sum(values, Decimal(0)), "f") if len(values) == len(parts) else number[0]


def _pointed(digits: str) -> str | None:
    """The digits with at most one decimal point and no grouping; None if they are not a number."""
    plain = digits.translate(_GROUPING)
    commas, points = plain.count(","), plain.count(".")
    if commas + points <= 1:  # a comma groups if three digits follow, unless another mark groups or a zero leads
        whole, _, decimals = plain.lstrip("+-").partition(",")
        groups = len(decimals) == 3 and len(plain) == len(digits) and whole != "0"
        return plain.replace(",", "" if groups else ".")
    if not points or (points == 1 and plain.rindex(",") < plain.index(".")):
        return plain.replace(",", "")  # commas group, even if a group has lost a digit
    parts = re.split("[.,]", plain.lstrip("+-"))
    if len(parts[0]) > 3 or any(len(part) != 3 for part in parts[1:-1]):
        return None
    is_decimal = len(parts[-1]) != 3 or (commas and points)  # after groups of three, only a different mark is decimal
    return f"{'-' * plain.startswith('-')}{''.join(parts[:-1])}{'.' if is_decimal else ''}{parts[-1]}"
