"""Questions of the tasks of numbers and of sequences, as a run asks them."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_llmarith import records
from pytest_llmarith.evaluate import AskedTrial, evaluate
from pytest_llmarith.records import Reply
from pytest_llmarith.tasks import addition, arithmetic
from pytest_llmarith.tasks.checks import bound, problems_of
from pytest_llmarith.tasks.number_tasks import Calculation
from pytest_llmarith.tasks.oeis.cache import Cache
from pytest_llmarith.tasks.oeis.details import IntegerSequence
from pytest_llmarith.tasks.oeis.grader import ProgramRules, Programs
from pytest_llmarith.tasks.oeis.sequences import problem_of, task
from pytest_llmarith.tasks.task import Problem, TaskProblem
from pytest_llmarith.types import Reading


def calculations(seed: int, depths: Iterable[int], trials: int) -> list[TaskProblem]:
    """The problems of arithmetic."""
    return problems_of(arithmetic.task(depths), seed, trials)


def additions(seed: int, trials: int) -> list[TaskProblem]:
    """The problems of integer addition."""
    return problems_of(addition.TASK, seed, trials)


def calculation(
    variant: str, lhs: str, rhs: str, expected: str, depth: int = 2, trial: int = 0
) -> TaskProblem:
    """A problem of arithmetic with these operands."""
    problem = arithmetic.of_operands(variant, lhs, rhs, expected)
    return bound(
        arithmetic.task(), 0, arithmetic.placed(problem, variant, depth, trial)
    )


def sequence(entry: IntegerSequence, set_name: str = "starter") -> TaskProblem:
    """The problem of a sequence."""
    programs = Programs(ProgramRules())
    return bound(
        task([], Cache.__new__(Cache), programs), 0, problem_of(set_name, entry)
    )


def of(problem: Problem) -> Calculation:
    """Operation, type and operands of a problem of numbers."""
    if "int1" in problem.inputs:
        return addition.calculation_of(problem)
    return arithmetic.calculation_of(problem)


def operands(problem: Problem) -> tuple[str, ...]:
    return of(problem).operands


def number_record(
    problem: TaskProblem, trial: AskedTrial, reading: Reading | None, reply: Reply
) -> records.Record:
    return evaluate(problem, trial, reply, reading)
