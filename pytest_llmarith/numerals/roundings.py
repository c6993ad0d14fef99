"""Step 7 of the tolerant reading: whether a number only rounds what was given before it."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from pytest_llmarith.numerals.asides import is_count
from pytest_llmarith.numerals.operands import is_operand
from pytest_llmarith.numerals.tokens import Kind, Token

_STARTING = frozenset({None, Kind.STOP, Kind.LINE})  # what stands before a sentence
_REACH = 8  # how many tokens may stand between a number and its rounding


def is_called_rounded(tokens: Sequence[Token], at: int) -> bool:
    """Whether the sentence speaks of rounding, and what it rounds was given before with more digits."""
    speaks, same_sentence = False, True
    for earlier in range(at - 1, max(-1, at - 1 - 2 * _REACH), -1):
        token = tokens[earlier]
        if token.kind is Kind.NUMBER and not is_count(tokens, earlier):
            return speaks and not is_operand(tokens, earlier) and _is_shortened(tokens[at].value, token.value)
        same_sentence = same_sentence and token.kind not in _STARTING
        speaks = speaks or (same_sentence and token.kind in (Kind.APPROX, Kind.UNIT))
    return False


def _is_shortened(rounded: Decimal | None, exact: Decimal | None) -> bool:
    if rounded is None or exact is None or len(rounded.as_tuple().digits) >= len(exact.as_tuple().digits):
        return False
    return _is_close(rounded, exact)


def rounds_its_predecessor(tokens: Sequence[Token], at: int) -> bool:
    """Whether a number close to it, not a part of an expression, was given earlier in the sentence."""
    for earlier in range(at - 1, max(-1, at - 1 - _REACH), -1):
        match tokens[earlier].kind:
            case Kind.STOP:
                return False
            case Kind.NUMBER:
                return not is_operand(tokens, earlier) and _is_close(tokens[at].value, tokens[earlier].value)
    return False


def _is_close(rounded: Decimal | None, exact: Decimal | None) -> bool:
    """Whether two numbers begin alike: same size, same leading digits but for the rounding."""
    if rounded is None or exact is None or rounded.adjusted() - exact.adjusted() not in (-1, 0, 1):
        return False
    few = [number.scaleb(-exact.adjusted()) for number in (rounded.normalize(), exact)]
    return abs(few[0] - few[1]) <= Decimal("0.1") * abs(few[1])
