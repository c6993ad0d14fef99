"""Task integer addition: the sum of two integers of 2 to 30 digits.

The reply must be the bare number. The task has no grid: the length of a sum is drawn,
and not chosen.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from pytest_llmarith.tasks.checks import bound
from pytest_llmarith.tasks.number_tasks import Calculation, number_task
from pytest_llmarith.tasks.task import ADDITION, Problem, TaskProblem, label_at
from pytest_llmarith.types import Dtype, Op

NAME = ADDITION
SHORTEST, LONGEST = 2, 30

_PROMPT = (
    "Provide the sum of the two numbers. Don't output anything else. Only output the "
    "sum of the two numbers without anything additional. Only output the final "
    "number, no calculation, no explanation, just the final number without any "
    'text.: "{int1}" "{int2}"'
)


def problem_of(int1: int, int2: int, trial: int) -> Problem:
    """The sum of two numbers. Its depth is the number of digits of the longer one."""
    operands = str(int1), str(int2)
    return Problem(
        inputs={"int1": operands[0], "int2": operands[1]},
        expected=str(int1 + int2),
        label=label_at(None, None, trial),
        depth=max(len(operands[0]), len(operands[1])),
        trial=trial,
        question=" + ".join(operands),
    )


def problems(seed: int, trials: int) -> Iterator[Problem]:
    """All problems of the task."""
    return (_drawn(seed, trial) for trial in range(trials))


def problem(seed: int, trial: int) -> TaskProblem:
    """One trial of the task."""
    return bound(TASK, seed, _drawn(seed, trial))


def _drawn(seed: int, trial: int) -> Problem:
    """Draw two lengths, then the digits; leading zeros are dropped."""
    draw = random.Random(f"{seed}/{NAME}/{trial}")
    lengths = [draw.randint(SHORTEST, LONGEST), draw.randint(SHORTEST, LONGEST)]
    digits = ["".join(draw.choices("0123456789", k=length)) for length in lengths]
    return problem_of(int(digits[0]), int(digits[1]), trial)


def prompt(problem: Problem) -> str:
    """The text of the question."""
    return _PROMPT.format_map(problem.inputs)


def calculation_of(problem: Problem) -> Calculation:
    """The sum of both numbers."""
    return Calculation(Op.ADD, Dtype.INT, (problem["int1"], problem["int2"]))


TASK = number_task(
    NAME,
    problems,
    prompt,
    calculation=calculation_of,
    strict=True,
    numbers=("int1", "int2"),
)
