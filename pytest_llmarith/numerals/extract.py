"""The number that a reply gives. The question's operands may be known, the expected answer never is."""

from __future__ import annotations

import re
from decimal import Decimal

from pytest_llmarith.numerals.exact import decimal_from
from pytest_llmarith.numerals.normalize import plain
from pytest_llmarith.numerals.rank import answer_in
from pytest_llmarith.numerals.tokenize import tokens
from pytest_llmarith.replies import Said, refuses, said
from pytest_llmarith.values import Dtype, NanReason, Readings

# `\d` is every character that `int` takes for a digit; possessive quantifiers keep a failed match linear. They stand on
# single characters only: a possessive group keeps half a repetition in Python before 3.11.5.
_DIGITS = r"\d++(?:_\d++)*"
_BARE = {
    Dtype.INT: re.compile(rf"[+-]?{_DIGITS}"),
    Dtype.FLOAT: re.compile(rf"[+-]?{_DIGITS}(?:\.{_DIGITS})?"),
}
_LONGEST_END = 16_384  # characters: no model gives its answer earlier than that and goes on
_LAST_BOX = re.compile(r"\\boxed\{[^{}\n]{1,400}\}[\s$.*\\\])]*+\Z")


def read(text: str, operands: tuple[str, ...] = (), dtype: Dtype = Dtype.INT) -> Readings:
    """Both readings of a reply: the bare number, and the final answer that it intends."""
    strict = bare_number(text, dtype)
    if strict is not None:
        return Readings(strict, strict)
    bare = bare_number(text, Dtype.FLOAT)  # an integer's answer with decimals: read, and graded as it is
    return Readings(bare, None) if bare is not None else _intended(text, operands, dtype)


def bare_number(text: str, dtype: Dtype) -> Decimal | None:
    """The number that the whole text is, but for white space around it.

    Integers are what `int(text.strip())` takes, without its quadratic time and its limit of 4,300 digits.
    """
    bare = text.strip()
    return decimal_from(bare) if _BARE[dtype].fullmatch(bare) else None


def reason(said: Said, text: str) -> NanReason:
    """Why nothing could be read from `text`, the end of what was said."""
    if refuses(text):
        return NanReason.REFUSAL
    if said.cut:
        return NanReason.TRUNCATED
    return NanReason.UNREADABLE if text.strip() else NanReason.EMPTY


def _intended(text: str, operands: tuple[str, ...], dtype: Dtype) -> Readings:
    speech = said(text)
    end = speech.text.strip()
    if len(end) > _LONGEST_END:
        end = end[-_LONGEST_END:].partition("\n")[2]  # from the next line on: no number is cut
    shown = plain(end, dtype)
    if speech.cut and (box := _LAST_BOX.search(text, max(0, len(text) - 500))):  # the thought ends in the answer
        shown = plain(box[0], dtype)
    answer = answer_in(tokens(shown), tuple(decimal_from(operand).copy_abs() for operand in operands))
    return Readings(answer, None) if answer is not None else Readings(None, None, reason(speech, shown))
