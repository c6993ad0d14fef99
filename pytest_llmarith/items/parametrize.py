"""Functions with our marks become items: one per model and problem. Other functions are left alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import pytest

from pytest_llmarith.items.marks import ADDITION_MARK, ARITHMETIC_MARK, PROBLEM_MARKS, id_of, problem_marks
from pytest_llmarith.options.settings import Settings
from pytest_llmarith.tasks import addition, arithmetic
from pytest_llmarith.values import Model, Problem

MODEL_FIXTURE = "llm_model"

NO_MODEL = (
    "no model chosen: give --llm-model=NAME, any litellm model; "
    "llmarith/exact and llmarith/sloppy are embedded and need no key"
)


def parametrize(metafunc: pytest.Metafunc, settings: Settings) -> None:
    """Parametrize a function that carries a mark of ours."""
    marks = problem_marks(metafunc)
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
    pytest.fail(
        f"model: this test carries neither @pytest.mark.{' nor @pytest.mark.'.join(PROBLEM_MARKS)}", pytrace=False
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
