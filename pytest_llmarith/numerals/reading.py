"""Reading: what number a reply gives. It may know the operands, never the expected answer.

The tolerant reading is a line of small steps, each in its module: thoughts, glyphs, latex, markdown, tokens, written,
calculations, candidates, choice, silence. Each is linear, and all after the first see no more than the end of a long
reply.
"""

from __future__ import annotations

import re

from pytest_llmarith.numerals.candidates import Candidate, Standing
from pytest_llmarith.numerals.choice import Operands, chosen
from pytest_llmarith.numerals.exact import decimal_from
from pytest_llmarith.numerals.glyphs import unified
from pytest_llmarith.numerals.latex import unwrapped
from pytest_llmarith.numerals.lone import closed_up
from pytest_llmarith.numerals.markdown import unmarked
from pytest_llmarith.numerals.silence import reason
from pytest_llmarith.numerals.strict import bare_number
from pytest_llmarith.numerals.tokens import tokens
from pytest_llmarith.replies import refuses, said
from pytest_llmarith.values import Dtype, Readings

_LONGEST_END = 16_384  # characters: no model gives its answer earlier than that and goes on

_OF_A_NUMBER = re.compile(r"[\d.,'_ \u2009{}\\]*+")


def read(text: str, operands: tuple[str, ...] = (), dtype: Dtype = Dtype.INT) -> Readings:
    """Both readings of a reply: the bare number, and the final answer that it intends."""
    strict = bare_number(text, dtype)
    if strict is not None:
        return Readings(strict, strict)
    bare = bare_number(text, Dtype.FLOAT)  # an integer's answer with decimals: read, and graded as it is
    return Readings(bare, None) if bare is not None else _intended(text, operands)


def _intended(text: str, operands: tuple[str, ...]) -> Readings:
    speech = said(text)
    shown = closed_up(unmarked(unwrapped(unified(_end_of(speech.text)))))
    answer = chosen(tokens(shown), _values(operands))
    if answer is None or answer.value is None or _is_beside_a_refusal(answer, shown):
        return Readings(None, None, reason(speech, shown))
    return Readings(answer.value, None)


def _end_of(text: str) -> str:
    """The end of a long text; a number that its edge would cut is left out, not cut."""
    if len(text) <= _LONGEST_END:
        return text
    cut = _OF_A_NUMBER.match(text, len(text) - _LONGEST_END)
    return text[cut.end() :] if cut else text


def _values(operands: tuple[str, ...]) -> Operands:
    return tuple(decimal_from(operand).copy_abs() for operand in operands)


def _is_beside_a_refusal(answer: Candidate, shown: str) -> bool:
    """A number that is only mentioned where the reply says that it cannot compute is no answer."""
    return answer.standing <= Standing.MENTIONED and refuses(shown)
