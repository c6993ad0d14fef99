"""The interface of every task: `Task`, `Problem`, `Grid`, `Grade`.

They are public (docs/own-task.md). The built-in tasks are values of `BuiltInTask`, and
`TaskProblem` is a problem of a run.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, Generic, Protocol, TypeVar

from pytest_llmarith import records
from pytest_llmarith.figures.contrasts import MEASURES as OF_DIFFERENCES
from pytest_llmarith.figures.count import MEASURES
from pytest_llmarith.figures.estimates import TASKS, Measure, TaskFigures, View
from pytest_llmarith.figures.own_measures import guarded
from pytest_llmarith.records import NUMBER, Reply, check_plain
from pytest_llmarith.tasks.values import recorded_answer
from pytest_llmarith.types import Failure, Outcome, Prompt, Question

Answer = TypeVar("Answer")
# Such as {"role": "user", "content": "What is 1 + 1?"}.
Messages = Sequence[Mapping[str, str]]

NAME = re.compile(r"[a-z][a-z0-9_]{0,59}", re.ASCII)
_NUMBER = re.compile(NUMBER, re.ASCII)
_ROUNDING = 1e-12  # of sums of scores
_MAX_SHOWN = 80
_MOST_SHOTS = 64
LONGEST_LIMIT_S = 3600.0  # of a grader
_SCORES = "return True, False, a score from 0 to 1, or a Grade"


class InvalidTask(ValueError):
    """A task, a template or a mark cannot be used; the message is one line."""


class UnusableInput(InvalidTask):
    """What a user wrote beside the code of a task cannot be used, such as the rows of a
    file; the run ends with exit status 4.
    """

    is_wrong_usage = True  # pytest runs without a task do not import this class


class InvalidGrade(ValueError):
    """A grade is none; the message is one line."""


# --- problems -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Problem:
    """One question of a task.

    `inputs` has the parts of the question by name, which are the fields of prompt
    templates; `expected` is the right answer. Both are written to records and must be
    JSON. `label` is its part of pytest ids; by default it is made of variant, depth and
    trial. `variant` names a series, `depth` orders the difficulty within it. `private`
    is what `read` and `grade` need and no record shows.

    The other fields are for built-in tasks: problems with the same prompt and `trial`
    share one reply; `question` is the question in one line; `tags` are further
    arguments of the mark `cell`.
    """

    inputs: Mapping[str, Any]
    expected: Any
    label: str = ""
    variant: str | None = None
    depth: int | None = None
    private: Any = None
    trial: int | None = field(default=None, kw_only=True)
    question: str | None = field(default=None, kw_only=True)
    tags: Mapping[str, str | int | Sequence[str]] = field(
        default_factory=dict, kw_only=True
    )

    def __getitem__(self, name: str) -> Any:
        """A part of the question."""
        if name not in self.inputs:
            names = ", ".join(self.inputs) or "none"
            raise KeyError(f"{name!r} is no input of the problem; there are: {names}")
        return self.inputs[name]

    def copy(self) -> Problem:
        """A deep copy, as the task's functions may modify their argument.

        The problem is shared by all models and repeats.
        """
        return replace(
            self,
            inputs=deepcopy(dict(self.inputs)),
            expected=deepcopy(self.expected),
            private=deepcopy(self.private),
        )


@dataclass(frozen=True, slots=True)
class Grid:
    """Problems for all variants and depths.

    `problem_at(seed, variant, depth, trial)` makes one of them. Searches and adaptive
    asking make further ones. `--llm-depths` replaces the depths.
    """

    problem_at: Callable[[int, str, int, int], Problem]
    variants: Sequence[str]
    depths: Sequence[int]

    def __call__(self, seed: int, trials: int) -> Iterator[Problem]:
        for variant in self.variants:
            for depth in self.depths:
                for trial in range(trials):
                    yield self.at(seed, variant, depth, trial)

    def at(self, seed: int, variant: str, depth: int, trial: int) -> Problem:
        """One problem, with its place."""
        problem = self.problem_at(seed, variant, depth, trial)
        if not isinstance(problem, Problem):
            return problem  # is refused with the name of the task
        return Problem(
            problem.inputs,
            problem.expected,
            label_at(variant, depth, trial),
            variant or None,
            depth,
            problem.private,
            trial=trial,
            question=problem.question,
            tags=problem.tags,
        )


def label_at(variant: str | None, depth: int | None, trial: int) -> str:
    """The label of a place, such as `int_div-depth_7-trial_3`."""
    label = f"trial_{trial}"
    if depth is not None:
        label = f"depth_{depth}-{label}"
    if variant:
        label = f"{variant}-{label}"
    return label


# --- answers and grades ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Why a reply has no answer."""

    reason: str
    detail: str | None = None

    def __post_init__(self) -> None:
        _check_reason(self.reason)


@dataclass(frozen=True, slots=True)
class Grade:
    """A score from 0 to 1; 1 is `correct`, less is `deviate`.

    `details` are recorded, `scores` are further scores by name, whose means are in the
    tables. `reason` is one line. `outcome` may be `cheat`, `nan` or `unanswered`; the
    last one has no score.
    """

    score: float | None
    details: Mapping[str, Any] | records.Part | None = None
    reason: str | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    outcome: Outcome | None = None

    def __post_init__(self) -> None:
        if self.reason is not None:
            _check_reason(self.reason)
        if self.outcome is not None:
            object.__setattr__(self, "outcome", _outcome(self.outcome))
        if self.score is None and self.outcome is Outcome.UNANSWERED:
            return
        score = _score(self.score)
        object.__setattr__(self, "score", score)
        object.__setattr__(self, "scores", _scores(self.scores))
        is_said = self.outcome in (Outcome.CORRECT, Outcome.DEVIATE)
        if is_said and (score == 1) != (self.outcome is Outcome.CORRECT):
            raise InvalidGrade(
                f"the score {score:g} is not {self.outcome}; leave the outcome out"
            )
        if isinstance(self.details, Mapping):
            try:
                check_plain(dict(self.details), "details")
            except ValueError as error:
                raise InvalidGrade(str(error)) from None

    @classmethod
    def of(cls, returned: object) -> Grade:
        """The grade that a task returned. Raises InvalidGrade."""
        if isinstance(returned, Grade):
            return returned
        if not isinstance(returned, Real):
            raise InvalidGrade(f"returned {short_repr(returned)}; {_SCORES}")
        return cls(_score(returned))


def _check_reason(reason: object) -> None:
    if not isinstance(reason, str):
        raise InvalidGrade(f"its reason is {short_repr(reason)}; write a line of text")


def _outcome(outcome: Any) -> Outcome:
    try:
        return Outcome(outcome)
    except ValueError:
        raise InvalidGrade(
            f"its outcome is {short_repr(outcome)}; write cheat, nan or unanswered"
        ) from None


def _scores(scores: object) -> dict[str, float]:
    if not isinstance(scores, Mapping) or not all(
        isinstance(one, str) for one in scores
    ):
        raise InvalidGrade(
            f"its scores are {short_repr(scores)}; write numbers from 0 to 1 by name"
        )
    return {name: _score(score) for name, score in scores.items()}


def _score(score: object) -> float:
    """The score as a float: 0 or 1 if it is so but for rounding.

    A sum of parts such as 10 * 0.1 may be 0.9999999999999999, or just above 1. Raises
    InvalidGrade.
    """
    if isinstance(score, Real) and math.isfinite(score):
        exact = float(score)
        for end in (0.0, 1.0):
            if abs(exact - end) <= _ROUNDING:
                return end
        if 0 < exact < 1:
            return exact
    raise InvalidGrade(f"{short_repr(score)} is no score; write a number from 0 to 1")


@dataclass(frozen=True, slots=True)
class Tools:
    """What a grader may use: the reply, a function that asks a model, and facts.

    `limit_s` is that of the item's timeout mark. `idle` shows progress while a grader
    waits.
    """

    reply: Reply
    ask: Callable[[Question], Reply | Failure] | None = None
    limit_s: float | None = None
    simulated: bool = False
    worker: str | None = None
    idle: Callable[[], None] = lambda: None


class Grader(Protocol):
    """Grades what needs time, a sandbox or another model.

    `limit_s` becomes the timeout mark of the items; the grader enforces it, and
    pytest-timeout is off. `model` is the name of a model that it asks.
    """

    @property
    def limit_s(self) -> float | None: ...
    @property
    def model(self) -> str | None: ...

    def grade(self, answer: Any, problem: Problem, tools: Tools) -> Grade:
        """Grade an answer, or a `NoAnswer`."""

    def unavailable(self) -> str | None:
        """Why items are skipped before a reply is paid for, or None.

        Raises ValueError if the run is refused instead.
        """

    def about(self, variants: Sequence[str], verbose: bool) -> list[str]:
        """Lines at the start of a run."""


_OF_A_GRADER = ("limit_s", "model", "grade", "unavailable", "about")


# --- tasks ----------------------------------------------------------------------------


def _stripped(text: str, problem: Problem) -> Any:
    return text.strip()


def _is_expected(answer: object, problem: Problem) -> bool:
    """Whether it is the expected answer, or is written to records like it.

    A tuple is written as a list, and a set as a sorted list.
    """
    if recorded_answer(answer) == problem.expected:
        return True
    return bool(answer == problem.expected)


def _expected_text(problem: Problem) -> Sequence[str]:
    return () if problem.expected is None else (str(problem.expected),)


@dataclass(frozen=True, slots=True)
class Task(Generic[Answer]):
    """A task: its problems, the question of each, and how replies are read and graded.

    `problems` is a list, a function of (seed, trials) that returns the same ones for
    the same arguments, or a `Grid`; `prompt(problem)` is the question, a text or
    messages. `read(text, problem)` returns the answer in a reply, or None; by default
    it is the text. `grade(answer, problem)` returns whether it is right, a score from 0
    to 1, or a `Grade`, by default whether it equals `problem.expected`; or it is a
    `Grader`. `numbers` names inputs that --llm-number-format rewrites, `reply_tokens`
    is the length of a short reply. `replies(problem)` is what the fake models reply:
    a right reply, then wrong ones. `measures` are counted of its trials only, and
    `views` are tables of them. Before each question `shots` others are shown with a
    right reply, of the same variant and depth, made by `problems` at another seed.
    """

    name: str
    problems: Callable[[int, int], Iterable[Problem]] | Sequence[Problem]
    prompt: Callable[[Problem], str | Messages]
    read: Callable[[str, Problem], Answer | NoAnswer | None] = _stripped
    grade: Callable[[Answer, Problem], bool | float | Grade] | Grader = _is_expected
    numbers: Sequence[str] = ()
    reply_tokens: int = 100  # a guess
    replies: Callable[[Problem], Sequence[str]] = _expected_text
    measures: Sequence[Measure] = ()
    views: Sequence[View] = ()
    shots: int = field(default=0, kw_only=True)
    # Makes it with other arguments; set by `task_factory`.
    make: Callable[..., Task[Any]] | None = field(
        default=None, compare=False, repr=False, kw_only=True
    )

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not NAME.fullmatch(self.name):
            raise ValueError(
                f"Task: {self.name!r} is not a task name; write small letters, digits "
                f"and _, such as 'reversal'"
            )
        if self.name in RESERVED and not isinstance(self, BuiltInTask):
            raise ValueError(
                f"Task: {self.name!r} is a built-in task; choose another name"
            )
        self._check(callable(self.prompt), "prompt", "a function")
        self._check(callable(self.read), "read", "a function")
        has_grade = callable(self.grade) or self.grader is not None
        self._check(has_grade, "grade", "a function or a grader")
        for part in _OF_A_GRADER:
            if self.grader is not None and not hasattr(self.grader, part):
                raise TypeError(
                    f"Task {self.name}: its grader has no {part!r}; it needs "
                    f"{', '.join(_OF_A_GRADER)}"
                )
        if type(self.shots) is not int or not 0 <= self.shots <= _MOST_SHOTS:
            raise ValueError(
                f"Task {self.name}: shots is {short_repr(self.shots)}; write a number "
                f"up to {_MOST_SHOTS}"
            )
        if self.shots and not callable(self.problems):
            raise ValueError(
                f"Task {self.name}: its problems are a list, and shots are made by a "
                f"function of (seed, trials) or a Grid"
            )
        has_problems = callable(self.problems) or isinstance(self.problems, Sequence)
        self._check(has_problems, "problems", "a list, a function or a Grid")
        are_measures = isinstance(self.measures, Sequence) and all(
            isinstance(one, Measure) for one in self.measures
        )
        self._check(are_measures, "measures", "a list of Measure")
        for one in self.measures:
            if one.key in MEASURES or one.key in OF_DIFFERENCES:
                raise ValueError(
                    f"Task {self.name}: every task has the measure {one.key!r}; choose "
                    f"another key"
                )

        are_views = isinstance(self.views, Sequence) and all(
            isinstance(one, View) for one in self.views
        )
        self._check(are_views, "views", "a list of View")
        for view in self.views:
            self._check_view(view)

    def _check_view(self, view: View) -> None:
        if view.across and len(view.fields) != 1:
            raise ValueError(
                f"Task {self.name}: the view {view.title!r} has a column per depth, "
                f"which is of one field; it has {len(view.fields)}"
            )
        titles = {column.title for column in view.fields}
        for one in view.published:
            if not view.cited:
                raise ValueError(
                    f"Task {self.name}: the view {view.title!r} has published rows and "
                    f"no source; write cited='arXiv ..., table 2'"
                )
            if not view.across and not titles.issuperset(one.cells):
                raise ValueError(
                    f"Task {self.name}: the published row of {one.model!r} has "
                    f"{', '.join(one.cells)}; the view {view.title!r} has the columns "
                    f"{', '.join(sorted(titles))}"
                )
        known = {*MEASURES, *(one.key for one in self.measures)}
        keys = {view.rows} - {"model", "variant", "depth"}
        for column in view.fields:
            try:
                keys.update(key for key, _ in column.figures)
            except ValueError as error:
                raise ValueError(
                    f"Task {self.name}: the field {column.title!r}: {error}"
                ) from None
        for key in sorted(keys - known):
            raise ValueError(
                f"Task {self.name}: the view {view.title!r} names {key!r}, which is no "
                f"measure; there are: {', '.join(sorted(known))}"
            )

    def register(self) -> None:
        """Make its measures known to this process. Raises InvalidTask."""
        for name, other in TASKS.items():
            for one in other.measures if name != self.name else ():
                for mine in self.measures:
                    if mine.key == one.key and mine.described != one.described:
                        raise InvalidTask(
                            f"tasks {self.name} and {name} have measures of the key "
                            f"{one.key!r} with other titles, units or meanings; choose "
                            f"another key"
                        )
        if self.brings:
            own = [guarded(one) for one in self.measures]
            TASKS[self.name] = TaskFigures(measures=own, views=self.views)

    def _check(self, is_right: bool, name: str, wanted: str) -> None:
        if not is_right:
            value = short_repr(getattr(self, name))
            raise TypeError(f"Task {self.name}: {name} is {value}; pass {wanted}")

    @property
    def grid(self) -> Grid | None:
        """Its grid, if its problems are made for a place."""
        return self.problems if isinstance(self.problems, Grid) else None

    @property
    def grader(self) -> Grader | None:
        """Its grader, unless it grades with a function."""
        grade: Any = self.grade
        return grade if callable(getattr(grade, "grade", None)) else None

    @property
    def brings(self) -> bool:
        """Whether its results have more than those of other tasks."""
        return bool(self.measures or self.views)

    @property
    def readings(self) -> Sequence[str]:
        """Names of the answers that `read` returns as a tuple, if it returns several.

        The first is graded.
        """
        return ()

    @property
    def has_thoughts(self) -> bool:
        """Whether `read` gets the whole text, with thoughts in tags."""
        return False

    @property
    def strata(self) -> Callable[[Problem], Mapping[str, int]]:
        """What accuracy is also counted by; made for records, as it takes long."""
        return no_strata

    @property
    def signs(self) -> Sequence[str]:
        """The inputs that --llm-symbols rewrites."""
        return ()

    @property
    def axes(self) -> frozenset[str]:
        """The parts of a condition that change its prompts."""
        changed = {"context", "prompt", "system"}
        if self.numbers:
            changed.add("numbers")
        if self.signs:
            changed.add("symbols")
        return frozenset(changed)

    def invalid_expected(self, expected: Any) -> str | None:
        """Why no answer can be the expected one."""
        if self.read is not _stripped or self.grade is not _is_expected:
            return None
        if isinstance(expected, str) and expected and expected == expected.strip():
            return None
        example = "'5'"
        if isinstance(expected, Real):
            example = repr(str(expected))
        return (
            f"expected is {short_repr(expected)}, and without `read` an answer is the "
            f"text of a reply without white space around it; write a text such as "
            f"expected={example}, pass `read`, or use number_task for numbers"
        )

    def with_depths(self, depths: Sequence[int]) -> Task[Answer]:
        """The task with a grid of these depths."""
        assert self.grid is not None
        return replace(self, problems=replace(self.grid, depths=depths))


Tasks = Mapping[str, Task[Any]]  # by name


def no_strata(problem: Problem) -> Mapping[str, int]:
    """Nothing that accuracy is also counted by."""
    return {}


@dataclass(frozen=True, slots=True)
class BuiltInTask(Task[Answer]):
    """A task with what only the built-in tasks and `number_task` need."""

    readings: Sequence[str] = ()
    has_thoughts: bool = False
    signs: Sequence[str] = ()
    only_axes: frozenset[str] | None = None
    has_numbers: bool = False
    strata: Callable[[Problem], Mapping[str, int]] = no_strata

    def invalid_expected(self, expected: Any) -> str | None:
        if not self.has_numbers or type(expected) is int:
            return None
        if isinstance(expected, str) and _NUMBER.fullmatch(expected):
            return None
        return (
            f"expected is {short_repr(expected)}; write an integer, or decimal text "
            f"such as '2.5'"
        )

    @property
    def axes(self) -> frozenset[str]:
        # `super()` needs the class, which `slots` replaces.
        whole: frozenset[str] = Task.axes.fget(self)  # type: ignore[attr-defined]
        return whole if self.only_axes is None else whole & self.only_axes


ARITHMETIC, ADDITION, OEIS = "arithmetic", "integer_addition", "oeis"
BREAKING_POINT, THRESHOLD = "breaking_point", "threshold"
RESERVED = (ARITHMETIC, ADDITION, OEIS, BREAKING_POINT, THRESHOLD)


# --- problems of a run ----------------------------------------------------------------


class Search(Protocol):
    """Questions of one item that depend on the answers.

    `budget` is the maximum number of them.
    """

    @property
    def budget(self) -> int: ...
    def first(self) -> TaskProblem:
        """The first question."""


@dataclass(frozen=True, slots=True)
class TaskProblem(Problem):
    """A problem of a run: checked, with its task and its prompt without a condition."""

    owner: Task[Any] = field(kw_only=True)
    seed: int = field(kw_only=True)
    prompt: Prompt = field(kw_only=True)
    variant_place: int = field(default=0, kw_only=True)  # in the task
    search: Search | None = field(default=None, kw_only=True)

    def __repr__(self) -> str:
        """What reports of other plugins show, without the expected answer."""
        return f"<{self.task} {self.label}>"

    @property
    def task(self) -> str:
        return self.owner.name

    def coordinates(self) -> dict[str, str | int]:
        """The arguments of the `cell` mark. They are unique within the task."""
        found: dict[str, str | int] = {"label": self.label}
        if self.variant is not None:
            found["variant"] = self.variant
        if self.depth is not None:
            found["depth"] = self.depth
        if self.trial is not None:
            found["trial"] = self.trial
        for name, value in self.tags.items():
            if isinstance(value, str | int):
                found[name] = value
        return found

    @property
    def recorded(self) -> records.RecordedProblem:
        """The problem as a record stores it."""
        return records.RecordedProblem(
            label=self.label,
            seed=self.seed,
            variant=self.variant,
            depth=self.depth,
            trial=self.trial,
            inputs=dict(self.inputs),
            expected=self.expected,
            question=self.question,
            strata=dict(self.owner.strata(self)),
            variant_place=self.variant_place,
        )


def short_repr(value: object) -> str:
    """The value as Python writes it, shortened."""
    return shortened(repr(value))


def shortened(text: str) -> str:
    """The beginning of a text."""
    if len(text) > _MAX_SHOWN:
        text = f"{text[:_MAX_SHOWN]}..."
    return text
