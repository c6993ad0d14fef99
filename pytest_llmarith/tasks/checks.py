"""The problems of a task in a run: made, checked and labelled before the first question
is asked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from inspect import signature
from itertools import islice, zip_longest
from typing import Any

from pytest_llmarith.records import check_plain
from pytest_llmarith.tasks.prompts import checked_prompt, examples_of
from pytest_llmarith.tasks.task import (
    RESERVED,
    Grid,
    InvalidTask,
    Problem,
    Task,
    TaskProblem,
    label_at,
    short_repr,
    shortened,
)
from pytest_llmarith.tasks.values import plain
from pytest_llmarith.types import Prompt, messages_of

# Characters that `-k` can parse and that have no meaning in a shell.
_LABEL = re.compile(r"[A-Za-z0-9_.+-]{1,200}")
_COMPARED = 100
_EXPECTED = "return a Problem(inputs, expected) for every question"


def problems_of(task: Task[Any], seed: int, trials: int) -> list[TaskProblem]:
    """All problems of a task.

    Raises InvalidTask, and the exceptions of the task's functions.

    Those of a user's task are made twice and compared, as every worker of pytest-xdist
    makes its own. Of a bridge, which compares them itself, only the first ones are.
    """
    if task.name in RESERVED:
        return [bound(task, seed, problem) for problem in _made(task, seed, trials)]
    check_functions(task)
    found = _checked(task, seed, trials)
    most = _COMPARED if getattr(task.problems, "is_compared", False) else None
    again = _checked(task, seed, trials, most)
    for one, other in zip_longest(found[:most], again):
        if one != other:
            raise InvalidTask(
                f"task {task.name}: problem {(one or other).label} differs between "
                f"two calls; "
                "draw from random.Random(f'{seed}/{trial}'), which gives the same "
                "numbers in every process"
            )
    if task.shots:
        for problem in found:
            examples_of(problem)
    return found


def check_functions(task: Task[Any]) -> None:
    """Raise InvalidTask if a function of the task takes other arguments, or if a grid
    has no places.
    """
    functions: dict[str, tuple[Any, str]] = {
        "prompt": (task.prompt, "problem"),
        "read": (task.read, "text problem"),
    }
    if task.grader is None:
        functions["grade"] = task.grade, "answer problem"
    if task.grid is not None:
        functions["problem_at"] = task.grid.problem_at, "seed variant depth trial"
        _check_grid(task.name, task.grid)
    elif callable(task.problems):
        functions["problems"] = task.problems, "seed trials"
    for name, (function, arguments) in functions.items():
        names = arguments.split()
        try:
            signature(function).bind(*names)
        except ValueError:  # of a built-in function
            continue
        except TypeError as error:
            raise InvalidTask(
                f"task {task.name}: {name} takes other arguments ({error}); it is "
                f"called as {name}({', '.join(names)})"
            ) from None


def _check_grid(name: str, grid: Grid) -> None:
    depths, variants = grid.depths, grid.variants
    if not are_depths(depths):
        raise InvalidTask(
            f"task {name}: depths of its Grid is {short_repr(depths)}; write a list of "
            f"integers from 0, such as [2, 4, 8]"
        )
    if not _is_list_of(str, variants):
        raise InvalidTask(
            f"task {name}: variants of its Grid is {short_repr(variants)}; write a "
            f"list of names, such as ['rising', 'falling']"
        )


def are_depths(depths: object) -> bool:
    """Whether a grid or a bridge can have these depths."""
    return _is_list_of(int, depths) and min(depths) >= 0  # type: ignore[call-overload]


def is_size(size: object) -> bool:
    """Whether a bridge can make so many problems; None leaves it to the run."""
    return size is None or (type(size) is int and size > 0)


def _is_list_of(kind: type, values: object) -> bool:
    if not isinstance(values, Sequence) or isinstance(values, str):
        return False
    return bool(values) and all(type(value) is kind for value in values)


def bound(task: Task[Any], seed: int, problem: Problem) -> TaskProblem:
    """A problem with its task, and with its prompt in the usual condition.

    Raises InvalidTask, and the exceptions of the task's functions.
    """
    if task.name not in RESERVED:
        _check_is_problem(task, problem)
        return _checked_problem(task, seed, problem, problem.label, problem)
    prompt = checked_prompt(
        task.prompt(problem), f"task {task.name}, problem {problem.label}"
    )
    return _bound(
        task,
        seed,
        problem,
        prompt,
        problem.inputs,
        problem.expected,
        problem.label,
        problem.trial,
    )


def _check_is_problem(task: Task[Any], problem: object) -> None:
    if not isinstance(problem, Problem):
        maker = "problems" if task.grid is None else "problem_at"
        raise InvalidTask(
            f"task {task.name}: {maker} returned {short_repr(problem)}; {_EXPECTED}"
        )


def _checked_problem(
    task: Task[Any], seed: int, problem: Problem, label: str, first: Problem
) -> TaskProblem:
    """A problem of a user's task; `first` is the first one of the same task."""
    where = f"task {task.name}, problem {label}"
    if error := _invalid_part(problem, first, task):
        raise InvalidTask(f"{where}: {error}")
    # Copied before `prompt` is called, as the task may modify the lists that it has
    # passed.
    inputs = _copied(dict(problem.inputs), f"{where}: inputs")
    expected = _copied(problem.expected, f"{where}: expected")
    prompt = checked_prompt(task.prompt(problem), where)
    trial = problem.trial or 0
    return _bound(task, seed, problem, prompt, inputs, expected, label, trial)


def _bound(
    task: Task[Any],
    seed: int,
    problem: Problem,
    prompt: Prompt,
    inputs: Mapping[str, Any],
    expected: Any,
    label: str,
    trial: int | None,
) -> TaskProblem:
    """The problem with these parts in place of its own; `dataclasses.replace` takes
    long for thousands of problems.
    """
    place = 0
    if task.grid is not None and problem.variant is not None:
        place = task.grid.variants.index(problem.variant)
    return TaskProblem(
        inputs=inputs,
        expected=expected,
        label=label,
        variant=problem.variant,
        depth=problem.depth,
        private=problem.private,
        trial=trial,
        question=problem.question,
        tags=problem.tags,
        owner=task,
        seed=seed,
        prompt=prompt,
        variant_place=place,
    )


def _made(task: Task[Any], seed: int, trials: int) -> Iterable[Problem]:
    made: object = task.problems
    if callable(task.problems):
        made = task.problems(seed, trials)
    if not isinstance(made, Iterable):
        raise InvalidTask(
            f"task {task.name}: problems returned {short_repr(made)}; return a list "
            f"of Problem(inputs, expected), or yield them"
        )
    return made


def _checked(
    task: Task[Any], seed: int, trials: int, most: int | None = None
) -> list[TaskProblem]:
    made: dict[str, TaskProblem] = {}
    by_prompt: dict[Prompt, str] = {}
    same_cell = Counter[tuple[str | None, int | None]]()
    first: Problem | None = None
    again: tuple[str, str] | None = None
    for problem in islice(_made(task, seed, trials), most):
        _check_is_problem(task, problem)
        first = first or problem
        cell = problem.variant, problem.depth
        label = problem.label or label_at(*_text_of_cell(cell), same_cell[cell])
        same_cell[cell] += 1
        if problem.label and not _is_label(problem.label):
            raise InvalidTask(
                f"task {task.name}: {short_repr(label)} is not a label; write up to "
                f"200 letters, "
                "digits and _ . + -, such as 'trial_3'"
            )
        if label in made:
            raise InvalidTask(
                f"task {task.name}: two problems have the label {label!r}; make "
                f"labels unique"
            )
        one = _checked_problem(task, seed, problem, label, first)
        made[label] = one
        same = by_prompt.setdefault(one.prompt, label)
        if same != label:
            again = same, label
            # A grid may draw a question again by chance, as the built-in tasks do.
            if task.grid is None or made[same].expected != one.expected:
                raise _same_question(one, again)
    if not made:
        raise InvalidTask(f"task {task.name}: problems returned nothing; {_EXPECTED}")
    if again and 2 * len(by_prompt) <= len(made):
        raise _same_question(made[again[0]], again)
    return list(made.values())


def _same_question(one: TaskProblem, labels: tuple[str, str]) -> InvalidTask:
    """The error for problems with these labels, of which `one` is one."""
    shown = short_repr(messages_of(one.prompt)[-1].content)
    return InvalidTask(
        f"task {one.task}: problems {' and '.join(labels)} have the same question "
        f"({shown}); put into the prompt in what they differ, or make other "
        f"problems: --llm-repeats asks a question several times"
    )


def _is_label(text: object) -> bool:
    return isinstance(text, str) and _LABEL.fullmatch(text) is not None


def _text_of_cell(cell: tuple[object, object]) -> tuple[str | None, int | None]:
    """Variant and depth, without values that are none, which are refused later."""
    variant, depth = cell
    known_variant = variant if isinstance(variant, str) else None
    known_depth = depth if isinstance(depth, int) else None
    return known_variant, known_depth


def _invalid_part(problem: Problem, first: Problem, task: Task[Any]) -> str | None:
    """Why records and templates cannot hold a part of a problem; `first` is of the same
    task.
    """
    if not isinstance(problem.inputs, Mapping):
        return (
            f"inputs is {short_repr(problem.inputs)}; write a dict with the parts "
            f"of the question"
        )
    for name in problem.inputs:
        if not isinstance(name, str) or not name.isidentifier():
            return (
                f"{short_repr(name)} in inputs is not a name; write a name such as "
                f"'word'"
            )
    if problem.inputs.keys() != first.inputs.keys():
        here = ", ".join(sorted(problem.inputs)) or "nothing"
        there = ", ".join(sorted(first.inputs)) or "nothing"
        return (
            f"its inputs are {here}, those of the first one {there}; give all "
            f"problems of a task the same names"
        )
    for name in task.numbers:
        if name not in problem.inputs:
            return f"Task.numbers names {name!r}, which its inputs lack"
    variant, depth = problem.variant, problem.depth
    if variant is not None and not _is_label(variant):
        return f"variant is {short_repr(variant)}; write letters, digits and _ . + -"
    if (variant is None) != (first.variant is None):
        here = "no variant" if variant is None else f"the variant {variant}"
        return (
            f"it has {here}, unlike the first one; give all problems of a task a "
            f"variant, or none"
        )
    is_depth = type(depth) is int and 0 <= depth <= 10**9
    if depth is not None and not is_depth:
        return f"depth is {short_repr(depth)}; write an integer from 0"
    return task.invalid_expected(problem.expected)


def _copied(value: Any, where: str) -> Any:
    """A value as it is written to records. Raises InvalidTask."""
    try:
        copied = plain(value)
        check_plain(copied, "it")
    except (TypeError, ValueError) as error:
        why = shortened(str(error))
        raise InvalidTask(
            f"{where} cannot be written as JSON ({why}); write it as text, or less "
            f"nested"
        ) from None
    return copied
