"""Step 7 of the tolerant reading: the calculation that a sign gives the result of.

It does not know the numbers of the question.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_llmarith.numerals.tokens import Kind, Token, kind_at

_GIVING = frozenset({Kind.EQUALS, Kind.SAYS, Kind.APPROX, Kind.ANSWER})
_OF_AN_EXPRESSION = frozenset({Kind.NUMBER, Kind.OPERATOR})
_TIMES = frozenset({"x", "X"})
_JOINING = _TIMES | {"and", "by", "divided", "multiplied"}  # words between two numbers to calculate with
_REACH = 8  # tokens that the calculation before a sign may have
_BETWEEN = 3  # and tokens between its two numbers
_CHAIN = 64  # and a chain of calculations


def sign_before(tokens: Sequence[Token], at: int) -> int:
    """Where the sign or the word may stand that gives the number as a result, over a line's end."""
    return at - 2 if kind_at(tokens, at - 1) is Kind.LINE else at - 1


def first_of(tokens: Sequence[Token], sign: int) -> int:
    """The first equals sign of the chain that ends with this one: `12 × 34 = 360 + 48 =`."""
    first = sign
    if kind_at(tokens, sign) is not Kind.EQUALS:
        return first
    for at in range(sign - 1, max(0, sign - _CHAIN), -1):
        if not _is_of_a_chain(tokens, at):
            break
        if tokens[at].kind is Kind.EQUALS:
            first = at
    return first


def pair_before(tokens: Sequence[Token], sign: int) -> Sequence[Token]:
    """The two numbers that the sign gives the result of: `12 + 34 =`, `the sum of 12 and 34 is`."""
    last = sign_before(tokens, sign)
    if kind_at(tokens, last) is not Kind.NUMBER or kind_at(tokens, sign) not in (Kind.EQUALS, Kind.SAYS):
        return ()
    first = last - 1
    while first > last - 1 - _BETWEEN and first > 0 and _joins_a_pair(tokens[first]):
        first -= 1
    if kind_at(tokens, first) is not Kind.NUMBER or kind_at(tokens, first - 1) is Kind.OPERATOR or first == last - 1:
        return ()
    return () if tokens[last].followed_by == "|" else (tokens[first], tokens[last])  # an absolute value


def terms_before(tokens: Sequence[Token], sign: int) -> Sequence[Token]:
    """The numbers of the expression that the sign gives the result of."""
    if kind_at(tokens, sign) not in _GIVING:
        return ()
    start = sign
    while start > max(0, sign - _REACH) and tokens[start - 1].kind in _OF_AN_EXPRESSION:
        if tokens[start - 1].kind is kind_at(tokens, start) is Kind.NUMBER:  # the one before ends another sentence
            break
        start -= 1
    return [token for token in tokens[start:sign] if token.kind is Kind.NUMBER]


def _joins_a_pair(token: Token) -> bool:
    return token.kind is Kind.OPERATOR or token.written_as in _JOINING


def _is_of_a_chain(tokens: Sequence[Token], at: int) -> bool:
    """Whether a chain goes on over what stands there; over the end of a line, where a sign begins the next."""
    match tokens[at].kind:
        case Kind.LINE:
            return kind_at(tokens, at + 1) is Kind.EQUALS
        case Kind.NUMBER:
            return kind_at(tokens, at + 1) is not Kind.NUMBER
        case Kind.EQUALS | Kind.OPERATOR:
            return True
    return tokens[at].written_as in _TIMES
