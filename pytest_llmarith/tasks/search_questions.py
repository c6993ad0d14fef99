"""Items that ask several questions of a task, which depend on the answers.

A search for the breaking point finds the simplest question that a model gets wrong, in
a space of questions: pairs of numbers for arithmetic and addition, depths and trials
for a grid. Adaptive asking chooses depths of a grid, so that few questions measure D50.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pytest_llmarith.tasks import addition, arithmetic
from pytest_llmarith.tasks.checks import bound, check_functions
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

# How often the final question is repeated, which must be answered wrongly each time.
CONFIRMATIONS = 3
MOST_DIGITS = 30
_MOST_DEPTH = 1_000
_TRIALS = 4  # bits of the trial of a question at a depth
# Symbols and templates apply to only one of the built-in tasks.
_AXES = frozenset({"numbers", "context", "system"})

Draws = tuple[int, int]


class Space(Protocol):
    """The questions of a search for the breaking point.

    Each is made of two numbers, which hypothesis draws and shrinks.
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
class PairSpace:
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
        """Columns of digits, most of them many.

        Removing a column shortens both numbers. The columns are drawn as booleans only:
        hypothesis mixes constants of the loaded modules into other draws.
        """
        from hypothesis import strategies as st

        digit = _numbers(4).map(lambda number: str(number % 10))
        columns = st.tuples(digit, digit)

        def lists(is_long: bool) -> SearchStrategy[list[tuple[str, str]]]:
            least = size // 2 + 1 if is_long else 0
            return st.lists(columns, min_size=least, max_size=size)

        return st.booleans().flatmap(lists).map(_pair)

    def numbers(self, draws: Draws) -> Draws:
        """The two draws with a divisor of 0 replaced by 1."""
        left, right = draws
        if self.is_division and right == 0:
            return left, 1
        return draws

    def question(self, draws: Draws) -> TaskProblem:
        return self.make(*self.numbers(draws))

    def simplicity(self, draws: Draws) -> tuple[int, list[tuple[str, str]]]:
        """Digits of the longer draw, then column by column from the left.

        Of a column, the left digit comes first.
        """
        left, right = (str(draw) if draw else "" for draw in draws)
        width = max(len(left), len(right))
        columns = zip(left.rjust(width, "0"), right.rjust(width, "0"), strict=True)
        return width, list(columns)


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
        """Places below a size, most of them large, and trials."""
        from hypothesis import strategies as st

        places = _numbers(size.bit_length()).map(lambda number: number % size)
        return st.tuples(places, _numbers(_TRIALS))

    def numbers(self, draws: Draws) -> Draws:
        return draws

    def question(self, draws: Draws) -> TaskProblem:
        place, trial = draws
        depth = sorted(self.grid.depths)[place]
        problem = self.grid.at(self.seed, self.variant, depth, trial)
        return bound(self.owner, self.seed, problem)

    def simplicity(self, draws: Draws) -> Draws:
        return draws


def _numbers(bits: int) -> SearchStrategy[int]:
    """Numbers of so many bits, drawn as booleans."""
    from hypothesis import strategies as st

    return st.tuples(*(st.booleans() for _ in range(bits))).map(_number)


def _number(bits: Sequence[bool]) -> int:
    number = 0
    for bit in bits:
        number = 2 * number + bit
    return number


def _pair(columns: list[tuple[str, str]]) -> Draws:
    left = "".join(digit for digit, _ in columns)
    right = "".join(digit for _, digit in columns)
    return int(left or "0"), int(right or "0")


# --- searches -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BreakingPointSearch:
    """A search for the simplest wrong answer."""

    space: Space
    budget: int

    def first(self) -> TaskProblem:
        return self.space.question(self.space.simplest)


@dataclass(frozen=True, slots=True)
class ThresholdSearch:
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
        """The question of this trial of the task, whose reply other runs share."""
        problem = self.grid.at(self.seed, self.variant, depth, trial)
        return bound(self.owner, self.seed, problem)


def breaking_points(
    seed: int, budget: int, task: Task[Any] | None = None
) -> list[TaskProblem]:
    """A search for each variant of the task, or of arithmetic and one of addition."""
    spaces = list[tuple[Task[Any], str, Space]]()
    if task is None:
        for variant in arithmetic.VARIANTS:
            spaces.append((arithmetic.task(), variant, _pairs(seed, variant)))
        spaces.append((addition.TASK, addition.NAME, _sums(seed)))
    else:
        grid = _grid_of(task, "--llm-breaking-point")
        for variant in grid.variants:
            spaces.append((task, variant, Depths(task, grid, seed, variant)))
    found = []
    for place, (owner, variant, space) in enumerate(spaces):
        search = BreakingPointSearch(space, budget)
        found.append(_search(seed, owner, variant, place, search))
    return found


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
    found = []
    for place, variant in enumerate(grid.variants):
        search = ThresholdSearch(task, grid, seed, variant, half_width, budget)
        found.append(_search(seed, task, variant, place, search))
    return found


def _grid_of(task: Task[Any], option: str) -> Grid:
    if task.grid is None:
        raise InvalidTask(
            f"{option}: task {task.name} has no depths to choose from; make its "
            f"problems with a Grid"
        )
    if task.name not in RESERVED:
        check_functions(task)
    return task.grid


def _search(
    seed: int,
    owner: Task[Any],
    variant: str,
    place: int,
    search: BreakingPointSearch | ThresholdSearch,
) -> TaskProblem:
    """The problem of an item that searches; `place` is that of the variant.

    Its prompt is the one of its first question.
    """
    first = search.first()
    name = BREAKING_POINT
    only_axes = _AXES if owner.name in RESERVED else None
    if isinstance(search, ThresholdSearch):
        name = THRESHOLD
        only_axes = None
    task: BuiltInTask[Any] = BuiltInTask(
        name=name,
        problems=(),
        prompt=owner.prompt,
        numbers=owner.numbers,
        reply_tokens=owner.reply_tokens,
        readings=owner.readings,
        signs=owner.signs,
        only_axes=only_axes,
    )
    label = variant or owner.name
    return TaskProblem(
        inputs={"of": owner.name},
        expected=None,
        label=label,
        variant=label,
        trial=0,
        tags=first.tags,
        owner=task,
        seed=seed,
        prompt=first.prompt,
        variant_place=place,
        search=search,
    )


def _pairs(seed: int, variant: str) -> PairSpace:
    owner = arithmetic.task()
    decimals = 2 if variant.startswith(Dtype.FLOAT) else 0

    def make(left: int, right: int) -> TaskProblem:
        digits = len(str(max(left, right))) - decimals
        problem = arithmetic.at_depth(variant, left, right, max(1, digits))
        return bound(owner, seed, problem)

    return PairSpace(make, is_division=variant.endswith("_div"))


def _sums(seed: int) -> PairSpace:
    def make(left: int, right: int) -> TaskProblem:
        return bound(addition.TASK, seed, addition.problem_of(left, right, 0))

    return PairSpace(make)
