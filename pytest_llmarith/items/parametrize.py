"""Functions with our marks become items: one per model and problem. Other functions are left alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import pytest

from pytest_llmarith.options import Settings
from pytest_llmarith.tasks import addition, arithmetic
from pytest_llmarith.values import Model, Problem

ARITHMETIC_MARK = "arithmetic"
ADDITION_MARK = "integer_addition"
CELL_MARK = "cell"
MODEL_FIXTURE = "llm_model"

MARKS = (
    f"{ARITHMETIC_MARK}(depths=range(2, 11), trials=10): parametrize `problem` with the arithmetic task",
    f"{ADDITION_MARK}(trials=100): parametrize `problem` with the integer addition task",
    f"{CELL_MARK}(model, task, variant, op, dtype, depth, trial): where an item stands, "
    "for exact -m expressions such as -m \"cell(variant='int_div', depth=7)\"",
)

NO_MODEL = (
    "no model chosen: give --llm-model=NAME, any litellm model; "
    "llmarith/exact and llmarith/sloppy are embedded and need no key"
)
# What -k can parse, less brackets and backslashes, which node ids use themselves.
_UNPARSABLE = re.compile(r"[^A-Za-z0-9_:+./-]")


def declare_marks(config: pytest.Config) -> None:
    """Make our marks known, for `--strict-markers` and `--markers`."""
    for line in MARKS:
        config.addinivalue_line("markers", line)


def parametrize(metafunc: pytest.Metafunc, settings: Settings) -> None:
    """Parametrize a function that carries one of our marks."""
    marks = [mark for mark in metafunc.definition.iter_markers() if mark.name in _PROBLEMS]
    if not marks:
        return
    problems = _PROBLEMS[marks[0].name](_arguments(metafunc, marks), settings)
    if MODEL_FIXTURE not in metafunc.fixturenames:  # a `model` of the user's own: one model, no choice
        metafunc.parametrize("problem", [_parameter(problem) for problem in problems])
    elif settings.models:
        names = [MODEL_FIXTURE, "problem"]
        metafunc.parametrize(names, list(_with_models(settings.models, list(problems))))
    else:
        skip = pytest.mark.skip(reason=NO_MODEL)
        metafunc.parametrize("problem", [_parameter(problem, skip) for problem in problems])


def explain_missing_model(settings: Settings) -> None:
    """Skip or fail a test that wants a model and got none."""
    if not settings.models:
        pytest.skip(NO_MODEL)
    pytest.fail(f"model: this test carries neither @pytest.mark.{' nor @pytest.mark.'.join(_PROBLEMS)}", pytrace=False)


def id_of(model: str) -> str:
    """A model's name as it stands in ids: only what `-k` can parse."""
    return _UNPARSABLE.sub("_", model)


def refuse_same_ids(models: Iterable[Model]) -> None:
    """Two models whose items could not be told apart are wrong usage."""
    seen: dict[str, str] = {}
    for model in models:
        twin = seen.setdefault(id_of(model.name), model.name)
        if twin != model.name:
            raise pytest.UsageError(
                f"--llm-model: {twin!r} and {model.name!r} have the same id {id_of(model.name)!r}; "
                f"give one a name of its own: other-name={model.target}"
            )


def _with_models(models: Iterable[Model], problems: list[Problem]) -> Iterator[Any]:
    for model in models:
        for problem in problems:
            yield pytest.param(
                model, problem, id=f"{id_of(model.name)}-{problem.label}", marks=_cell(problem, model=model.name)
            )


def _parameter(problem: Problem, *marks: pytest.MarkDecorator) -> Any:
    return pytest.param(problem, id=problem.label, marks=(_cell(problem), *marks))


def _cell(problem: Problem, **more: str) -> pytest.MarkDecorator:
    return pytest.mark.cell(task=problem.task, **problem.coordinates(), **more)


def _arguments(metafunc: pytest.Metafunc, marks: list[pytest.Mark]) -> Mapping[str, Any]:
    where = f"{metafunc.definition.nodeid}: @pytest.mark.{marks[0].name}"
    if len(marks) > 1:
        raise pytest.UsageError(f"{where} and {marks[1].name} stand on one function; keep one of them")
    allowed = {"depths", "trials"} if marks[0].name == ARITHMETIC_MARK else {"trials"}
    unknown = sorted(set(marks[0].kwargs) - allowed)
    if marks[0].args or unknown:
        raise pytest.UsageError(
            f"{where} takes only the keywords {', '.join(sorted(allowed))}, not {unknown or marks[0].args}"
        )
    return {name: _checked(where, name, value) for name, value in marks[0].kwargs.items()}


def _checked(where: str, name: str, value: Any) -> Any:
    numbers = [value] if name == "trials" else list(value) if isinstance(value, Iterable) else [None]
    if not all(isinstance(number, int) and number > 0 for number in numbers):
        raise pytest.UsageError(f"{where}: {name}={value!r} is no count above 0; write depths=range(2, 11), trials=10")
    return value


def _arithmetic(arguments: Mapping[str, Any], settings: Settings) -> Iterable[Problem]:
    depths = settings.depths or arguments.get("depths", range(2, 11))
    trials = settings.trials or arguments.get("trials", 10)
    return arithmetic.problems(settings.seed, depths, trials)


def _addition(arguments: Mapping[str, Any], settings: Settings) -> Iterable[Problem]:
    return addition.problems(settings.seed, settings.addition_trials or arguments.get("trials", 100))


_PROBLEMS: Mapping[str, Callable[[Mapping[str, Any], Settings], Iterable[Problem]]] = {
    ARITHMETIC_MARK: _arithmetic,
    ADDITION_MARK: _addition,
}
