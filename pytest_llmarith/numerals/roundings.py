"""Step 7 of the tolerant reading: whether a number only rounds what was given before it."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from pytest_llmarith.numerals.asides import is_count
from pytest_llmarith.numerals.exact import significant, unit_of
from pytest_llmarith.numerals.operands import is_operand
from pytest_llmarith.numerals.tokens import Kind, Token

_STARTING = frozenset({None, Kind.STOP, Kind.LINE})  # what stands before a sentence
_TENTH, _HALF = Decimal("0.1"), Decimal("0.5")
_REACH = 8  # how many tokens may stand between a number and its rounding


def is_called_rounded(tokens: Sequence[Token], at: int) -> bool:
    """Whether the sentence speaks of rounding, as a magnitude does, and what it rounds was given with more digits."""
    speaks, same_sentence = tokens[at].has_magnitude, True
    for earlier in range(at - 1, max(-1, at - 1 - 2 * _REACH), -1):
        token = tokens[earlier]
        if token.kind is Kind.NUMBER and speaks and _shortens(tokens, at, earlier):
            return True
        same_sentence = same_sentence and token.kind not in _STARTING
        speaks = speaks or (same_sentence and token.kind in (Kind.APPROX, Kind.UNIT))
    return False


def announces_its_successor(tokens: Sequence[Token], at: int) -> bool:
    """Whether words give the size of what stands right behind: `7 million (7,006,652)`, `7 million. So 7,006,652`."""
    if not tokens[at].has_magnitude:
        return False
    behind = range(at + 1, min(len(tokens), at + 1 + _REACH))
    return any(tokens[later].kind is Kind.NUMBER and _shortens(tokens, at, later) for later in behind)


def _shortens(tokens: Sequence[Token], at: int, other: int) -> bool:
    """Whether the number says less precisely what the other one, no part of an expression, says."""
    rounded, exact = tokens[at], tokens[other].value
    if rounded.value is None or exact is None or is_count(tokens, other) or is_operand(tokens, other):
        return False
    is_shorter = len(significant(rounded.value)) < len(exact.as_tuple().digits)
    return (is_shorter and _is_close(rounded, exact)) or (rounded.has_magnitude and exact in rounded.sizes)


def rounds_its_predecessor(tokens: Sequence[Token], at: int) -> bool:
    """Whether a number close to it, not a part of an expression, was given earlier in the sentence."""
    for earlier in range(at - 1, max(-1, at - 1 - _REACH), -1):
        match tokens[earlier].kind:
            case Kind.STOP:
                return False
            case Kind.NUMBER:
                return not is_operand(tokens, earlier) and _is_close(tokens[at], tokens[earlier].value)
    return False


def _is_close(rounded: Token, exact: Decimal | None) -> bool:
    units = 1 if rounded.has_magnitude else _HALF  # "over 1 million" may be 1.9
    return exact is not None and any(_begin_alike(size, exact, units) for size in rounded.sizes)


def _begin_alike(rounded: Decimal, exact: Decimal, units: Decimal | int) -> bool:
    """Whether two numbers have the same size, and the same leading digits but for the rounding, by so many units."""
    if rounded.adjusted() - exact.adjusted() not in (-1, 0, 1):
        return False
    few = [number.scaleb(-exact.adjusted()) for number in (rounded.normalize(), exact)]
    return abs(few[0] - few[1]) <= max(_TENTH * abs(few[1]), units * unit_of(few[0]))
