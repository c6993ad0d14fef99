"""Converts rows of the JSONL of llm_arithmetic to records.

Seed, trial, prompt and latency of a row are null; a cost of 0 is unknown.
"""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Annotated, Any, Literal

from msgspec import Meta

from pytest_llmarith.records import (
    FORMAT,
    NUMBER,
    Moment,
    Part,
    Record,
    Reply,
    as_dict,
    convert,
)
from pytest_llmarith.tasks import arithmetic
from pytest_llmarith.types import DEFAULT_CONDITION, Op, Outcome, Reading

_REQUIRED = {"variant", "operands", "correct", "raw_response", "classification"}
_MARK = '"raw_response"'  # in each row, and hardly ever in a record

_OUTCOMES = {"Correct": Outcome.CORRECT, "Deviate": Outcome.DEVIATE, "NaN": Outcome.NAN}
_TOKENS = ("prompt_tokens", "completion_tokens")

_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?"
_VALUE = re.compile(_NUMBER)
_CALCULATION = re.compile(
    rf"(?<![0-9.])({_NUMBER}) *([-+*×·/÷]) *({_NUMBER})(?![0-9.])"
)
_SIGNS = {"+": Op.ADD, "-": Op.SUB, "/": Op.DIV, "÷": Op.DIV}  # else a product

_Number = int | str  # a float as its text


class ArithmeticRow(Part):
    """An arithmetic trial and the verdict of llm_arithmetic."""

    model: str
    variant: str
    depth: int
    operands: Annotated[list[_Number], Meta(min_length=2, max_length=2)]
    correct: _Number
    raw_response: str | None
    classification: Literal["Correct", "Deviate", "NaN"]
    tokens: dict[str, Any] | None = None
    cost: _Number | None = None
    timestamp: Moment | None = None
    attempts: int | None = None
    failed_to_get_reply: bool | None = None

    @property
    def outcome(self) -> Outcome:
        """The verdict of llm_arithmetic."""
        return _OUTCOMES[self.classification]

    @property
    def is_answered(self) -> bool:
        """Whether there is a reply.

        In older rows without a flag, an empty text with completion tokens is a reply.
        """
        if self.failed_to_get_reply is not None:
            return not self.failed_to_get_reply
        tokens = self.tokens or {}
        return bool(self.raw_response or tokens.get("completion_tokens"))


def values_in(line: str) -> dict[str, Any] | None:
    """The values of the row in a line; None if it is not a row.

    Raises ValueError if it is not JSON.
    """
    if _MARK not in line:
        return None
    try:
        values = json.loads(line, parse_float=str)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if isinstance(values, dict) and values.keys() >= _REQUIRED:
        return values
    return None


def row_in(line: str) -> ArithmeticRow | None:
    """The row in a line; None if it is not a row.

    Raises ValueError if a value is invalid.
    """
    values = values_in(line)
    if values is None:
        return None
    return convert(values, ArithmeticRow)


def record_of(row: ArithmeticRow) -> Record:
    """The record of a row, with the verdict of llm_arithmetic.

    Raises ValueError if a value is invalid.
    """
    lhs, rhs = str(row.operands[0]), str(row.operands[1])
    expected = str(row.correct)
    if row.variant not in arithmetic.VARIANTS:
        raise ValueError(f"variant: {row.variant!r} is no type and operation")
    numbers = [("operands", lhs), ("operands", rhs), ("expected", expected)]
    for name, number in numbers:
        if not re.fullmatch(NUMBER, number, re.ASCII):
            raise ValueError(f"{name}: {number!r} is no number")
    problem = arithmetic.of_operands(row.variant, lhs, rhs, expected)
    record: dict[str, Any] = dict.fromkeys(Record.__struct_fields__)
    record |= {
        "format": FORMAT,
        "task": arithmetic.NAME,
        "model": row.model,
        "simulated": False,
        "problem": {
            "label": f"{row.variant}-depth_{row.depth}",
            "seed": None,
            "variant": row.variant,
            "depth": row.depth,
            "trial": None,
            "inputs": dict(problem.inputs),
            "expected": problem.expected,
            "question": problem.question,
            "strata": arithmetic.TASK.strata(problem),
            "variant_place": arithmetic.VARIANTS.index(row.variant),
        },
        "condition": DEFAULT_CONDITION.fields(),
        "repeat": 0,
        "retries": [],
        "outcome": Outcome.UNANSWERED,
        "reason": "the row holds no reply",
        "reading": Reading.TOLERANT,
        "answers": {},
    }
    if row.is_answered:
        record |= {
            "outcome": row.outcome,
            "reason": None,
            "grade": {"score": float(row.outcome is Outcome.CORRECT)},
            "reply": _reply(row),
        }
    return convert(record, Record)


def _reply(row: ArithmeticRow) -> dict[str, Any]:
    tokens = row.tokens or {}
    if not any(map(tokens.get, _TOKENS)):  # every prompt has tokens: 0 means unknown
        tokens = {}
    reply = Reply(
        text=row.raw_response or "",
        prompt_tokens=tokens.get("prompt_tokens"),
        completion_tokens=tokens.get("completion_tokens"),
        cost_usd=float(row.cost or 0) or None,
        attempts=row.attempts or 1,
        asked_at=row.timestamp,
    )
    return as_dict(reply)


# --- questions of others ------------------------------------------------------------


class OtherQuestionError(ValueError):
    """A question is none that a row can ask."""


def row_asking(asked: str, target: object) -> dict[str, Any]:
    """What a row says of the calculation that a prompt of another tool asks for.

    Of few-shot prompts the last one counts. Raises ValueError, OtherQuestionError if
    its exact result is not the target.
    """
    found = _CALCULATION.findall(asked)
    if not found:
        raise OtherQuestionError(
            "asks for no calculation such as 12 + 34; only these are graded"
        )
    lhs, sign, rhs = found[-1]
    op = _SIGNS.get(sign, Op.MUL)
    correct = str(target).strip().replace(",", "")
    exact = _exact(op, Fraction(lhs), Fraction(rhs))
    if not _VALUE.fullmatch(correct) or Fraction(correct) != exact:
        raise OtherQuestionError(
            f"the target of {lhs} {sign} {rhs} is not its exact result, {exact}"
        )
    # As in a run, the depth of a division is that of its quotient and divisor.
    numbers = (correct if op is Op.DIV else lhs, rhs)
    return {
        "variant": f"{'float' if '.' in lhs + rhs else 'int'}_{op}",
        "depth": max(len(one.lstrip("-").partition(".")[0]) for one in numbers),
        "operands": [lhs, rhs],
        "correct": correct,
    }


def _exact(op: Op, lhs: Fraction, rhs: Fraction) -> Fraction | None:
    match op:
        case Op.ADD:
            return lhs + rhs
        case Op.SUB:
            return lhs - rhs
        case Op.MUL:
            return lhs * rhs
    return lhs / rhs if rhs else None
