"""Custom tasks: the public classes `Problem` and `Task`, and the checks of their problems before anything is asked."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from pytest_llmarith.records import check_plain
from pytest_llmarith.values import USUAL, Condition, Reading

REPLY_TOKENS = 100  # a guess

# What stands in an id as it is: `-k` can parse it, and no shell makes anything else of it.
_LABEL = re.compile(r"[A-Za-z0-9_.+-]{1,200}")
_LONGEST = 80

Answer = TypeVar("Answer")

_RESERVED = frozenset({"arithmetic", "integer_addition", "oeis", "breaking_point"})
_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Problem:
    """One question of a task.

    `label` is its part of pytest ids, such as `trial_3`. `given` has the parts of the question by name, which are the
    fields of prompt templates; `expected` is the right answer. Records hold both, so they have to be JSON.
    """

    label: str
    given: Mapping[str, Any]
    expected: Any

    def __getitem__(self, name: str) -> Any:
        """A part of the question."""
        return self.given[name]


def _is_expected(answer: object, problem: Problem) -> bool:
    return bool(answer == problem.expected)


@dataclass(frozen=True, slots=True)
class Task(Generic[Answer]):
    """A task of four functions.

    `problems(seed, trials)` gives the problems, the same ones for the same arguments; `prompt(problem)` gives the text
    of the question. `read(text, problem)` finds the answer in a reply, or None; `grade(answer, problem)` tells whether
    it is right, by default whether it equals `problem.expected`.
    """

    name: str
    problems: Callable[[int, int], Iterable[Problem]]
    prompt: Callable[[Problem], str]
    read: Callable[[str, Problem], Answer | None]
    grade: Callable[[Answer, Problem], bool] = _is_expected

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            raise ValueError(
                f"Task: {self.name!r} is no name of a task; write small letters, digits and _, such as 'reversal'"
            )
        if self.name in _RESERVED:
            raise ValueError(f"Task: {self.name!r} is a task of pytest-llmarith; give yours another name")
        for name in ("problems", "prompt", "read", "grade"):
            if not callable(function := getattr(self, name)):
                raise TypeError(f"Task {self.name}: {name} is {function!r}; it has to be a function")


@dataclass(frozen=True, slots=True)
class CheckedProblem(Problem):
    """A problem that was checked, with its prompt; `trial` counts the problems with the same prompt."""

    prompt: str
    owner: Task[Any] = field(repr=False)
    seed: int
    trial: int

    @property
    def task(self) -> str:
        return self.owner.name

    def coordinates(self) -> dict[str, str | int]:
        return {"label": self.label}

    def copy(self) -> CheckedProblem:
        """A deep copy for the task's functions, which may change it."""
        return replace(self, given=deepcopy(dict(self.given)), expected=deepcopy(self.expected))

    def fields(self) -> dict[str, Any]:
        return {
            "label": self.label,
            "seed": self.seed,
            "trial": self.trial,
            "given": plain(dict(self.given)),
            "expected": plain(self.expected),
        }


def plain(value: Any) -> Any:
    """The value after a round trip through JSON. Raises ValueError or TypeError if it is not JSON."""
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False)
        text.encode()  # refuses half a surrogate pair
    except RecursionError:
        raise ValueError("nested too deep") from None
    return json.loads(text)


class InvalidTask(ValueError):
    """A task whose problems cannot be asked; the message is one line."""


class CustomTask:
    """A custom task with the interface of the built-in ones, made from any of its problems."""

    READING: Reading | None = None
    REPLY_TOKENS = REPLY_TOKENS
    AXES = frozenset({"context", "prompt", "system"})

    def __init__(self, problem: CheckedProblem) -> None:
        self.NAME = problem.task
        self.FIELDS = tuple(problem.given)

    def prompt(self, problem: CheckedProblem, condition: Condition = USUAL) -> str:
        """The question as the task words it."""
        return problem.prompt

    def fields(self, problem: CheckedProblem, condition: Condition) -> Mapping[str, str]:
        """The fields of a template: texts as they are, everything else as JSON."""
        return {name: _text(value) for name, value in problem.given.items()}


def problems(task: Task[Any], seed: int, trials: int) -> list[CheckedProblem]:
    """All problems of a task. Raises InvalidTask, and whatever the task's own functions raise.

    They are made twice and compared, as every worker of pytest-xdist makes them anew.
    """
    made, again = _made(task, seed, trials), _made(task, seed, trials)
    for one, other in zip(made, again, strict=False):
        if one != other:
            raise InvalidTask(
                f"task {task.name}: problem {one.label} comes out differently every time; "
                "draw from random.Random(f'{seed}/{trial}'), which is the same everywhere"
            )
    if len(made) != len(again):
        raise InvalidTask(f"task {task.name}: problems gave {len(made)} problems at first and then {len(again)}")
    return made


def _made(task: Task[Any], seed: int, trials: int) -> list[CheckedProblem]:
    made: dict[str, CheckedProblem] = {}
    put = Counter[str]()
    for problem in task.problems(seed, trials):
        _check(task, problem)
        if problem.label in made:
            raise InvalidTask(f"task {task.name}: two problems have the label {problem.label!r}; give each its own")
        _check_same_names(task, problem, next(iter(made.values()), problem))
        # Copies: the task may change the lists that it has passed.
        given, expected = deepcopy(dict(problem.given)), deepcopy(problem.expected)
        prompt = _prompt(task, problem)
        made[problem.label] = CheckedProblem(problem.label, given, expected, prompt, task, seed, put[prompt])
        put[prompt] += 1
    if not made:
        raise InvalidTask(f"task {task.name}: problems gave none; yield a Problem for every question")
    return list(made.values())


def _check(task: Task[Any], problem: object) -> None:
    if not isinstance(problem, Problem):
        raise InvalidTask(
            f"task {task.name}: problems gave {_short(problem)}; it has to give Problem(label, given, expected)"
        )
    if not isinstance(problem.label, str) or not _LABEL.fullmatch(problem.label):
        raise InvalidTask(
            f"task {task.name}: {_short(problem.label)} is no label; write up to 200 letters, digits and _ . + -, "
            "such as 'trial_3'"
        )
    where = f"task {task.name}, problem {problem.label}"
    if not isinstance(problem.given, Mapping):
        raise InvalidTask(f"{where}: given is {_short(problem.given)}; write a dict of what the question is made of")
    for name in problem.given:
        if not isinstance(name, str) or not name.isidentifier():
            raise InvalidTask(f"{where}: {_short(name)} in given is no name; write one such as 'word'")
    for name, value in (("given", dict(problem.given)), ("expected", problem.expected)):
        try:
            found = plain(value)
        except (TypeError, ValueError) as fault:
            raise InvalidTask(
                f"{where}: {name} is not JSON ({_cut(str(fault))}); write numbers beyond it as text"
            ) from None
        try:
            check_plain(found, name)
        except ValueError:
            raise InvalidTask(f"{where}: what is given or expected is nested too deep; write it flatter") from None


def _check_same_names(task: Task[Any], problem: Problem, first: Problem) -> None:
    """All problems have the same fields for templates."""
    if problem.given.keys() != first.given.keys():
        raise InvalidTask(
            f"task {task.name}: problem {problem.label} is given {_listed(problem)}, problem {first.label} "
            f"{_listed(first)}; give all problems of a task the same names"
        )


def _prompt(task: Task[Any], problem: Problem) -> str:
    prompt = task.prompt(problem)
    where = f"task {task.name}, problem {problem.label}"
    if not isinstance(prompt, str) or not prompt.strip():
        raise InvalidTask(f"{where}: prompt gave {_short(prompt)}; it has to give the text of the question")
    try:
        prompt.encode()
    except UnicodeEncodeError:
        raise InvalidTask(f"{where}: the prompt holds half a surrogate pair, which nothing can send") from None
    return prompt


def _listed(problem: Problem) -> str:
    return ", ".join(sorted(problem.given)) or "nothing"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _short(value: object) -> str:
    return _cut(repr(value))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
