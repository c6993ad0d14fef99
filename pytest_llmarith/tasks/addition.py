"""Task integer addition: the sum of two integers of 2 to 30 digits; the reply must be the bare number."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import ClassVar

from pytest_llmarith import records
from pytest_llmarith.types import DEFAULT_CONDITION, Condition, Reading


class AdditionProblem(records.AdditionProblem):
    """The sum of two integers of 2 to 30 digits; operands and expected answer are decimal text."""

    task: ClassVar[str] = "integer_addition"

    @property
    def recorded(self) -> AdditionProblem:
        return self

    @property
    def label(self) -> str:
        return f"trial_{self.trial}"

    def coordinates(self) -> dict[str, str | int]:
        return {"trial": self.trial}


NAME = AdditionProblem.task
READING = Reading.STRICT
REPLY_TOKENS = 20
FIELDS = ("int1", "int2")
AXES = frozenset({"numbers", "context", "prompt", "system"})  # there is no operator sign
SHORTEST, LONGEST = 2, 30

_PROMPT = (
    "Provide the sum of the two numbers. Don't output anything else. "
    "Only output the sum of the two numbers without anything additional. "
    "Only output the final number, no calculation, no explanation, just the final number without any text.: "
    '"{int1}" "{int2}"'
)


def problem(seed: int, trial: int) -> AdditionProblem:
    """Draw the problem of one trial: two lengths, then the digits; leading zeros are dropped."""
    draw = random.Random(f"{seed}/{NAME}/{trial}")
    int1, int2 = (int("".join(draw.choices("0123456789", k=length))) for length in _lengths(draw))
    return AdditionProblem(seed, trial, str(int1), str(int2), str(int1 + int2))


def problems(seed: int, trials: int) -> Iterator[AdditionProblem]:
    """All problems of the task."""
    return (problem(seed, trial) for trial in range(trials))


def prompt(problem: AdditionProblem, condition: Condition = DEFAULT_CONDITION) -> str:
    """The text of the question."""
    return _PROMPT.format_map(fields(problem, condition))


def fields(problem: AdditionProblem, condition: Condition) -> dict[str, str]:
    """The values of `FIELDS` for a template."""
    return {name: condition.numbers.write(getattr(problem, name)) for name in FIELDS}


def _lengths(draw: random.Random) -> tuple[int, int]:
    return draw.randint(SHORTEST, LONGEST), draw.randint(SHORTEST, LONGEST)
