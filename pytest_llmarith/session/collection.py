"""Parametrizes functions with a problem mark: one item per model, problem and prompt
config.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

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
from pytest_llmarith.settings import LONGEST_LIMIT_S, Settings
from pytest_llmarith.tasks.prompts import check_distinct, check_template
from pytest_llmarith.tasks.task import InvalidTask, TaskProblem
from pytest_llmarith.types import Model, PromptConfig

MODEL_FIXTURE = "llm_model"
PROMPT_CONFIG_FIXTURE = "llm_prompt_config"


def parametrize(metafunc: pytest.Metafunc, settings: Settings) -> None:
    """Parametrize a function with a problem mark."""
    try:
        mark, arguments = mark_of(metafunc)
        names = [
            name for name in (MODEL_FIXTURE, "problem") if name in metafunc.fixturenames
        ]
        if reason := mark.why_none(arguments, settings):
            skip = pytest.mark.skip(reason=reason)
            metafunc.parametrize(
                names, [pytest.param(*[None] * len(names), id="none", marks=skip)]
            )
            return
        problems = mark.problems(arguments, settings)
        configs = _configs_of(metafunc, problems, settings)
        graders = [one.owner.grader for one in problems[:1] if one.owner.grader]
        marks = _limit_marks(metafunc, graders[0].limit_s if graders else None)
    except (pytest.UsageError, ValueError) as error:
        if problem_marks(metafunc)[0].name in (
            CUSTOM_MARK,
            BREAKING_MARK,
        ) and not isinstance(error, InvalidTask):
            raise  # raised by the user's task: show the traceback
        raise pytest.Collector.CollectError(str(error)) from None
    models: Sequence[Model | None] = [None]
    if MODEL_FIXTURE in metafunc.fixturenames:  # else the user's own `model` replies
        models = settings.models or [None]
        marks += [] if settings.models else [pytest.mark.skip(reason=NO_MODEL)]
    items = [_Item(*item) for item in product(models, problems, configs)]
    metafunc.parametrize(
        list(items[0].fixtures) if items else ["problem"],
        [
            pytest.param(
                *item.fixtures.values(), id=item.id, marks=[*item.marks, *marks]
            )
            for item in items
        ],
    )


class _Item(NamedTuple):
    """The model is None if the user's `model` fixture replies, the prompt config if
    only the default is used.
    """

    model: Model | None
    problem: TaskProblem
    config: PromptConfig | None

    @property
    def fixtures(self) -> dict[str, Any]:
        values = {
            MODEL_FIXTURE: self.model,
            "problem": self.problem,
            PROMPT_CONFIG_FIXTURE: self.config,
        }
        return {name: value for name, value in values.items() if value is not None}

    @property
    def id(self) -> str:
        model = f"{id_of(self.model.name)}-" if self.model else ""
        return f"{model}{self.problem.label}{self.config.label if self.config else ''}"

    @property
    def marks(self) -> Iterator[pytest.MarkDecorator]:
        """The cell of the item, and the keywords of its sequence."""
        model = {"model": self.model.name} if self.model else {}
        config = self.config.coordinates() if self.config else {}
        yield pytest.mark.cell(
            task=self.problem.task, **self.problem.coordinates(), **config, **model
        )
        for tag, names in self.problem.tags.items():
            if not isinstance(names, str | int):
                for name in names:
                    yield getattr(pytest.mark, f"{self.problem.task}_{tag}")(name=name)


def _configs_of(
    metafunc: pytest.Metafunc, problems: Sequence[TaskProblem], settings: Settings
) -> Sequence[PromptConfig | None]:
    """The prompt configs of a task, without axes that do not change its prompts; None
    is the default one.

    Raises InvalidTask if two items would have the same id, as a custom task may label
    its problems like a condition.
    """
    prompt_configs = settings.prompt_configs
    if (
        prompt_configs.are_default
        or PROMPT_CONFIG_FIXTURE not in metafunc.fixturenames
        or not problems
    ):
        return [None]
    axes = problems[0].owner.axes
    if "prompt" in axes:
        asked = [
            problem.search.first() if problem.search else problem
            for problem in problems
        ]
        for name, template in prompt_configs.templates.items():
            check_template(name, template, asked[0])
            check_distinct(name, template, asked)
    conditions = dict.fromkeys(
        condition.only(axes) for condition in prompt_configs.conditions
    )
    configs = [
        PromptConfig(condition, repeat)
        for condition in conditions
        for repeat in range(prompt_configs.repeats)
    ]
    seen: dict[str, str] = {}
    for problem, config in product(problems, configs):
        label = problem.label + config.label
        first = seen.setdefault(label, problem.label)
        if first != problem.label:
            raise InvalidTask(
                f"task {problem.task}: {label!r} would be the id of problem {first} "
                f"and of problem "
                f"{problem.label}, in different conditions or repeats; give one of "
                f"them another label"
            )
    return configs


# --- limits and digests ---------------------------------------------------------------


def _limit_marks(
    metafunc: pytest.Metafunc, limit_s: float | None
) -> list[pytest.MarkDecorator]:
    """A timeout mark with the grader's limit, unless the function has one.

    Raises InvalidTask.
    """
    if limit_s is None:
        return []
    if mark := metafunc.definition.get_closest_marker(TIMEOUT_MARK):
        seconds = seconds_of(mark)
        if not (isinstance(seconds, int | float) and 0 < seconds <= LONGEST_LIMIT_S):
            raise InvalidTask(
                f"{metafunc.definition.nodeid}: @pytest.mark.timeout is not a valid "
                f"limit of a term; "
                f"write seconds up to {LONGEST_LIMIT_S:g}"
            )
        return []
    return [pytest.mark.timeout(limit_s)]


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
    return hashlib.sha256(
        "\n".join(sorted(texts)).encode(errors="surrogatepass")
    ).hexdigest()[:16]
