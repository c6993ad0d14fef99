"""The words of the house that are chosen from: outcomes, reasons, readings, operations."""

from __future__ import annotations

from enum import StrEnum


class Outcome(StrEnum):
    """What one trial came to. All but `UNANSWERED` measure the model."""

    CORRECT = "correct"
    DEVIATE = "deviate"
    NAN = "nan"
    CHEAT = "cheat"
    UNANSWERED = "unanswered"


class NanReason(StrEnum):
    """Why a reply holds no answer."""

    EMPTY = "empty"
    TRUNCATED = "truncated"
    REFUSAL = "refusal"
    FILTERED = "filtered"
    UNREADABLE = "unreadable"
    NO_PROGRAM = "no program"
    SYNTAX_ERROR = "syntax error"
    UNCOMPILABLE = "uncompilable"


class ErrorClass(StrEnum):
    """What is wrong with an answer that deviates: the first of these whose rule holds (docs/errors.md)."""

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


class Reading(StrEnum):
    """How an answer is read: the reply as a bare number, or the final answer that the reply intends."""

    STRICT = "strict"
    TOLERANT = "tolerant"


class SearchEnd(StrEnum):
    """Why a search for the simplest wrong answer has come to its end."""

    SHRUNK = "shrunk"
    BUDGET = "budget"
    NOTHING_FOUND = "nothing found"
    NOT_REPRODUCED = "not reproduced"
    UNANSWERED = "unanswered"


class Symbols(StrEnum):
    """How the operator signs of a prompt are written."""

    ASCII = "ascii"
    UNICODE = "unicode"


class NumberFormat(StrEnum):
    """What stands between the groups of three digits of a prompt's numbers."""

    PLAIN = "plain"
    COMMA = "comma"
    SPACE = "space"


class StoreMode(StrEnum):
    """What the store of replies is for in a run: read and written, only written, neither, or the only source."""

    ON = "on"
    REFRESH = "refresh"
    OFF = "off"
    ONLY = "only"


class Op(StrEnum):
    """An operation of the arithmetic task."""

    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    DIV = "div"


class Dtype(StrEnum):
    """The numbers of a problem: integers, or fixed point with two decimals (called float, after llm_arithmetic)."""

    INT = "int"
    FLOAT = "float"


class Rules(StrEnum):
    """What makes a term right.

    `DEFAULT`: exit status 0 and stdout, whatever stands on stderr. `PAPER`, as in arXiv 2411.04372: stdout and an empty
    stderr, whatever the exit status.
    """

    DEFAULT = "default"
    PAPER = "paper"


class TermStatus(StrEnum):
    """What came of one term at the largest limit.

    `WRONG` is another output, `CRASHED` an exit status other than 0, `KILLED` a signal or a cap, `INCONCLUSIVE` a
    machine too busy to tell: no measurement.
    """

    OK = "ok"
    WRONG = "wrong"
    LATE = "late"
    CRASHED = "crashed"
    KILLED = "killed"
    INCONCLUSIVE = "inconclusive"
