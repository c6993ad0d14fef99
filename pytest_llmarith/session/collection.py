"""Parametrizes functions with a problem mark: one item per model, problem and prompt
config.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import msgspec
import pytest

from pytest_llmarith.session.items import (
    BREAKING_MARK,
    CUSTOM_MARK,
    NO_MODEL,
    TIMEOUT_MARK,
    id_of,
    problem_marks,
    seconds_of,
)
from pytest_llmarith.session.marks import mark_of
from pytest_llmarith.settings import Settings
from pytest_llmarith.tasks.prompts import check_distinct, check_template
from pytest_llmarith.tasks.task import (
    LONGEST_LIMIT_S,
    InvalidTask,
    TaskProblem,
    UnusableInput,
)
from pytest_llmarith.types import Model, PromptConfig

MODEL_FIXTURE = "llm_model"
PROMPT_CONFIG = "llm_prompt_config"
_MARKS_WITH_TASKS = (CUSTOM_MARK, BREAKING_MARK)


def parametrize(metafunc: pytest.Metafunc, settings: Settings) -> None:
    """Parametrize a function with a problem mark."""
    try:
        mark, calls = mark_of(metafunc, settings)
        why_none = None
        if mark.why_none is not None:
            why_none = mark.why_none(calls[0][0], settings)
        if why_none is not None:
            _parametrize_skipped(metafunc, why_none)
            return
        asked = []
        for arguments, prefix, further_marks in calls:
            problems = mark.problems(arguments, settings)
            configs = _configs_of(metafunc, problems, settings)
            marks = [*_limit_marks(metafunc, problems), *further_marks]
            asked.append((prefix, problems, configs, marks))
    except UnusableInput:
        raise
    except (pytest.UsageError, ValueError) as error:
        runs_users_task = problem_marks(metafunc)[0].name in _MARKS_WITH_TASKS
        if runs_users_task and not isinstance(error, InvalidTask):
            raise  # show the traceback
        raise pytest.Collector.CollectError(str(error)) from None
    models: Sequence[Model | None] = [None]
    shared_marks = []
    if MODEL_FIXTURE in metafunc.fixturenames:  # else the user's own `model` replies
        models = settings.models or [None]
        if not settings.models:
            shared_marks.append(pytest.mark.skip(reason=NO_MODEL))
    names = ["problem"]
    parameters = []
    for model, (prefix, problems, configs, marks) in product(models, asked):
        for problem, config in product(problems, configs):
            label, values, item_marks = _item(model, problem, config, prefix)
            names = list(values)
            item_marks += [*marks, *shared_marks]
            parameters.append(
                pytest.param(*values.values(), id=label, marks=item_marks)
            )
    # pytest makes a fixture for each other parameter of each item.
    indirect = [name for name in names if name == MODEL_FIXTURE]
    metafunc.parametrize(names, parameters, indirect=indirect)


def _parametrize_skipped(metafunc: pytest.Metafunc, reason: str) -> None:
    """Make one item, which is skipped."""
    skip = pytest.mark.skip(reason=reason)
    names = ["problem"]
    if MODEL_FIXTURE in metafunc.fixturenames:
        names.insert(0, MODEL_FIXTURE)
    nothing = [None] * len(names)
    metafunc.parametrize(names, [pytest.param(*nothing, id="none", marks=skip)])


def _item(
    model: Model | None,
    problem: TaskProblem,
    config: PromptConfig | None,
    prefix: str,
) -> tuple[str, dict[str, Any], list[pytest.MarkDecorator]]:
    """The id of an item, its fixtures, and as marks its cell and the keywords of its
    sequence.

    The model is None if the user's `model` fixture replies, the prompt config if only
    the default is used.
    """
    label = f"{prefix}{problem.label}"
    fixtures: dict[str, Any] = {"problem": problem}
    coordinates: dict[str, Any] = {**problem.coordinates()}
    if config is not None:
        label += config.label
        fixtures[PROMPT_CONFIG] = config
        coordinates.update(config.coordinates())
    if model is not None:
        label = f"{id_of(model.name)}-{label}"
        fixtures = {MODEL_FIXTURE: model, **fixtures}
        coordinates["model"] = model.name
    marks = [pytest.mark.cell(task=problem.task, **coordinates)]
    for tag, names in problem.tags.items():
        if not isinstance(names, str | int):
            mark = getattr(pytest.mark, f"{problem.task}_{tag}")
            marks += [mark(name=name) for name in names]
    return label, fixtures, marks


def _configs_of(
    metafunc: pytest.Metafunc, problems: Sequence[TaskProblem], settings: Settings
) -> Sequence[PromptConfig | None]:
    """The prompt configs of a task, without axes that do not change its prompts; None
    is the default one.

    Raises InvalidTask if two items would have the same id, as a custom task may label
    its problems like a condition.
    """
    prompt_configs = settings.prompt_configs
    asks = {"ask", "search"}.intersection(metafunc.fixturenames)
    if prompt_configs.are_default or not asks or not problems:
        return [None]
    # A parameter that no function takes: a fixture would cost each item of every run.
    if PROMPT_CONFIG not in metafunc.fixturenames:
        metafunc.fixturenames.append(PROMPT_CONFIG)
    axes = problems[0].owner.axes
    if "prompt" in axes:
        _check_templates(prompt_configs.templates, problems)
    conditions = dict.fromkeys(one.only(axes) for one in prompt_configs.conditions)
    repeats = range(prompt_configs.repeats)
    configs = [PromptConfig(*one) for one in product(conditions, repeats)]
    seen: dict[str, str] = {}
    for problem, config in product(problems, configs):
        label = problem.label + config.label
        first = seen.setdefault(label, problem.label)
        if first != problem.label:
            raise InvalidTask(
                f"task {problem.task}: {label!r} would be the id of problem {first} "
                f"and of problem {problem.label}, in different conditions or repeats; "
                f"give one of them another label"
            )
    return configs


def _check_templates(
    templates: Mapping[str, str], problems: Sequence[TaskProblem]
) -> None:
    """Raises ValueError if a template does not fit the problems."""
    asked = []
    for problem in problems:
        asked.append(problem.search.first() if problem.search else problem)
    for name, template in templates.items():
        check_template(name, template, asked[0])
        check_distinct(name, template, asked)


# --- limits and digests ---------------------------------------------------------------


def _limit_marks(
    metafunc: pytest.Metafunc, problems: Sequence[TaskProblem]
) -> list[pytest.MarkDecorator]:
    """A timeout mark with the grader's limit, unless the function has one.

    Raises InvalidTask.
    """
    grader = problems[0].owner.grader if problems else None
    if grader is None or grader.limit_s is None:
        return []
    mark = metafunc.definition.get_closest_marker(TIMEOUT_MARK)
    if mark is None:
        return [pytest.mark.timeout(grader.limit_s)]
    seconds = seconds_of(mark)
    if not (isinstance(seconds, int | float) and 0 < seconds <= LONGEST_LIMIT_S):
        raise InvalidTask(
            f"{metafunc.definition.nodeid}: @pytest.mark.timeout is no limit; write "
            f"seconds up to {LONGEST_LIMIT_S:g}"
        )
    return []


def digest_of(problems: Iterable[TaskProblem]) -> str:
    """A digest of problems, with what is private of them if that can be written as
    JSON.
    """
    texts = set()
    for one in problems:
        try:
            private = msgspec.to_builtins(one.private)
        except TypeError:
            private = None
        parts = [one.task, one.label, dict(one.inputs), one.expected, private]
        texts.add(json.dumps(parts, sort_keys=True, default=str))
    text = "\n".join(sorted(texts))
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
    return digest[:16]
