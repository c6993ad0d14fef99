"""Parametrizes functions with a problem mark: one item per model, problem and prompt config."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pytest_llmarith.oeis.cache import STARTER, Cache, checked_sets
from pytest_llmarith.session.items import (
    ADDITION_MARK,
    ARITHMETIC_MARK,
    BREAKING_MARK,
    CUSTOM_MARK,
    KEYWORD_MARK,
    NO_MODEL,
    NO_SEARCH,
    OEIS_MARK,
    TIMEOUT_MARK,
    id_of,
    problem_marks,
)
from pytest_llmarith.settings import LONGEST_LIMIT_S, Settings
from pytest_llmarith.tasks import (
    Problem,
    addition,
    arithmetic,
    breaking_point,
    check_distinct,
    check_template,
    custom,
    oeis,
    task_of,
)
from pytest_llmarith.tasks.custom import CheckedProblem, InvalidTask, Task
from pytest_llmarith.tasks.oeis import OeisProblem
from pytest_llmarith.types import Model, ProgramLimits, PromptConfig

MODEL_FIXTURE = "llm_model"
PROMPT_CONFIG_FIXTURE = "llm_prompt_config"
_CUSTOM_EXAMPLE = "llmarith_task(reversal, trials=10), where reversal is a pytest_llmarith.Task"
# The first function that uses a custom task of each name.
_CUSTOM_TASKS = pytest.StashKey[dict[str, tuple[Task[Any], str]]]()


def parametrize(metafunc: pytest.Metafunc, settings: Settings) -> None:
    """Parametrize a function with a problem mark."""
    try:
        mark, arguments = _mark_of(metafunc)
        names = [name for name in (MODEL_FIXTURE, "problem") if name in metafunc.fixturenames]
        if reason := _why_none(mark, arguments, settings):
            skip = pytest.mark.skip(reason=reason)
            metafunc.parametrize(names, [pytest.param(*[None] * len(names), id="none", marks=skip)])
            return
        problems = list(_PROBLEMS[mark](arguments, settings))
        configs = _configs_of(metafunc, problems, settings)
        marks = _limit_marks(metafunc, settings) if mark == OEIS_MARK else []
    except (pytest.UsageError, ValueError) as error:
        if problem_marks(metafunc)[0].name == CUSTOM_MARK and not isinstance(error, InvalidTask):
            raise  # raised by the user's task: show the traceback
        raise pytest.Collector.CollectError(str(error)) from None
    models: Sequence[Model | None] = [None]
    if MODEL_FIXTURE in metafunc.fixturenames:  # else the user's own `model` replies
        models = settings.models or [None]
        marks += [] if settings.models else [pytest.mark.skip(reason=NO_MODEL)]
    items = [_Item(*item) for item in product(models, problems, configs)]
    metafunc.parametrize(
        list(items[0].fixtures) if items else ["problem"],
        [pytest.param(*item.fixtures.values(), id=item.id, marks=[*item.marks, *marks]) for item in items],
    )


class _Item(NamedTuple):
    """The model is None if the user's `model` fixture replies, the prompt config if only the default is used."""

    model: Model | None
    problem: Problem
    config: PromptConfig | None

    @property
    def fixtures(self) -> dict[str, Any]:
        values = {MODEL_FIXTURE: self.model, "problem": self.problem, PROMPT_CONFIG_FIXTURE: self.config}
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
        yield pytest.mark.cell(task=self.problem.task, **self.problem.coordinates(), **config, **model)
        if isinstance(self.problem, OeisProblem):
            for name in self.problem.sequence.keywords:
                yield getattr(pytest.mark, KEYWORD_MARK)(name=name)


# --- the arguments of a mark ------------------------------------------------------------------------------------------


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and value > 0


_CHECKS: Mapping[str, Callable[[Any], bool]] = {
    "depths": lambda value: isinstance(value, Iterable) and all(map(_is_count, value)),
    "trials": _is_count,
    "sets": lambda value: isinstance(value, list | tuple) and all(isinstance(name, str) for name in value),
    "task": lambda value: isinstance(value, Task),
}
# The keywords of each mark, and an example.
_KEYWORDS: Mapping[str, tuple[Sequence[str], str]] = {
    ARITHMETIC_MARK: (("depths", "trials"), "depths=range(2, 11), trials=10"),
    ADDITION_MARK: (("trials",), "trials=100"),
    BREAKING_MARK: ((), "no keyword"),
    OEIS_MARK: (("sets",), 'sets=["classic_easy"]'),
    CUSTOM_MARK: (("task", "trials"), _CUSTOM_EXAMPLE),
}


def _mark_of(metafunc: pytest.Metafunc) -> tuple[str, Mapping[str, Any]]:
    """The name and the arguments of a function's problem mark. Raises InvalidTask."""
    mark, *others = problem_marks(metafunc)
    where = f"{metafunc.definition.nodeid}: @pytest.mark.{mark.name}"
    if others:
        raise InvalidTask(f"{where} and {others[0].name} are on one function; keep one of them")
    keywords, example = _KEYWORDS[mark.name]
    positional = 1 if mark.name == CUSTOM_MARK else 0
    arguments = {**dict(zip(["task"][:positional], mark.args, strict=False)), **mark.kwargs}
    unknown = mark.args[positional:] or sorted(set(arguments) - set(keywords))
    if unknown:
        raise InvalidTask(f"{where} takes only the keywords {', '.join(keywords)}, not {unknown}")
    for name, value in arguments.items():
        if not _CHECKS[name](value):
            raise InvalidTask(f"{where}: {name}={value!r} is invalid; write {example}")
    if mark.name == CUSTOM_MARK:
        if "task" not in arguments:
            raise InvalidTask(f"{where} needs a task; write {example}")
        _refuse_same_name(metafunc, arguments["task"])
    return mark.name, arguments


def _refuse_same_name(metafunc: pytest.Metafunc, task: Task[Any]) -> None:
    """Raises InvalidTask if another custom task has the same name, as their results would be mixed."""
    nodeid = metafunc.definition.nodeid
    first, first_nodeid = metafunc.config.stash.setdefault(_CUSTOM_TASKS, {}).setdefault(task.name, (task, nodeid))
    if first != task:
        raise InvalidTask(
            f"{nodeid}: {first_nodeid} has a different task with the name {task.name!r}; rename one of them"
        )


# --- the problems of a mark -------------------------------------------------------------------------------------------


def _why_none(mark: str, arguments: Mapping[str, Any], settings: Settings) -> str | None:
    """Why a function has no problems: searches run only on request, and the default set may be missing."""
    if mark == BREAKING_MARK:
        return None if settings.breaking_point else NO_SEARCH
    if mark == OEIS_MARK and not (settings.oeis.sets or settings.oeis.ini_sets or arguments.get("sets")):
        try:
            sets_of(settings)
        except pytest.UsageError as error:
            return str(error)
    return None


def _arithmetic(arguments: Mapping[str, Any], settings: Settings) -> Iterable[Problem]:
    depths = settings.depths or arguments.get("depths", range(2, 11))
    if settings.adaptive is not None:
        if len(depths := tuple(depths)) < 2 or max(depths) > 1_000:
            raise InvalidTask(f"--llm-adaptive needs two depths or more, up to 1,000 digits, not {depths}")
        return breaking_point.thresholds(settings.seed, depths, *settings.adaptive)
    return arithmetic.problems(settings.seed, depths, settings.trials or arguments.get("trials", 10))


def _addition(arguments: Mapping[str, Any], settings: Settings) -> Iterable[Problem]:
    return addition.problems(settings.seed, settings.trials or arguments.get("trials", 100))


def _searches(arguments: Mapping[str, Any], settings: Settings) -> Iterable[Problem]:
    return breaking_point.problems(settings.seed, settings.breaking_point or 0)


def _sequences(arguments: Mapping[str, Any], settings: Settings) -> Iterable[Problem]:
    entries = _cache_at(settings.oeis.cache)
    for name in sets_of(settings, arguments.get("sets")):
        yield from oeis.problems(name, entries.sequences(name))


def _custom(arguments: Mapping[str, Any], settings: Settings) -> Iterable[Problem]:
    return custom.problems(arguments["task"], settings.seed, settings.trials or arguments.get("trials", 10))


_PROBLEMS: Mapping[str, Callable[[Mapping[str, Any], Settings], Iterable[Problem]]] = {
    ARITHMETIC_MARK: _arithmetic,
    ADDITION_MARK: _addition,
    BREAKING_MARK: _searches,
    OEIS_MARK: _sequences,
    CUSTOM_MARK: _custom,
}


def _configs_of(
    metafunc: pytest.Metafunc, problems: Sequence[Problem], settings: Settings
) -> Sequence[PromptConfig | None]:
    """The prompt configs of a task, without axes that do not change its prompts; None is the default one.

    Raises InvalidTask if two items would have the same id, as a custom task may label its problems like a condition.
    """
    prompt_configs = settings.prompt_configs
    if prompt_configs.are_default or PROMPT_CONFIG_FIXTURE not in metafunc.fixturenames or not problems:
        return [None]
    task = task_of(problems[0])
    for name, template in prompt_configs.templates.items() if "prompt" in task.AXES else ():
        check_template(name, template, task)
        check_distinct(name, template, (one for one in problems if isinstance(one, CheckedProblem)))
    conditions = dict.fromkeys(condition.only(task.AXES) for condition in prompt_configs.conditions)
    configs = [PromptConfig(condition, repeat) for condition in conditions for repeat in range(prompt_configs.repeats)]
    seen: dict[str, str] = {}
    for problem, config in product(problems, configs):
        label = problem.label + config.label
        first = seen.setdefault(label, problem.label)
        if first != problem.label:
            raise InvalidTask(
                f"task {problem.task}: {label!r} would be the id of problem {first} and of problem "
                f"{problem.label}, in different conditions or repeats; give one of them another label"
            )
    return configs


# --- sequences --------------------------------------------------------------------------------------------------------


@cache
def _cache_at(folder: Path) -> Cache:
    return Cache(folder)


def sets_of(settings: Settings, named: Sequence[str] | None = None) -> tuple[str, ...]:
    """The sets of a run, from the option, else the function's mark, else the ini file, else the starter set.

    Raises pytest.UsageError if a set is unknown or incomplete.
    """
    chosen = settings.oeis
    where = "--oeis-sets: " if chosen.sets else "oeis_sets (ini file): " if chosen.ini_sets and not named else ""
    try:
        return checked_sets(chosen.sets or named or chosen.ini_sets or (STARTER,), _cache_at(chosen.cache))
    except ValueError as error:
        raise pytest.UsageError(f"{where}{error}") from None


def digest_of(problems: Iterable[OeisProblem], settings: Settings) -> str:
    """A digest of the entries of the sets of these problems."""
    return _cache_at(settings.oeis.cache).digest(sorted({problem.set for problem in problems}))


def _limit_marks(metafunc: pytest.Metafunc, settings: Settings) -> list[pytest.MarkDecorator]:
    """A timeout mark with the largest limit, unless the function has one. Raises InvalidTask."""
    if mark := metafunc.definition.get_closest_marker(TIMEOUT_MARK):
        seconds = _seconds(mark)
        if not (isinstance(seconds, int | float) and 0 < seconds <= LONGEST_LIMIT_S):
            raise InvalidTask(
                f"{metafunc.definition.nodeid}: @pytest.mark.timeout is not a valid limit of a term; "
                f"write seconds up to {LONGEST_LIMIT_S:g}"
            )
        return []
    return [pytest.mark.timeout(settings.oeis.limits.longest_s)]


def limits_of(item: pytest.Item, settings: Settings) -> ProgramLimits:
    """The limits of an item's terms; the function's timeout mark replaces the largest one."""
    limits = settings.oeis.limits
    mark = item.get_closest_marker(TIMEOUT_MARK)
    if mark is None or _seconds(mark) == limits.longest_s:
        return limits
    largest = float(_seconds(mark))
    return replace(limits, seconds=(*(limit for limit in limits.seconds[:-1] if limit < largest), largest))


def _seconds(mark: pytest.Mark) -> Any:
    return mark.args[0] if mark.args else mark.kwargs.get("timeout")
