"""The types of readings and grades."""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """Why a grade or a reading has no answer, or why nothing can be compared."""

    EMPTY = "empty"
    TRUNCATED = "truncated"
    REFUSAL = "refusal"
    UNREADABLE = "unreadable"
    NO_EXPECTED = "expected is no number"


class ErrorClass(StrEnum):
    """The error class of a deviating answer: the first one in this order whose rule
    matches (docs/errors.md).
    """

    ROUNDED = "rounded"
    SIGN = "sign"
    POWER_OF_TEN = "power of ten"
    OPERAND_ECHOED = "operand echoed"
    WRONG_OPERATION = "wrong operation"
    MISALIGNED = "misaligned"
    CARRY = "carry"
    GROUP_OF_THREE = "group of three"
    OTHER_LENGTH = "other length"
    TRANSPOSITION = "transposition"
    ONE_DIGIT = "one digit"
    TAIL = "tail"
    MIDDLE = "middle"
    SCATTERED = "scattered"
    UNRELATED = "unrelated"


class Op(StrEnum):
    """An operation of the arithmetic task."""

    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    DIV = "div"

    @property
    def sign(self) -> str:
        """The sign in ASCII."""
        return {Op.ADD: "+", Op.SUB: "-", Op.MUL: "*", Op.DIV: "/"}[self]


class Dtype(StrEnum):
    """The type of a problem's numbers: integer, or fixed point with two decimals
    ("float", as in llm_arithmetic).
    """

    INT = "int"
    FLOAT = "float"
