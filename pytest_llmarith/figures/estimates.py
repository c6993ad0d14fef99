"""What a figure is: a measure at a place, and the results that have them."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from string import Formatter
from typing import Any, Literal, NamedTuple, Protocol

import msgspec

from pytest_llmarith.records import (
    Count,
    OwnDetails,
    Part,
    Record,
    Reply,
    Usage,
    as_dict,
)
from pytest_llmarith.statistics.intervals import Interval
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


FiguresAt = Mapping[tuple[str, str], Figure]  # by their `by` and `at`


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
    """A record, and what several counters need of it.

    `question` is a hash of inputs and answer: problems of two variants that share them
    are one.
    """

    def __init__(self, record: Record) -> None:
        self.record = record
        self.of_task = figures_of(record.task)
        self.search = record.search
        self.replies: Sequence[Usage] = record.replies
        problem = record.problem
        asked = text_of([problem.inputs, problem.expected])
        self.question = hash((record.task, asked))
        self.problem = hash((self.question, problem.trial))

    @property
    def said(self) -> int | None:
        """A hash of all that the model wrote; None of a search."""
        reply = self.record.reply
        return None if reply is None else hash((reply.text, reply.reasoning))

    @cached_property
    def details(self) -> Any:
        """The details of its grade as its task reads them; None without any."""
        return self.of_task.details_of(self.record)


def text_of(value: object) -> str | bytes:
    """JSON that is equal for equal values."""
    try:
        return msgspec.json.encode(value, order="deterministic")
    except ValueError:  # half of a surrogate pair
        return json.dumps(as_dict(value), sort_keys=True)


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


MakeFigures = Callable[[Sequence[Leaf]], Iterator[Figure]]


class Described(Part):
    """What a measure is.

    `in_table`: whether the table of the measures of a task has it
    """

    title: str
    unit: str
    meaning: str
    in_table: bool = True


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
    in_table: bool = True  # whether the table of the measures of a task has it

    @property
    def described(self) -> Described:
        return Described(self.title, self.unit, self.meaning, self.in_table)


class Field(Part):
    """A column of a task's table.

    `text`: the keys of measures in braces, such as `{mostly}` or `{right} of {run}`;
        with a colon one of several figures, such as `{seconds:median}`
    """

    title: str
    meaning: str
    text: str

    @property
    def figures(self) -> list[tuple[str, str]]:
        """Measures, and what names one of their figures; empty for that of the row.

        Raises ValueError if the text has none.
        """
        found = []
        for _, key, at, _ in Formatter().parse(self.text):
            if key is not None:
                found.append((key, at or ""))
        if not found:
            raise ValueError(f"{self.text!r} names no measure; write '{{mostly}}'")
        return found

    def filled(self, texts: Iterable[str]) -> str:
        """The text with these in place of its figures."""
        rest = iter(texts)
        parts = []
        for before, key, *_ in Formatter().parse(self.text):
            parts += [before, "" if key is None else next(rest)]
        return "".join(parts)


class Published(Part):
    """A row of a table in the literature.

    `cells` are its texts by the titles of columns, or by depth; `row` is the variant,
    or whatever else names a row beside its model.
    """

    model: str
    cells: Mapping[str, str]
    row: str = ""


class View(Part):
    """A table of a task.

    `rows` is `model`, `variant`, `depth`, or the key of a measure with several figures,
    each of which has a row. `across` is `depth` for a column per depth, of the only
    field, and empty for none. `published` are rows of others, shown with the rows that
    they are about; `cited` says where these, or other results, stand.
    """

    title: str
    rows: str
    fields: Sequence[Field]
    across: Literal["", "depth"] = ""
    published: Sequence[Published] = ()
    cited: str = ""


@dataclass(frozen=True)
class Examples:
    """Trials or texts that a rule chooses, for each variant and for all."""

    key: str
    meaning: str
    counter: Callable[[], Counter]
    chosen: Callable[[Sequence[Leaf]], Sequence[Any]]


# --- what tasks bring -----------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class TaskFigures:
    """What a task brings to its results, beside the figures that every task has.

    `measures` are counted of its records only, `views` are tables of them.
    `read_details` makes what its counters use of the details of a grade, and raises
    ValueError if they are none.

    The others are for built-in tasks: `name_of` orders and names problems without a
    depth, `answer_of` is equal for equal answers. `score_unit` is that of the names of
    its scores if they are limits, of which the last one's score is that of the grade;
    `interval_of` makes the interval of a mean score by bootstrap. `circumstances` are
    facts that comparisons show, `other_replies` are those that the grader got.
    """

    measures: Sequence[Measure] = ()
    views: Sequence[View] = ()
    read_details: Callable[[Mapping[str, Any]], Any] | None = None
    name_of: Callable[[Record], str] | None = None
    answer_of: Callable[[Trial], Hashable | None] | None = None
    score_unit: str = ""
    interval_of: Callable[[Sequence[float]], Interval | None] | None = None
    circumstances: Callable[[Trial], Mapping[str, str]] = lambda trial: {}
    other_replies: Callable[[Trial], Sequence[Reply]] = lambda trial: ()

    def details_of(self, record: Record) -> Any:
        """The details of a grade as the task reads them; None without any."""
        details = record.grade and record.grade.details
        if not isinstance(details, OwnDetails):
            return None
        if self.read_details is None:
            return details.values
        return self.read_details(details.values)


_OF_ALL_TASKS = TaskFigures()
TASKS: dict[str, TaskFigures] = {}


def figures_of(task: str) -> TaskFigures:
    """What a task brings, if this process knows the task."""
    return TASKS.get(task, _OF_ALL_TASKS)


# --- results --------------------------------------------------------------------------


class Facts(Part):
    """What is known of a result besides its figures.

    `condition`: null for the default condition
    `selected`: trials that were to be run
    `duplicates`: Trials that repeat the question of another one; in no other number.
    `readings`: those that were graded
    `variants`: in the order of the task
    `cells`: variant (empty if there is none) and depth
    `searched`: whether outcomes are those of searches, and no shares of questions
    `views`: tables that the task brings
    """

    model: str
    task: str
    condition: Condition | None
    date: str | None
    selected: Count | None
    simulated: bool
    duplicates: Count
    readings: list[str]
    variants: list[str]
    depths: list[Count]
    cells: list[tuple[str, Count]]
    searched: bool
    views: Sequence[View] = ()


class Result:
    """The figures of one model at one task in one condition."""

    def __init__(self, facts: Facts, own: Mapping[str, Described]) -> None:
        self.facts = facts
        self.own = own  # measures that the task brings

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
    ) -> FiguresAt:
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
