"""Hypothesis strategies for problems, for the properties that hold for every question
that can be asked.
"""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from pytest_llmarith.tasks import addition, arithmetic
from pytest_llmarith.tasks.task import TaskProblem
from pytest_llmarith.types import Dtype, Op

DEEPEST = 60


def seeds() -> SearchStrategy[int]:
    return st.integers(min_value=0, max_value=2**64)


def depths() -> SearchStrategy[int]:
    """Digits before the decimal point: far beyond the 28 of a default decimal
    context.
    """
    return st.integers(min_value=1, max_value=DEEPEST)


def trial_numbers() -> SearchStrategy[int]:
    return st.integers(min_value=0, max_value=10_000)


def arithmetic_problems(
    dtypes: Iterable[Dtype] = Dtype,
    ops: Iterable[Op] = Op,
    depth: SearchStrategy[int] | None = None,
) -> SearchStrategy[TaskProblem]:
    """Problems of the arithmetic task, of these dtypes, operations and depths."""
    return st.builds(
        arithmetic.problem,
        seed=seeds(),
        dtype=st.sampled_from(tuple(dtypes)),
        op=st.sampled_from(tuple(ops)),
        depth=depths() if depth is None else depth,
        trial=trial_numbers(),
    )


def addition_problems() -> SearchStrategy[TaskProblem]:
    """Problems of the integer addition task."""
    return st.builds(addition.problem, seed=seeds(), trial=trial_numbers())
