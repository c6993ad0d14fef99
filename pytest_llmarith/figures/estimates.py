"""What a figure is: a measure at a place, and the results that have them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from pytest_llmarith.records import Count, Part, Record, Usage
from pytest_llmarith.types import Condition

Value = int | float | str | None


class Figure(NamedTuple):
    """What a measure says of a place.

    `value` is text for a decimal number of any size, and for a word. `n` is how many
    trials, problems or replies it is made of. A measure with several figures at a place
    names them by `by`, what they differ in, and `at`.
    """

    value: Value
    low: float | None = None
    high: float | None = None
    n: int | None = None
    by: str = ""
    at: str = ""
    method: str = ""


class Place(NamedTuple):
    """Where a figure holds; None stands for all."""

    model: str
    task: str | None
    condition: str | None  # its label; empty for the usual one
    variant: str | None = None
    depth: int | None = None


class Estimate(NamedTuple):
    """A row of the long table."""

    measure: str
    place: Place
    figure: Figure


class Trial:
    """A record, and what several counters need of it."""

    def __init__(self, record: Record) -> None:
        self.record = record

    @cached_property
    def problem(self) -> int:
        return problem_of(self.record)

    @cached_property
    def replies(self) -> list[Usage]:
        return self.record.replies


class Counter(Protocol):
    """Sees each trial of a leaf once."""

    def add(self, trial: Trial) -> None: ...


class Leaf(NamedTuple):
    """What was counted of the trials of a variant (empty if there is none) at a
    depth.
    """

    variant: str
    depth: int | None
    counted: Any  # the counter of the measure


@dataclass(frozen=True)
class Measure:
    """A figure that every place has; it is made of the leaves below the place, never of
    other figures.
    """

    key: str
    title: str
    unit: str
    meaning: str
    counter: Callable[[], Counter]  # shared by measures
    figures: Callable[[Sequence[Leaf]], Iterable[Figure]]
    in_cells: bool = True  # whether a single variant at a single depth has it


@dataclass(frozen=True)
class Examples:
    """Trials or texts that a rule chooses, for each variant and for all."""

    key: str
    meaning: str
    counter: Callable[[], Counter]
    chosen: Callable[[Sequence[Leaf]], Sequence[Any]]


class Facts(Part):
    """What is known of a result besides its figures."""

    model: str
    task: str
    condition: Condition | None  # null for the default condition
    date: str | None
    selected: Count | None  # trials that were to be run
    simulated: bool
    # Trials that repeat the question of another one; in no other number.
    duplicates: Count
    readings: list[str]  # those that were graded
    variants: list[str]  # in the order of the task
    depths: list[Count]
    cells: list[tuple[str, Count]]  # variant (empty if there is none) and depth
    searched: bool  # whether outcomes are those of searches, and no shares of questions


class Result:
    """The figures of one model at one task in one condition."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    @property
    def model(self) -> str:
        return self.facts.model

    @property
    def task(self) -> str:
        return self.facts.task

    @property
    def condition(self) -> Condition | None:
        return self.facts.condition

    def all(
        self, key: str, variant: str | None = None, depth: int | None = None
    ) -> Mapping[tuple[str, str], Figure]:
        """All figures of a measure at a place, by `by` and `at`."""
        raise NotImplementedError

    def examples(self, key: str, variant: str | None = None) -> Sequence[Any]:
        raise NotImplementedError

    def get(
        self,
        key: str,
        at: str = "",
        by: str = "",
        variant: str | None = None,
        depth: int | None = None,
    ) -> Figure | None:
        """One figure at a place. If `by` is empty, `at` alone tells it from others."""
        found = self.all(key, variant, depth)
        if by or not at:
            return found.get((by, at))
        for figure in found.values():
            if figure.at == at:
                return figure
        return None

    def value(
        self,
        key: str,
        at: str = "",
        by: str = "",
        variant: str | None = None,
        depth: int | None = None,
    ) -> Any:
        """The value of a figure; None without one."""
        found = self.get(key, at, by, variant, depth)
        return found.value if found else None

    def count(
        self,
        key: str,
        at: str = "",
        by: str = "",
        variant: str | None = None,
        depth: int | None = None,
    ) -> int:
        """The value of a count; 0 without one."""
        found: int = self.value(key, at, by, variant, depth) or 0
        return found

    def places(self) -> Iterator[Place]:
        """The whole, each variant, each depth, each cell."""
        facts = self.facts
        label = facts.condition.label if facts.condition else ""
        whole = Place(facts.model, facts.task, label)
        yield whole
        for variant in facts.variants:
            yield whole._replace(variant=variant)
        for depth in facts.depths:
            yield whole._replace(depth=depth)
        for variant, depth in facts.cells:
            if variant:
                yield whole._replace(variant=variant, depth=depth)

    def estimates(self) -> Iterator[Estimate]:
        """All figures, as rows of the long table."""
        raise NotImplementedError


def problem_of(record: Record) -> int:
    """A hash of the problem.

    Problems of two variants with the same inputs and answer are one.
    """
    problem = record.problem
    text = json.dumps([problem.inputs, problem.expected], sort_keys=True)
    return hash((record.task, text, problem.trial))
