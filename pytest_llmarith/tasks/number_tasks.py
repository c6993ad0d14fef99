"""Tasks whose answer is a number: both readings, exact grading, error classes,
carries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import msgspec

from pytest_llmarith import exact
from pytest_llmarith.exact.digits import decimal_from
from pytest_llmarith.figures.estimates import Measure, View
from pytest_llmarith.records import NUMBER, NumberDetails
from pytest_llmarith.tasks.task import (
    BuiltInTask,
    Grade,
    InvalidGrade,
    Messages,
    NoAnswer,
    Problem,
    short_repr,
)
from pytest_llmarith.types import TOLERANCES, Dtype, NanReason, Op, Reading

_NUMBER = re.compile(NUMBER, re.ASCII)
Readings = tuple[str | None, str | None]


class Calculation(NamedTuple):
    """What was asked: an operation of two numbers as decimal text.

    `op` is None if a number is no result of one.
    """

    op: Op | None
    dtype: Dtype
    operands: tuple[str, ...] = ()


def number_task(
    name: str,
    problems: Callable[[int, int], Iterable[Problem]] | Sequence[Problem],
    prompt: Callable[[Problem], str | Messages],
    *,
    calculation: Callable[[Problem], Calculation] | None = None,
    strict: bool = False,
    numbers: Sequence[str] = (),
    signs: Sequence[str] = (),
    reply_tokens: int = 20,
    measures: Sequence[Measure] = (),
    views: Sequence[View] = (),
) -> BuiltInTask[Any]:
    """A task whose answer is a number, the `expected` one of its problems: an integer,
    or decimal text.

    Replies are read in two ways, tolerant and strict; with `strict` a reply has to be
    the bare number. Wrong answers have error classes. `calculation(problem)` is what
    the number is the result of, if it is one of two numbers.
    """

    def of(problem: Problem) -> Calculation:
        if calculation is not None:
            return calculation(problem)
        return Calculation(
            None, Dtype.FLOAT if "." in str(problem.expected) else Dtype.INT
        )

    def read(text: str, problem: Problem) -> Readings | NoAnswer:
        asked = of(problem)
        found = exact.read(text, asked.operands, asked.dtype)
        tolerant = _text(found.tolerant)
        if tolerant is None:
            return NoAnswer(str(found.reason or NanReason.UNREADABLE))
        bare = tolerant if found.strict is found.tolerant else _text(found.strict)
        return (bare, tolerant) if strict else (tolerant, bare)

    def grade(answer: str, problem: Problem) -> Grade:
        asked, expected = of(problem), str(problem.expected)
        if not all(map(_NUMBER.fullmatch, (*asked.operands, expected))):
            raise InvalidGrade(
                f"cannot compare with {short_repr(problem.expected)}; write an "
                f"integer, or decimal text"
            )
        tolerance = TOLERANCES[asked.dtype]
        case = exact.Case.of(
            asked.op,
            asked.dtype,
            asked.operands,
            expected,
            decimal_from(answer),
            tolerance,
        )
        error_class = None
        if not case.is_correct:
            error_class = exact.error_class(case)
        measures = exact.measure(case, error_class)
        details = msgspec.convert(measures, NumberDetails, from_attributes=True)
        return Grade(float(case.is_correct), details)

    order = [Reading.TOLERANT, Reading.STRICT]
    if strict:
        order.reverse()
    return BuiltInTask(
        name=name,
        problems=problems,
        prompt=prompt,
        read=read,
        grade=grade,
        numbers=numbers,
        reply_tokens=reply_tokens,
        measures=measures,
        views=views,
        readings=tuple(map(str, order)),
        has_thoughts=True,
        signs=signs,
        has_numbers=True,
        strata=lambda problem: _strata_of(of(problem)),
    )


def _strata_of(asked: Calculation) -> dict[str, int]:
    """The number of carries of a sum or difference, and the longest chain of them."""
    if asked.op is None:
        return {}
    counted = exact.carries(asked.op, *map(decimal_from, asked.operands))
    if counted is None:
        return {}
    return {
        "carries": counted.number,
        "longest chain of carries": counted.longest_chain,
    }


def _text(number: Decimal | None) -> str | None:
    return None if number is None else format(number, "f")
