"""Custom tasks: the public classes `Problem` and `Task`, and the checks of their problems before a run."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any, Generic, TypeVar

import msgspec

from pytest_llmarith.records import CustomProblem, check_plain, kind_of
from pytest_llmarith.types import DEFAULT_CONDITION, Condition, Message, Prompt, Reading, messages_of

REPLY_TOKENS = 100  # a guess

_EXPECTED = "return a Problem(label, inputs, expected) for every question"
# Characters that `-k` can parse and that have no meaning in a shell.
_LABEL = re.compile(r"[A-Za-z0-9_.+-]{1,200}")
_MAX_SHOWN = 80

Answer = TypeVar("Answer")

_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Problem:
    """One question of a task.

    `label` is its part of pytest ids, such as `trial_3`. `inputs` has the parts of the question by name, which are the
    fields of prompt templates; `expected` is the right answer. Both are written to records and must be JSON.
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

    `problems(seed, trials)` returns the problems, the same ones for the same arguments; `prompt(problem)` returns the
    text of the question. `read(text, problem)` returns the answer in a reply, or None; `grade(answer, problem)` returns
    whether it is right, by default whether it equals `problem.expected`.
    """

    name: str
    problems: Callable[[int, int], Iterable[Problem]]
    prompt: Callable[[Problem], str | Sequence[Mapping[str, str]]]
    read: Callable[[str, Problem], Answer | None]
    grade: Callable[[Answer, Problem], bool] = _is_expected

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            raise ValueError(
                f"Task: {self.name!r} is not a task name; write small letters, digits and _, such as 'reversal'"
            )
        if kind_of(self.name) != "custom":
            raise ValueError(f"Task: {self.name!r} is a built-in task; choose another name")
        for name in ("problems", "prompt", "read", "grade"):
            if not callable(function := getattr(self, name)):
                raise TypeError(f"Task {self.name}: {name} is {function!r}; pass a function")


@dataclass(frozen=True, slots=True)
class CheckedProblem(Problem):
    """A checked problem with its prompt; `trial` numbers the problems with the same prompt."""

    prompt: Prompt
    owner: Task[Any] = field(repr=False)
    seed: int
    trial: int

    @property
    def task(self) -> str:
        return self.owner.name

    def coordinates(self) -> dict[str, str | int]:
        return {"label": self.label}

    def copy(self) -> CheckedProblem:
        """A deep copy, as the task's functions may modify their argument."""
        return replace(self, inputs=deepcopy(dict(self.inputs)), expected=deepcopy(self.expected))

    @property
    def recorded(self) -> CustomProblem:
        return CustomProblem(self.label, self.seed, self.trial, plain(dict(self.inputs)), plain(self.expected))


def plain(value: Any, default: Callable[[Any], Any] | None = None) -> Any:
    """The value after a round trip through JSON; `default` converts other values, as for `json.dumps`.

    Raises ValueError or TypeError if it is not JSON.
    """
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False, default=default)
        text.encode()  # fails for lone surrogates
    except RecursionError:
        raise ValueError("nested too deep") from None
    return json.loads(text)


class InvalidTask(ValueError):
    """A custom task, a template or a mark cannot be used; the message is one line."""


class CustomTask:
    """A custom task with the interface of the built-in ones; any of its problems describes it."""

    READING: Reading | None = None
    REPLY_TOKENS = REPLY_TOKENS
    AXES = frozenset({"context", "prompt", "system"})

    def __init__(self, problem: CheckedProblem) -> None:
        self.NAME = problem.task
        self.FIELDS = tuple(problem.inputs)

    def prompt(self, problem: CheckedProblem, condition: Condition = DEFAULT_CONDITION) -> Prompt:
        """The question as the task words it."""
        return problem.prompt

    def fields(self, problem: CheckedProblem, condition: Condition) -> Mapping[str, str]:
        """The fields of a template: texts as they are, everything else as JSON."""
        return {
            name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            for name, value in problem.inputs.items()
        }


def problems(task: Task[Any], seed: int, trials: int) -> list[CheckedProblem]:
    """All problems of a task. Raises InvalidTask, and the exceptions of the task's functions.

    They are made twice and compared, as every worker of pytest-xdist makes its own.
    """
    made = _checked_problems(task, seed, trials)
    for one, other in zip_longest(made, _checked_problems(task, seed, trials)):
        if one != other:
            raise InvalidTask(
                f"task {task.name}: problem {(one or other).label} differs between two calls; "
                "draw from random.Random(f'{seed}/{trial}'), which gives the same numbers in every process"
            )
    return made


def _checked_problems(task: Task[Any], seed: int, trials: int) -> list[CheckedProblem]:
    made: dict[str, CheckedProblem] = {}
    same_prompt = Counter[Prompt]()
    for problem in task.problems(seed, trials):
        if not isinstance(problem, Problem):
            raise InvalidTask(f"task {task.name}: problems returned {_short_repr(problem)}; {_EXPECTED}")
        if not isinstance(problem.label, str) or not _LABEL.fullmatch(problem.label):
            raise InvalidTask(
                f"task {task.name}: {_short_repr(problem.label)} is not a label; write up to 200 letters, "
                "digits and _ . + -, such as 'trial_3'"
            )
        if problem.label in made:
            raise InvalidTask(f"task {task.name}: two problems have the label {problem.label!r}; make labels unique")
        first = next(iter(made.values()), problem)
        if error := _invalid_part(problem, first):
            raise InvalidTask(f"task {task.name}, problem {problem.label}: {error}")
        # Copies, as the task may modify the lists that it has passed.
        inputs, expected = deepcopy(dict(problem.inputs)), deepcopy(problem.expected)
        prompt = _checked_prompt(task.prompt(problem), f"task {task.name}, problem {problem.label}")
        made[problem.label] = CheckedProblem(problem.label, inputs, expected, prompt, task, seed, same_prompt[prompt])
        same_prompt[prompt] += 1
    if not made:
        raise InvalidTask(f"task {task.name}: problems returned nothing; {_EXPECTED}")
    return list(made.values())


def _checked_prompt(prompt: object, where: str) -> Prompt:
    """A prompt that can be sent. Raises InvalidTask."""
    advice = "return the text of the question, or messages such as [{'role': 'user', 'content': 'text'}]"
    try:
        said: Prompt = prompt if isinstance(prompt, str) else msgspec.convert(prompt, tuple[Message, ...])
    except msgspec.ValidationError:
        raise InvalidTask(f"{where}: prompt returned {_short_repr(prompt)}; {advice}") from None
    messages = messages_of(said)
    texts = [one.content for one in messages]
    if not messages or not all(map(str.strip, texts)) or any(map(_has_lone_surrogate, texts)):
        raise InvalidTask(f"{where}: prompt returned {_short_repr(prompt)}; {advice}")
    if messages[-1].role != "user" or any(one.role == "system" for one in messages[1:]):
        raise InvalidTask(f"{where}: the first message may be of the system, and the last one has to be of the user")
    return said


def _invalid_part(problem: Problem, first: Problem) -> str | None:
    """Why records and templates cannot hold the inputs or the answer of a problem; `first` is of the same task."""
    if not isinstance(problem.inputs, Mapping):
        return f"inputs is {_short_repr(problem.inputs)}; write a dict with the parts of the question"
    for name in problem.inputs:
        if not isinstance(name, str) or not name.isidentifier():
            return f"{_short_repr(name)} in inputs is not a name; write a name such as 'word'"
    if problem.inputs.keys() != first.inputs.keys():
        here, there = (", ".join(sorted(one.inputs)) or "nothing" for one in (problem, first))
        return f"its inputs are {here}, those of {first.label} {there}; give all problems of a task the same names"
    for name, value in (("inputs", dict(problem.inputs)), ("expected", problem.expected)):
        try:
            check_plain(plain(value), name)
        except (TypeError, ValueError) as error:
            return f"{name} cannot be written as JSON ({_shortened(str(error))}); write it as text, or less nested"
    return None


def _has_lone_surrogate(text: str) -> bool:
    return any("\ud800" <= sign <= "\udfff" for sign in text)


def _short_repr(value: object) -> str:
    return _shortened(repr(value))


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}..."
