"""Step 7 of the tolerant reading: which numbers an operator joins to a neighbour.

It does not know the numbers of the question.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_llmarith.numerals.tokens import Kind, Token, kind_at


def is_operand(tokens: Sequence[Token], at: int) -> bool:
    """Whether an operator joins the number to a neighbour: it is a part of a question or of a step."""
    return tokens[at].is_expression or _joins(tokens, at - 1) or _joins(tokens, at + 1)


def _joins(tokens: Sequence[Token], at: int) -> bool:
    if kind_at(tokens, at) is Kind.LINE:  # the operator may begin or end the next line
        at += 1 if kind_at(tokens, at + 1) is Kind.OPERATOR else -1
    if kind_at(tokens, at) is not Kind.OPERATOR or kind_at(tokens, at + 1) is not Kind.NUMBER:
        return False
    if tokens[at].written_as.lower() == "negative":  # a sign that joins nothing
        return False
    left = kind_at(tokens, at - 1)
    if left is Kind.LINE and tokens[at].written_as != "-":  # a minus that begins a line is a bullet
        left = kind_at(tokens, at - 2)
    return left is Kind.NUMBER
