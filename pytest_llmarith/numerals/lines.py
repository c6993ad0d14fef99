"""Step 7 of the tolerant reading: how a number stands in its line. It does not know what the words around it mean."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_llmarith.numerals.tokens import Kind, Token, kind_at

_EXPLAINING = frozenset({Kind.CHECK, Kind.REASON})
_EXPLANATIONS = frozenset(
    {"explanation", "explained", "working", "workings", "work", "steps", "step-by-step", "proof", "reasoning"}
    | {"breakdown", "breaking", "split", "splitting", "how", "long", "column", "columns", "ones"}
)
_ENDING_A_HEADING = frozenset({Kind.LINE, Kind.NUMBER})
_REACH = 8  # tokens of the next line that are looked at


def is_alone(tokens: Sequence[Token], at: int) -> bool:
    after = at + 2 if kind_at(tokens, at + 1) is Kind.STOP else at + 1
    return kind_at(tokens, at - 1) in (None, Kind.LINE) and kind_at(tokens, after) in (None, Kind.LINE)


def is_last(tokens: Sequence[Token], at: int) -> bool:
    return at + 4 > len(tokens) and all(token.kind in (Kind.STOP, Kind.LINE) for token in tokens[at + 1 :])


def is_explained(tokens: Sequence[Token], at: int, by: frozenset[Kind] = _EXPLAINING) -> bool:
    """Whether the number ends the first line, and the next line announces an explanation or a check."""
    start = at + 3 if kind_at(tokens, at + 1) is Kind.STOP else at + 2
    if kind_at(tokens, start - 1) is not Kind.LINE or not _is_in_the_first_line(tokens, at):
        return False
    for token in tokens[start : start + _REACH]:
        if token.kind in by or token.written_as.lower() in _EXPLANATIONS:
            return True
        if token.kind in _ENDING_A_HEADING:
            return False
    return False


def _is_in_the_first_line(tokens: Sequence[Token], at: int) -> bool:
    return at <= _REACH and all(token.kind is not Kind.LINE for token in tokens[1:at])
