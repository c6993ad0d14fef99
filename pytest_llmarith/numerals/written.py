"""The value of one written number: signs, points, commas, groups, powers and words of magnitude."""

from __future__ import annotations

import re
from decimal import Decimal

from pytest_llmarith.numerals.exact import decimal_from, shifted

THIN = "\u2009"  # stands for every space that may group digits but does not part words

_PLACES = (
    {"hundred": 2, "thousand": 3, "lakh": 5, "million": 6, "crore": 7, "billion": 9, "trillion": 12}
    | {"quadrillion": 15, "quintillion": 18, "sextillion": 21, "septillion": 24, "octillion": 27, "nonillion": 30}
    | {"decillion": 33, "k": 3, "m": 6, "mn": 6, "b": 9, "bn": 9, "t": 12, "tn": 12}
)
_WORD = "|".join(word for word in _PLACES if len(word) > 2)
# "3 hundred million", "2 lakh crore". The plural counts places ("6 thousands"), as "the 6 thousand-digit" does.
MAGNITUDES = rf"(?i:(?:{_WORD})(?:[ -](?:{_WORD})){{0,2}})(?![\w-])"
_LETTERS = re.compile(r"(?:[kKMBT]|[mbt]n)(?!\w)")

_EAST_ASIAN_PLACES = {**dict.fromkeys("万萬만", 4), **dict.fromkeys("亿億억", 8), **dict.fromkeys("兆조", 12)}
_MARKS = "".join(_EAST_ASIAN_PLACES)
_EAST_ASIAN = re.compile(
    rf"\d[\d,.]{{0,30}}[ ]?[{_MARKS}](?:[ ]?\d[\d,.]{{0,30}}[ ]?[{_MARKS}]){{0,3}}(?:[ ]?\d{{1,4}})?"
)
_PART = re.compile(rf"(\d[\d,.]*)[ ]?([{_MARKS}]?)")

_HIGHEST_EXPONENT = 9_999
_GROUPING = str.maketrans("", "", f" '_{THIN}")
_MARK = re.compile(r"[.,]")


def value_of(digits: str, exponent: str | None = None, magnitude: str | None = None) -> Decimal | None:
    """The number that digits, a power of ten and words of magnitude write, or None if they write none."""
    plain, power = _pointed(digits), _power(exponent)
    if plain is None or power is None:
        return None
    number = decimal_from(f"{plain}E{power}")
    return shifted(number, sum(_PLACES[word] for word in re.split("[ -]", magnitude.lower()))) if magnitude else number


def letters_at(text: str, at: int) -> str | None:
    """The letters there that may stand for a magnitude, as in `7M` and `7bn`; they may as well be a unit."""
    letters = _LETTERS.match(text, at)
    return letters[0] if letters else None


def without_east_asian_magnitudes(text: str) -> str:
    """The text with `15万5736` written as 155736."""
    return _EAST_ASIAN.sub(_spelled_out, text)


def _spelled_out(number: re.Match[str]) -> str:
    parts = [(value_of(digits), _EAST_ASIAN_PLACES.get(mark, 0)) for digits, mark in _PART.findall(number[0])]
    values = [shifted(value, places) for value, places in parts if value is not None]
    return format(sum(values, Decimal(0)), "f") if len(values) == len(parts) else number[0]


def _power(exponent: str | None) -> int | None:
    """The exponent, or None if the number would be longer than anybody could mean."""
    digits = (exponent or "").lstrip("+-").lstrip("0")
    if len(digits) > len(str(_HIGHEST_EXPONENT)):
        return None
    return -int(digits or 0) if exponent and exponent.startswith("-") else int(digits or 0)


def _pointed(digits: str) -> str | None:
    """The digits with nothing but one decimal point among them."""
    plain = digits.translate(_GROUPING)
    commas, points = plain.count(","), plain.count(".")
    if commas + points <= 1:
        is_decimal = points or (commas and _is_decimal_comma(plain, grouped=len(plain) < len(digits)))
        return plain.replace(",", "." if is_decimal else "")
    if not points or (points == 1 and plain.rindex(",") < plain.index(".")):
        return plain.replace(",", "")  # commas group, even if a group has lost a digit
    return _grouped_by_threes(plain)


def _grouped_by_threes(plain: str) -> str | None:
    """Points and commas in any other order: if all groups have three digits, only the last mark can be decimal."""
    groups = _MARK.split(plain.lstrip("+-"))
    if not all(len(group) == 3 for group in groups[1:-1]) or len(groups[0]) > 3:
        return None
    marks = set(_MARK.findall(plain))
    is_decimal = len(groups[-1]) != 3 or len(marks) > 1
    whole, decimals = (groups[:-1], groups[-1]) if is_decimal else (groups, "0")
    return f"{'-' * plain.startswith('-')}{''.join(whole)}.{decimals}"


def _is_decimal_comma(plain: str, grouped: bool) -> bool:
    """A lone comma groups if exactly three digits follow it, unless another mark groups or a zero leads."""
    whole, _, decimals = plain.lstrip("+-").partition(",")
    return len(decimals) != 3 or grouped or whole == "0"
