"""Reads a reply in two ways, strict and tolerant.

The operands may be used, the expected answer may not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import gcd

from .context import is_several, refuses
from .digits import decimal_from, shifted
from .digits import plain as plain_digits
from .enums import Dtype, Reason
from .normalize import BOLD, BOX, END_OF_BOX, last_lines, plain, rendered
from .rank import answer_at_end, answer_in
from .thoughts import Stripped, strip_thoughts
from .tokenize import tokens

# `\d` is every character that `int` accepts as a digit. Possessive quantifiers keep a
# failed match linear; they are on single characters only, as Python before 3.11.5 has a
# fault in possessive groups.
_DIGITS = r"\d++(?:_\d++)*"
_BARE = {
    Dtype.INT: re.compile(rf"[+-]?{_DIGITS}"),
    Dtype.FLOAT: re.compile(rf"[+-]?{_DIGITS}(?:\.{_DIGITS})?"),
}
# The most usual replies; the rules for all others read them alike, and take twenty
# times as long. A number in bold has not three decimals: the point of 1.234 may group.
_PLAIN = r"-?(?:[1-9]\d{0,2}(?:,\d{3})+|\d+)(?:\.\d+)?"
_IN_BOLD = rf"\*\*(?![^*]*\.\d{{3}}\*)({_PLAIN})\*\*"
_ANNOUNCED = re.compile(
    rf"\s*(?:(?:The[ ])?(?:[Ff]inal[ ])?[Aa]nswer(?:[ ]is|:)[ ](?:({_PLAIN})|{_IN_BOLD})\.?"
    rf"|####[ ]({_PLAIN})|\\boxed\{{({_PLAIN})\}}|{_IN_BOLD}\.?"
    rf"|\d+[ ][-+*/×÷][ ]\d+[ ]=[ ]({_PLAIN})\.?)\s*",
    re.ASCII,
)
_LONGEST_ANNOUNCED = 200  # characters
MAX_CHARACTERS = 16_384  # that are read, at the end of a reply
_LAST_BOX = re.compile(r"\\boxed\{[^{}\n]{1,400}\}[\s$.*\\\])]*+\Z")


@dataclass(frozen=True, slots=True)
class ExtractedAnswer:
    """The answers that both readings found in a reply.

    `reason` says why there is no tolerant answer.
    """

    tolerant: Decimal | None
    strict: Decimal | None
    reason: Reason | None = None


def read(
    text: str, operands: tuple[str, ...] = (), dtype: Dtype = Dtype.INT
) -> ExtractedAnswer:
    """Both readings of a reply:

    `strict` is set if it is a bare number, `tolerant` is its final answer. Thoughts and
    what follows the first turn are not read.
    """
    usual = _usual(text, dtype)
    if usual is not None:
        return usual
    stripped = strip_thoughts(text)
    if len(stripped.text) < len(text) and not stripped.cut:
        usual = _usual(stripped.text, dtype)
    return usual or _tolerant(text, stripped, operands, dtype)


def bare_number(text: str, dtype: Dtype) -> Decimal | None:
    """The number, if the text contains only this number and white space.

    Integers are what `int(text.strip())` accepts, without its quadratic time and its
    limit of 4,300 digits.
    """
    bare = text.strip()
    if not _BARE[dtype].fullmatch(bare):
        return None
    return decimal_from(bare)


def _usual(text: str, dtype: Dtype) -> ExtractedAnswer | None:
    """Both readings of a bare number, and of the most usual forms of others."""
    strict = bare_number(text, dtype)
    if strict is not None:
        return ExtractedAnswer(strict, strict)
    bare = bare_number(text, Dtype.FLOAT)  # decimals in reply to an integer question
    if bare is not None:
        return ExtractedAnswer(bare, None)
    if len(text) < _LONGEST_ANNOUNCED:
        announced = _ANNOUNCED.fullmatch(text)
        if announced:
            digits = announced[announced.lastindex or 0].replace(",", "")
            return ExtractedAnswer(decimal_from(digits), None)
    return None


def reason(reply: Stripped, text: str) -> Reason:
    """Why there is no answer in `text`, the end of a reply."""
    if refuses(text):
        return Reason.REFUSAL
    if reply.cut:
        return Reason.TRUNCATED
    if not text.strip():
        return Reason.EMPTY
    return Reason.UNREADABLE


def _tolerant(
    text: str, stripped: Stripped, operands: tuple[str, ...], dtype: Dtype
) -> ExtractedAnswer:
    end = stripped.text.strip()
    if not end and not stripped.cut:
        return ExtractedAnswer(None, None, Reason.EMPTY)
    if is_several(end):
        return ExtractedAnswer(None, None, Reason.UNREADABLE)
    if len(end) > MAX_CHARACTERS:
        # Starts with a whole line, so that no number is cut.
        _, _, end = end[-MAX_CHARACTERS:].partition("\n")
    if stripped.cut:  # the thought may have the answer
        box = _LAST_BOX.search(text, max(0, len(text) - 500))
        if box:
            end = box[0]
    sizes = tuple(decimal_from(operand).copy_abs() for operand in operands)
    shown, is_number = rendered(end)
    if not is_number:
        lines = last_lines(shown, dtype)
        answer = answer_at_end(tokens(lines), sizes) if lines else None
        if answer is not None:
            return ExtractedAnswer(answer, None)
        shown = plain(shown, operands, dtype)
    answer = answer_in(tokens(shown), sizes)
    if answer is None:
        answer = fraction_in(shown, sizes)
    if answer is None:
        return ExtractedAnswer(None, None, reason(stripped, shown))
    return ExtractedAnswer(answer, None)


# --- fractions ------------------------------------------------------------------------

# At the end, as the whole reply or after what presents an answer.
_FRACTION = re.compile(
    rf"(?:\A\s*|{BOX}|(?<![<>≤≥])=|\bis(?=[ ])|\b(?:answer|result)[ {BOLD}]*:[ {BOLD}\n]*)[ {BOLD}]{{0,3}}"
    r"(?P<sign>-?)[ ]{0,2}(?:(?P<whole>\d{1,18})[ ])?[ ]{0,2}(?P<over>\d{1,18})[ ]?[/÷][ ]?(?P<under>[1-9]\d{0,17})"
    rf"[\s.{BOLD}{END_OF_BOX}]*+\Z",
    re.IGNORECASE,
)
_LONGEST_FRACTION = 100  # characters
_MOST_DECIMALS = 60  # of a fraction: 18 digits can need 59


def fraction_in(text: str, operands: Sequence[Decimal]) -> Decimal | None:
    """The fraction that the text ends with; None if it may repeat a division of the
    question, as one that can be reduced, or equals no decimal number.
    """
    text = text.rstrip()
    found = _FRACTION.search(text, max(0, len(text) - _LONGEST_FRACTION))
    if found is None:
        return None
    whole = int(found["whole"] or 0)
    over, under = int(found["over"]), int(found["under"])
    is_mixed = found["whole"] is not None
    if over in operands and under in operands:
        return None
    if gcd(over, under) != 1 or (is_mixed and over >= under):
        return None
    if 10**_MOST_DECIMALS % under:
        return None
    scaled = Decimal((whole * under + over) * (10**_MOST_DECIMALS // under))
    size = decimal_from(plain_digits(shifted(scaled, -_MOST_DECIMALS)))
    if found["sign"] and size:
        return size.copy_negate()
    return size
