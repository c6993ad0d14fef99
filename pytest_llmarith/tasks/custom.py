"""Custom tasks: the public classes `Problem` and `Task`, and the checks of their problems before anything is asked."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any, Generic, TypeVar

from pytest_llmarith.records import check_plain
from pytest_llmarith.types import DEFAULT_CONDITION, Condition, Reading

REPLY_TOKENS = 100  # a guess

_GIVE = "it has to give Problem(label, inputs, expected) for every question"
# What stands in an id as it is: `-k` can parse it, and no shell makes anything else of it.
_LABEL = re.compile(r"[A-Za-z0-9_.+-]{1,200}")
_LONGEST = 80

Answer = TypeVar("Answer")

_RESERVED = frozenset({"arithmetic", "integer_addition", "oeis", "breaking_point"})
_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Problem:
    """One question of a task.

    `label` is its part of pytest ids, such as `trial_3`. `inputs` has the parts of the question by name, which are the
    fields of prompt templates; `expected` is the right answer. Records hold both, so they have to be JSON.
    """

    label: str
    inputs: Mapping[str, Any]
    expected: Any

    def __getitem__(self, name: str) -> Any:
        """A part of the question."""
        return self.inputs[name]


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
        return replace(self, inputs=deepcopy(dict(self.inputs)), expected=deepcopy(self.expected))

    def fields(self) -> dict[str, Any]:
        return {
            "label": self.label,
            "seed": self.seed,
            "trial": self.trial,
            "inputs": plain(dict(self.inputs)),
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
        self.FIELDS = tuple(problem.inputs)

    def prompt(self, problem: CheckedProblem, condition: Condition = DEFAULT_CONDITION) -> str:
        """The question as the task words it."""
        return problem.prompt

    def fields(self, problem: CheckedProblem, condition: Condition) -> Mapping[str, str]:
        """The fields of a template: texts as they are, everything else as JSON."""
        return {
            name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            for name, value in problem.inputs.items()
        }


def problems(task: Task[Any], seed: int, trials: int) -> list[CheckedProblem]:
    """All problems of a task. Raises InvalidTask, and whatever the task's own functions raise.

    They are made twice and compared, as every worker of pytest-xdist makes them anew.
    """
    made = _made(task, seed, trials)
    for one, other in zip_longest(made, _made(task, seed, trials)):
        if one != other:
            raise InvalidTask(
                f"task {task.name}: problem {(one or other).label} comes out differently every time; "
                "draw from random.Random(f'{seed}/{trial}'), which is the same everywhere"
            )
    return made


def _made(task: Task[Any], seed: int, trials: int) -> list[CheckedProblem]:
    made: dict[str, CheckedProblem] = {}
    same_prompt = Counter[str]()
    for problem in task.problems(seed, trials):
        if not isinstance(problem, Problem):
            raise InvalidTask(f"task {task.name}: problems gave {_short(problem)}; {_GIVE}")
        if not isinstance(problem.label, str) or not _LABEL.fullmatch(problem.label):
            raise InvalidTask(
                f"task {task.name}: {_short(problem.label)} is no label; write up to 200 letters, digits and _ . + -, "
                "such as 'trial_3'"
            )
        if problem.label in made:
            raise InvalidTask(f"task {task.name}: two problems have the label {problem.label!r}; give each its own")
        first = next(iter(made.values()), problem)
        if fault := _fault(problem, first):
            raise InvalidTask(f"task {task.name}, problem {problem.label}: {fault}")
        # Copies: the task may change the lists that it has passed.
        inputs, expected = deepcopy(dict(problem.inputs)), deepcopy(problem.expected)
        prompt = task.prompt(problem)
        if not isinstance(prompt, str) or not prompt.strip() or _half_a_pair(prompt):
            raise InvalidTask(
                f"task {task.name}, problem {problem.label}: prompt gave {_short(prompt)}; "
                "it has to give the text of the question"
            )
        made[problem.label] = CheckedProblem(problem.label, inputs, expected, prompt, task, seed, same_prompt[prompt])
        same_prompt[prompt] += 1
    if not made:
        raise InvalidTask(f"task {task.name}: problems gave none; {_GIVE}")
    return list(made.values())


def _fault(problem: Problem, first: Problem) -> str | None:
    """Why the inputs or the answer of a problem cannot stand in records and templates; `first` is of the same task."""
    if not isinstance(problem.inputs, Mapping):
        return f"inputs is {_short(problem.inputs)}; write a dict of what the question is made of"
    for name in problem.inputs:
        if not isinstance(name, str) or not name.isidentifier():
            return f"{_short(name)} in inputs is no name; write one such as 'word'"
    if problem.inputs.keys() != first.inputs.keys():
        here, there = (", ".join(sorted(one.inputs)) or "nothing" for one in (problem, first))
        return f"its inputs are {here}, those of {first.label} {there}; give all problems of a task the same names"
    for name, value in (("inputs", dict(problem.inputs)), ("expected", problem.expected)):
        try:
            check_plain(plain(value), name)
        except (TypeError, ValueError) as error:
            return f"{name} cannot stand in JSON ({_cut(str(error))}); write it as text, or flatter"
    return None


def _half_a_pair(text: str) -> bool:
    return any("\ud800" <= sign <= "\udfff" for sign in text)


def _short(value: object) -> str:
    return _cut(repr(value))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
