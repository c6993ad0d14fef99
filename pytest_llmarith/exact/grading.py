"""Reads a number in a reply and compares it with the expected one: the functions that
other programs call.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from .digits import Case, Exact, Tolerance, decimal_from
from .enums import Dtype, ErrorClass, Op, Reason
from .error_classes import error_class
from .extract import MAX_CHARACTERS, ExtractedAnswer, read
from .messages import Reply, text_of
from .thoughts import strip_thoughts

Kind = Literal["integer", "decimal"]
Expected = str | int | Decimal

_DTYPES = {"integer": Dtype.INT, "decimal": Dtype.FLOAT}
_EXACT = Exact()
# The exponent is bounded, so that no number needs more digits than fit into memory.
_NUMBER = re.compile(r"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d{1,4})?")
_LARGEST_EXPONENT = 9_999
_LONGEST_LOCATED = 400  # digits
_OTHER_DIGIT = re.compile(r"[^\D0-9]")  # of any other script
_DOTS = re.compile(r"\d(?:\.\.\.|…|[ ]?\\l?dots)")
# What may stand between the digits of one number.
_BETWEEN = r"(?:[.,'’_ \u00a0\u2009\u202f]|\{,\}|\\[,:; ]){0,2}"


@dataclass(frozen=True, slots=True)
class Readings:
    """The number of a text in two readings.

    `strict` is set if the text is nothing but a number; `tolerant` is the number that
    it gives as its answer. `span` is the last place where this number is written in
    digits, if there is one. `reason` says why there is no number.
    """

    strict: Decimal | None
    tolerant: Decimal | None
    span: tuple[int, int] | None
    reason: Reason | None


@dataclass(frozen=True, slots=True)
class NumberGrade:
    """Whether a reply is right, the number that was read, and why there is none.

    A grade is true if it is right.
    """

    correct: bool
    answer: Decimal | None
    reason: Reason | None = None

    def __bool__(self) -> bool:
        return self.correct


def read_number(
    text: str, *, operands: Sequence[Expected] | None = None, kind: Kind = "decimal"
) -> Decimal | None:
    """The number that a text gives as its answer, or None.

    The operands of the question help to tell the answer from an echo of the question.
    In reply to a question of integers, `1.234` in a text of another language than
    English is 1234.

    >>> read_number("12 + 30 = 42, so the answer is **42**.")
    Decimal('42')
    >>> read_number("12 + 30 is too hard for me.", operands=("12", "30")) is None
    True
    >>> read_number("Das Ergebnis ist 1.234.", kind="integer")
    Decimal('1234')
    """
    return read(_text(text), _texts_of(operands), _dtype_of(kind)).tolerant


def readings(
    text: str, *, operands: Sequence[Expected] | None = None, kind: Kind = "decimal"
) -> Readings:
    """The strict and the tolerant reading of a text, where the number stands, and the
    reason if there is none.

    >>> readings("The answer is 1,234.")
    Readings(strict=None, tolerant=Decimal('1234'), span=(14, 19), reason=None)
    >>> readings("I cannot compute this.").reason
    <Reason.REFUSAL: 'refusal'>
    """
    found = read(_text(text), _texts_of(operands), _dtype_of(kind))
    return Readings(found.strict, found.tolerant, place_of(text, found), found.reason)


def grade(
    reply: Reply,
    expected: Expected,
    *,
    tolerance: Tolerance = _EXACT,
    operands: Sequence[Expected] | None = None,
    kind: Kind | None = None,
) -> NumberGrade:
    """Whether the answer of a reply is the expected number.

    A reply is a text, a message, a list of messages (the last one of the assistant
    counts) or of content blocks. The kind of the question is that of the expected
    number, if it is not given.

    >>> grade("The answer is 1,234,567.", "1234567")
    NumberGrade(correct=True, answer=Decimal('1234567'), reason=None)
    >>> grade("1.00004", "1").correct
    False
    >>> grade("42", 42.0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    TypeError: expected is a float, ...
    """
    truth = _number(expected, "expected")
    text = text_of(reply)
    found = read(text, _texts_of(operands), _dtype_of(kind, truth))
    if truth is None:
        return NumberGrade(False, found.tolerant, Reason.NO_EXPECTED)
    if found.tolerant is None:
        return NumberGrade(False, None, found.reason)
    graded = tolerance.graded(found.tolerant)
    is_correct = graded == tolerance.graded(truth)
    if is_correct and graded == found.tolerant and _goes_on(text, found):
        is_correct = False
    return NumberGrade(is_correct, found.tolerant)


def classify_error(
    answer: Expected,
    expected: Expected,
    *,
    op: Literal["add", "sub", "mul", "div"],
    operands: tuple[Expected, Expected],
    tolerance: Tolerance = _EXACT,
    kind: Kind | None = None,
) -> ErrorClass | None:
    """The class of a wrong answer to a calculation; None if it is right, or if one of
    the numbers is none.

    >>> classify_error("10137", "10237", op="add", operands=("7391", "2846"))
    <ErrorClass.CARRY: 'carry'>
    """
    given, truth = _number(answer, "answer"), _number(expected, "expected")
    lhs, rhs = (_number(operand, "an operand") for operand in operands)
    if given is None or truth is None or lhs is None or rhs is None:
        return None
    dtype = _dtype_of(kind, truth, lhs, rhs)
    return error_class(Case(Op(op), dtype, lhs, rhs, truth, given, tolerance))


# --- arguments ------------------------------------------------------------------------


def _text(text: object) -> str:
    if isinstance(text, str):
        return text
    raise TypeError(f"text is a str, not {type(text).__name__}; grade takes messages")


def _dtype_of(kind: str | None, *numbers: Decimal | None) -> Dtype:
    """The type of a kind; without one, that of the numbers."""
    if kind is None:
        is_whole = all(
            number is not None and number == number.to_integral_value()
            for number in numbers
        )
        return Dtype.INT if is_whole else Dtype.FLOAT
    if kind in _DTYPES:
        return _DTYPES[kind]
    raise ValueError(f"kind is 'integer' or 'decimal', not {kind!r}")


def _number(value: object, name: str) -> Decimal | None:
    """The number of text, an int or a Decimal; None if it is not finite, or the text is
    no number.
    """
    if isinstance(value, str):
        text = value.strip()
        if not _NUMBER.fullmatch(text):
            return None
        return decimal_from(text)
    if isinstance(value, Decimal):
        exponent = value.as_tuple().exponent
        if not isinstance(exponent, int):  # a letter, if the value is not finite
            return None
        return value if abs(exponent) <= _LARGEST_EXPONENT else None
    if isinstance(value, int) and not isinstance(value, bool):
        return Decimal(value)
    if isinstance(value, float):
        raise TypeError(
            f"{name} is a float, which may be rounded: write it as text, such as "
            f"{str(value)!r}"
        )
    raise TypeError(
        f"{name} is a text, an int or a Decimal, not {type(value).__name__}"
    )


def _texts_of(operands: Sequence[Expected] | None) -> tuple[str, ...]:
    if isinstance(operands, str):
        raise TypeError("operands is a list of numbers, not a text")
    texts = []
    for operand in operands or ():
        number = _number(operand, "an operand")
        if number is not None:
            texts.append(format(number, "f"))
    return tuple(texts)


# --- places ---------------------------------------------------------------------------


def _goes_on(text: str, found: ExtractedAnswer) -> bool:
    """Whether dots follow the decimals of the number, so that it has more of them than
    are written.
    """
    if not ("..." in text or "…" in text or "dots" in text) or not _DOTS.search(text):
        return False
    place = place_of(text, found)
    if place is None:
        return False
    start, end = place
    return "." in text[start:end] and bool(_DOTS.match(text, end - 1))


def place_of(text: str, found: ExtractedAnswer) -> tuple[int, int] | None:
    """The last place where the number is written in digits of any script, with groups
    or without.
    """
    if found.tolerant is None:
        return None
    spoken, _, at = strip_thoughts(text)
    if found.strict is not None:
        start = at + len(spoken) - len(spoken.lstrip())
        return start, start + len(spoken.strip())
    digits = format(found.tolerant.copy_abs(), "f").replace(".", "").lstrip("0") or "0"
    if len(digits) > _LONGEST_LOCATED:
        return None
    start = at + max(0, len(spoken) - MAX_CHARACTERS)
    end = text[start : at + len(spoken)]
    if not end.isascii():
        end = _OTHER_DIGIT.sub(lambda digit: str(int(digit[0])), end)
    place = None
    for match in re.finditer(rf"(?<!\d){_BETWEEN.join(digits)}(?!\d)", end):
        place = start + match.start(), start + match.end()
    return place
