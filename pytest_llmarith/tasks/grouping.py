"""How the numbers of a prompt are written. It does not know what they are for."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_llmarith.values import NumberFormat

_SEPARATORS: Mapping[NumberFormat, str] = {
    NumberFormat.PLAIN: "",
    NumberFormat.COMMA: ",",
    NumberFormat.SPACE: " ",
}


def grouped(number: str, numbers: NumberFormat) -> str:
    """A decimal text with its integer digits in groups of three; decimals stay together."""
    whole, point, decimals = number.partition(".")
    sign, digits = ("-", whole[1:]) if whole.startswith("-") else ("", whole)
    first = len(digits) % 3
    groups = [digits[:first]] * (first > 0) + [digits[at : at + 3] for at in range(first, len(digits), 3)]
    return sign + _SEPARATORS[numbers].join(groups) + point + decimals
