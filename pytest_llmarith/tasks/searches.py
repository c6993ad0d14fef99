"""Items that ask several questions of a task, which depend on the answers: breaking
points, and D50.

A search for the breaking point finds the simplest question that a model gets wrong, in
a space of questions: pairs of numbers for arithmetic and addition, depths and trials
for a grid. Adaptive asking chooses depths of a grid, so that few questions measure D50.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Protocol

from pytest_llmarith.tasks import addition, arithmetic
from pytest_llmarith.tasks.checks import bound
from pytest_llmarith.tasks.task import (
    BREAKING_POINT,
    RESERVED,
    THRESHOLD,
    BuiltInTask,
    Grid,
    InvalidTask,
    Task,
    TaskProblem,
)
from pytest_llmarith.types import Dtype

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

# How often a search repeats its final question, which must be answered wrongly each
# time.
CONFIRMATIONS = 3
MOST_DIGITS = 30
_MOST_DEPTH = 1_000
_TRIALS = 4  # bits of the trial of a question at a depth
# Symbols and templates apply to only one of the built-in tasks.
_AXES = frozenset({"numbers", "context", "system"})

Draws = tuple[int, int]


class Space(Protocol):
    """The questions of a search for the breaking point, by two numbers that hypothesis
    draws and shrinks.
    """

    @property
    def simplest(self) -> Draws: ...
    @property
    def sizes(self) -> Sequence[int]:
        """How large the questions are, tried in this order."""

    def points(self, size: int) -> SearchStrategy[Draws]:
        """The questions up to a size."""

    def numbers(self, draws: Draws) -> Draws:
        """What identifies a question; equal numbers make the same one."""

    def question(self, draws: Draws) -> TaskProblem:
        """The question of two draws."""

    def simplicity(self, draws: Draws) -> Any:
        """The sort key of a question."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of numbers: operands or, for a division, quotient and divisor."""

    make: Callable[[int, int], TaskProblem]
    is_division: bool = False

    @property
    def simplest(self) -> Draws:
        return 0, 0

    @property
    def sizes(self) -> Sequence[int]:
        """Digits."""
        return 2, 4, 8, 16, MOST_DIGITS

    def points(self, size: int) -> SearchStrategy[Draws]:
        """Columns of digits, most of them many; removing a column shortens both
        numbers.

        They are drawn as booleans only: hypothesis mixes constants of the loaded
        modules into other draws.
        """
        from hypothesis import strategies as st

        bits = st.tuples(*[st.booleans()] * 4)
        digit = bits.map(lambda bits: str(_number(bits) % 10))
        columns = st.tuples(digit, digit)
        lengths = st.booleans().map(lambda long: size // 2 + 1 if long else 0)
        return lengths.flatmap(
            lambda least: st.lists(columns, min_size=least, max_size=size)
        ).map(_pair)

    def numbers(self, draws: Draws) -> Draws:
        """The two draws with a divisor of 0 replaced by 1."""
        left, right = draws
        return (left, max(1, right)) if self.is_division else draws

    def question(self, draws: Draws) -> TaskProblem:
        return self.make(*self.numbers(draws))

    def simplicity(self, draws: Draws) -> tuple[int, list[tuple[str, str]]]:
        """Digits of the longer draw, then column by column from the left, left digit
        first.
        """
        left, right = (str(draw) if draw else "" for draw in draws)
        width = max(len(left), len(right))
        return width, list(zip_longest(left.rjust(width, "0"), right.rjust(width, "0")))


@dataclass(frozen=True, slots=True)
class Depths:
    """The problems of a variant of a grid: the place of a depth, and a trial."""

    owner: Task[Any]
    grid: Grid
    seed: int
    variant: str

    @property
    def simplest(self) -> Draws:
        return 0, 0

    @property
    def sizes(self) -> Sequence[int]:
        """Depths."""
        return range(1, len(self.grid.depths) + 1)

    def points(self, size: int) -> SearchStrategy[Draws]:
        """Places below a size, most of them large, and trials; drawn as booleans, as
        those of pairs are.
        """
        from hypothesis import strategies as st

        places = st.tuples(*[st.booleans()] * size.bit_length()).map(
            lambda bits: _number(bits) % size
        )
        trials = st.tuples(*[st.booleans()] * _TRIALS).map(_number)
        return st.tuples(places, trials)

    def numbers(self, draws: Draws) -> Draws:
        return draws

    def question(self, draws: Draws) -> TaskProblem:
        place, trial = draws
        depth = sorted(self.grid.depths)[place]
        return bound(
            self.owner, self.seed, self.grid.at(self.seed, self.variant, depth, trial)
        )

    def simplicity(self, draws: Draws) -> Draws:
        return draws


def _number(bits: Sequence[bool]) -> int:
    return sum(bit << place for place, bit in enumerate(reversed(bits)))


def _pair(columns: list[tuple[str, str]]) -> Draws:
    left, right = ("".join(column[side] for column in columns) for side in (0, 1))
    return int(left or "0"), int(right or "0")


# --- searches -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BreakingPoint:
    """A search for the simplest wrong answer."""

    space: Space
    budget: int

    def first(self) -> TaskProblem:
        return self.space.question(self.space.simplest)


@dataclass(frozen=True, slots=True)
class Threshold:
    """Questions of chosen depths, until the interval of D50 is as narrow as wanted."""

    owner: Task[Any]
    grid: Grid
    seed: int
    variant: str
    half_width: float
    budget: int

    @property
    def depths(self) -> Sequence[int]:
        return self.grid.depths

    def first(self) -> TaskProblem:
        """The first trial of the middle depth."""
        return self.question(sorted(self.depths)[len(self.depths) // 2], 0)

    def question(self, depth: int, trial: int) -> TaskProblem:
        """The k-th question at a depth is trial k of the task, so that other runs share
        its reply.
        """
        return bound(
            self.owner, self.seed, self.grid.at(self.seed, self.variant, depth, trial)
        )


def breaking_points(
    seed: int, budget: int, task: Task[Any] | None = None
) -> list[TaskProblem]:
    """A search for each variant of the task, or of arithmetic and one of addition."""
    if task is None:
        spaces = [
            (arithmetic.task(), variant, _pairs(seed, variant))
            for variant in arithmetic.VARIANTS
        ]
        return [
            _search(seed, owner, variant, BreakingPoint(space, budget))
            for owner, variant, space in (
                *spaces,
                (addition.TASK, addition.NAME, _sums(seed)),
            )
        ]
    grid = _grid_of(task, "--llm-breaking-point")
    return [
        _search(
            seed,
            task,
            variant,
            BreakingPoint(Depths(task, grid, seed, variant), budget),
        )
        for variant in grid.variants
    ]


def thresholds(
    task: Task[Any], seed: int, half_width: float, budget: int
) -> list[TaskProblem]:
    """Adaptive asking for each variant of a grid."""
    grid = _grid_of(task, "--llm-adaptive")
    if len(grid.depths) < 2 or max(grid.depths) > _MOST_DEPTH:
        depths = tuple(grid.depths)
        raise InvalidTask(
            f"--llm-adaptive needs two depths or more, up to 1,000, not {depths}"
        )
    return [
        _search(
            seed,
            task,
            variant,
            Threshold(task, grid, seed, variant, half_width, budget),
        )
        for variant in grid.variants
    ]


def _grid_of(task: Task[Any], option: str) -> Grid:
    if task.grid is None:
        raise InvalidTask(
            f"{option}: task {task.name} has no depths to choose from; make its "
            f"problems with a Grid"
        )
    return task.grid


def _search(
    seed: int, owner: Task[Any], variant: str, search: BreakingPoint | Threshold
) -> TaskProblem:
    """The problem of an item that searches; its prompt is the one of its first
    question.
    """
    first = search.first()
    is_threshold = isinstance(search, Threshold)
    task: BuiltInTask[Any] = BuiltInTask(
        name=THRESHOLD if is_threshold else BREAKING_POINT,
        problems=(),
        prompt=owner.prompt,
        numbers=owner.numbers,
        reply_tokens=owner.reply_tokens,
        readings=owner.readings,
        signs=owner.signs,
        only_axes=_AXES if owner.name in RESERVED and not is_threshold else None,
    )
    return TaskProblem(
        inputs={"of": owner.name},
        expected=None,
        label=variant or owner.name,
        variant=variant or owner.name,
        trial=0,
        tags=first.tags,
        owner=task,
        seed=seed,
        prompt=first.prompt,
        search=search,
    )


def _pairs(seed: int, variant: str) -> Pairs:
    owner = arithmetic.task()
    is_float = variant.startswith(Dtype.FLOAT)

    def make(left: int, right: int) -> TaskProblem:
        depth = max(1, len(str(max(left, right))) - (2 if is_float else 0))
        return bound(owner, seed, arithmetic.at_depth(variant, left, right, depth))

    return Pairs(make, is_division=variant.endswith("_div"))


def _sums(seed: int) -> Pairs:
    return Pairs(
        lambda left, right: bound(
            addition.TASK, seed, addition.problem_of(left, right, 0)
        )
    )
