"""Questions with one right answer each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from pytest_llmarith.values.sequences import IntegerSequence
from pytest_llmarith.values.words import Dtype, Op


class Problem(Protocol):
    """A question of a task, and its identity."""

    @property
    def task(self) -> str: ...
    @property
    def trial(self) -> int: ...
    @property
    def label(self) -> str:
        """The problem's part of a pytest id, such as `int_div-depth_7-trial_3`."""

    def coordinates(self) -> dict[str, str | int]:
        """What tells it from the other problems of its task, for marks and tables."""

    def fields(self) -> dict[str, Any]:
        """The problem as it stands in a record: builtins only."""


class NumberProblem(Problem, Protocol):
    """A question whose answer is one number; operands and expected answer are decimal text."""

    @property
    def op(self) -> Op: ...
    @property
    def dtype(self) -> Dtype: ...
    @property
    def operands(self) -> tuple[str, str]: ...
    @property
    def expected(self) -> str: ...


@dataclass(frozen=True, slots=True)
class ArithmeticProblem:
    """`lhs op rhs` on integers or two-decimal fixed point; operands and expected answer are decimal text."""

    task: ClassVar[str] = "arithmetic"
    seed: int
    op: Op
    dtype: Dtype
    depth: int
    trial: int
    lhs: str
    rhs: str
    expected: str

    @property
    def variant(self) -> str:
        return f"{self.dtype}_{self.op}"

    @property
    def operands(self) -> tuple[str, str]:
        return self.lhs, self.rhs

    @property
    def label(self) -> str:
        return f"{self.variant}-depth_{self.depth}-trial_{self.trial}"

    def coordinates(self) -> dict[str, str | int]:
        return {
            "variant": self.variant,
            "op": str(self.op),
            "dtype": str(self.dtype),
            "depth": self.depth,
            "trial": self.trial,
        }

    def fields(self) -> dict[str, Any]:
        return {
            "seed": self.seed,
            **self.coordinates(),
            "lhs": self.lhs,
            "rhs": self.rhs,
            "expected": self.expected,
        }


@dataclass(frozen=True, slots=True)
class AdditionProblem:
    """The sum of two integers of 2 to 30 digits; operands and expected answer are decimal text."""

    task: ClassVar[str] = "integer_addition"
    op: ClassVar[Op] = Op.ADD
    dtype: ClassVar[Dtype] = Dtype.INT
    seed: int
    trial: int
    int1: str
    int2: str
    expected: str

    @property
    def operands(self) -> tuple[str, str]:
        return self.int1, self.int2

    @property
    def label(self) -> str:
        return f"trial_{self.trial}"

    def coordinates(self) -> dict[str, str | int]:
        return {"trial": self.trial}

    def fields(self) -> dict[str, Any]:
        return {
            "seed": self.seed,
            "trial": self.trial,
            "int1": self.int1,
            "int2": self.int2,
            "expected": self.expected,
        }


@dataclass(frozen=True, slots=True)
class OeisProblem:
    """A program for an integer sequence, which is in a set of sequences. There is one trial of each."""

    task: ClassVar[str] = "oeis"
    trial: ClassVar[int] = 0
    set: str
    sequence: IntegerSequence

    @property
    def label(self) -> str:
        return f"{self.set}-{self.sequence.number}"

    def coordinates(self) -> dict[str, str | int]:
        return {"set": self.set, "number": self.sequence.number}

    def fields(self) -> dict[str, Any]:
        return {
            **self.coordinates(),
            "name": self.sequence.name,
            "offset": self.sequence.offset,
            "keywords": list(self.sequence.keywords),
        }


# How often a search asks the question again that it ends with, which has to be wrong each time.
CONFIRMATIONS = 3


@dataclass(frozen=True, slots=True)
class BreakingProblem:
    """A search for the simplest question that a model gets wrong. There is one for each kind of question.

    `of` is the task of its questions, `variant` one of arithmetic's or, for the other task, its name; `budget` is how
    many questions it may ask.
    """

    task: ClassVar[str] = "breaking_point"
    trial: ClassVar[int] = 0
    seed: int
    of: str
    variant: str
    op: Op
    dtype: Dtype
    budget: int

    @property
    def label(self) -> str:
        return self.variant

    def coordinates(self) -> dict[str, str | int]:
        return {"variant": self.variant, "op": str(self.op), "dtype": str(self.dtype)}

    def fields(self) -> dict[str, Any]:
        return {"seed": self.seed, "of": self.of, **self.coordinates(), "budget": self.budget}

    @classmethod
    def of_fields(cls, fields: Mapping[str, Any]) -> BreakingProblem:
        """The search whose `fields` these are."""
        return cls(**{**fields, "op": Op(fields["op"]), "dtype": Dtype(fields["dtype"])})
