"""Tasks of the user's own: their problems, checked before anything is asked, with their prompts."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from pytest_llmarith.records import check_plain
from pytest_llmarith.values import USUAL, Condition, Reading
from pytest_llmarith.values.own import Posed, Problem, Task, plain

REPLY_TOKENS = 100  # nobody knows

# What stands in an id as it is: `-k` can parse it, and no shell makes anything else of it.
_LABEL = re.compile(r"[A-Za-z0-9_.+-]{1,200}")
_LONGEST = 80


class UnfitTask(ValueError):
    """A task whose problems cannot be asked; the message is one line for people."""


class OwnTask:
    """A task of the user's own as the rooms above see one: any of its problems tells what all of them have."""

    READING: Reading | None = None
    REPLY_TOKENS = REPLY_TOKENS
    AXES = frozenset({"context", "prompt", "system"})

    def __init__(self, problem: Posed) -> None:
        self.NAME = problem.task
        self.FIELDS = tuple(problem.given)

    def prompt(self, problem: Posed, condition: Condition = USUAL) -> str:
        """The question as its task puts it, whatever the condition."""
        return problem.prompt

    def fields(self, problem: Posed, condition: Condition) -> Mapping[str, str]:
        """What a template may hold: texts as they are, everything else as JSON."""
        return {name: _text(value) for name, value in problem.given.items()}


def problems(task: Task[Any], seed: int, trials: int) -> list[Posed]:
    """All problems of a task. Raises UnfitTask; what the task's own functions raise is passed on.

    They are made twice: every worker of pytest-xdist makes them anew, and must not ask something else.
    """
    made, again = _made(task, seed, trials), _made(task, seed, trials)
    for one, other in zip(made, again, strict=False):
        if one != other:
            raise UnfitTask(
                f"task {task.name}: problem {one.label} comes out differently every time; "
                "draw from random.Random(f'{seed}/{trial}'), which is the same everywhere"
            )
    if len(made) != len(again):
        raise UnfitTask(f"task {task.name}: problems gave {len(made)} problems at first and then {len(again)}")
    return made


def _made(task: Task[Any], seed: int, trials: int) -> list[Posed]:
    made: dict[str, Posed] = {}
    put = Counter[str]()
    for problem in task.problems(seed, trials):
        _check(task, problem)
        if problem.label in made:
            raise UnfitTask(f"task {task.name}: two problems have the label {problem.label!r}; give each its own")
        _check_same_names(task, problem, next(iter(made.values()), problem))
        # Out of reach of the task, which may go on with lists that it has handed over.
        given, expected = deepcopy(dict(problem.given)), deepcopy(problem.expected)
        prompt = _prompt(task, problem)
        made[problem.label] = Posed(problem.label, given, expected, prompt, task, seed, put[prompt])
        put[prompt] += 1
    if not made:
        raise UnfitTask(f"task {task.name}: problems gave none; yield a Problem for every question")
    return list(made.values())


def _check(task: Task[Any], problem: object) -> None:
    if not isinstance(problem, Problem):
        raise UnfitTask(
            f"task {task.name}: problems gave {_short(problem)}; it has to give Problem(label, given, expected)"
        )
    if not isinstance(problem.label, str) or not _LABEL.fullmatch(problem.label):
        raise UnfitTask(
            f"task {task.name}: {_short(problem.label)} is no label; write up to 200 letters, digits and _ . + -, "
            "such as 'trial_3'"
        )
    where = f"task {task.name}, problem {problem.label}"
    if not isinstance(problem.given, Mapping):
        raise UnfitTask(f"{where}: given is {_short(problem.given)}; write a dict of what the question is made of")
    for name in problem.given:
        if not isinstance(name, str) or not name.isidentifier():
            raise UnfitTask(f"{where}: {_short(name)} in given is no name; write one such as 'word'")
    for name, value in (("given", dict(problem.given)), ("expected", problem.expected)):
        try:
            found = plain(value)
        except (TypeError, ValueError) as fault:
            raise UnfitTask(
                f"{where}: {name} is not JSON ({_cut(str(fault))}); write numbers beyond it as text"
            ) from None
        try:
            check_plain(found, name)
        except ValueError:
            raise UnfitTask(f"{where}: what is given or expected is nested too deep; write it flatter") from None


def _check_same_names(task: Task[Any], problem: Problem, first: Problem) -> None:
    """What a template may hold is the same for all problems."""
    if problem.given.keys() != first.given.keys():
        raise UnfitTask(
            f"task {task.name}: problem {problem.label} is given {_listed(problem)}, problem {first.label} "
            f"{_listed(first)}; give all problems of a task the same names"
        )


def _prompt(task: Task[Any], problem: Problem) -> str:
    prompt = task.prompt(problem)
    where = f"task {task.name}, problem {problem.label}"
    if not isinstance(prompt, str) or not prompt.strip():
        raise UnfitTask(f"{where}: prompt gave {_short(prompt)}; it has to give the text of the question")
    try:
        prompt.encode()
    except UnicodeEncodeError:
        raise UnfitTask(f"{where}: the prompt holds half a surrogate pair, which nothing can send") from None
    return prompt


def _listed(problem: Problem) -> str:
    return ", ".join(sorted(problem.given)) or "nothing"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _short(value: object) -> str:
    return _cut(repr(value))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
