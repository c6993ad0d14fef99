"""A task of the user's own, and its problems. `Problem` and `Task` are public: what they are and do stays.

It does not know who asks, nor how an outcome is written down.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

Answer = TypeVar("Answer")

_RESERVED = frozenset({"arithmetic", "integer_addition", "oeis", "breaking_point"})
_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Problem:
    """One question of a task.

    `label` is its part of ids, such as `trial_3`. `given` is what the question is made of, by names that templates of
    prompts may hold; `expected` is the right answer. Both stand in records, so they hold what JSON can.
    """

    label: str
    given: Mapping[str, Any]
    expected: Any

    def __getitem__(self, name: str) -> Any:
        """What is given under a name."""
        return self.given[name]


def _is_expected(answer: object, problem: Problem) -> bool:
    return bool(answer == problem.expected)


@dataclass(frozen=True, slots=True)
class Task(Generic[Answer]):
    """A task: which problems there are, how one is put, how its reply is read, and how the answer is graded.

    `problems(seed, trials)` gives the same problems for the same arguments; `prompt(problem)` is the question as a
    model sees it. `read(text, problem)` finds the answer in a reply, None where there is none, and
    `grade(answer, problem)` says whether it is right: unless told otherwise, where it equals what is expected.
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
        for deed in ("problems", "prompt", "read", "grade"):
            if not callable(getattr(self, deed)):
                raise TypeError(f"Task {self.name}: {deed} is {getattr(self, deed)!r}; it has to be a function")


@dataclass(frozen=True, slots=True)
class Posed(Problem):
    """A problem that was checked, with its prompt. `trial` tells problems apart that are put in the same words."""

    prompt: str
    owner: Task[Any] = field(repr=False)
    seed: int
    trial: int

    @property
    def task(self) -> str:
        return self.owner.name

    def coordinates(self) -> dict[str, str | int]:
        return {"label": self.label}

    def copy(self) -> Posed:
        """The same problem for whoever may change it: repeats and conditions share this one, and records hold it."""
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
    """A value as JSON has it: builtins that survive every way. Raises ValueError or TypeError where it has it not."""
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False)
        text.encode()  # half a surrogate pair crosses no channel
    except RecursionError:
        raise ValueError("nested too deep") from None
    return json.loads(text)
