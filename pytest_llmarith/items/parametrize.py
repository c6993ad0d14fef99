"""Functions with our marks become items: one per model and problem. Other functions are left alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pytest

from pytest_llmarith.items import sequences
from pytest_llmarith.items.marks import (
    ADDITION_MARK,
    ARITHMETIC_MARK,
    OEIS_MARK,
    PROBLEM_MARKS,
    id_of,
    problem_marks,
)
from pytest_llmarith.items.sequences import keyword_marks
from pytest_llmarith.options.settings import Settings
from pytest_llmarith.tasks import addition, arithmetic
from pytest_llmarith.values import Model, Problem

MODEL_FIXTURE = "llm_model"
Marks = Sequence[pytest.MarkDecorator]

NO_MODEL = (
    "no model chosen: give --llm-model=NAME, any litellm model; "
    "llmarith/exact and llmarith/sloppy are embedded and need no key"
)


def parametrize(metafunc: pytest.Metafunc, settings: Settings) -> None:
    """Parametrize a function that carries a mark of ours."""
    marks = problem_marks(metafunc)
    kind = _KINDS[marks[0].name]
    try:
        arguments = _arguments(metafunc, marks, kind)
        if reason := kind.why_none(arguments, settings):
            _skip(metafunc, reason)
            return
        problems = list(kind.problems(arguments, settings))
        more = kind.marks(metafunc, settings)
    except (pytest.UsageError, ValueError) as error:  # a mistake in a mark or an entry is shown without a traceback
        raise pytest.Collector.CollectError(str(error)) from None
    if MODEL_FIXTURE not in metafunc.fixturenames:  # a `model` of the user's own: one model, no choice
        metafunc.parametrize("problem", [_parameter(problem, more) for problem in problems])
    elif settings.models:
        names = [MODEL_FIXTURE, "problem"]
        metafunc.parametrize(names, list(_with_models(settings.models, problems, more)))
    else:
        skip = pytest.mark.skip(reason=NO_MODEL)
        metafunc.parametrize("problem", [_parameter(problem, [*more, skip]) for problem in problems])


def _skip(metafunc: pytest.Metafunc, reason: str) -> None:
    """One item in place of all, which says why there are no others."""
    names = [name for name in (MODEL_FIXTURE, "problem") if name in metafunc.fixturenames]
    values = [None] * len(names)
    metafunc.parametrize(names, [pytest.param(*values, id="none", marks=pytest.mark.skip(reason=reason))])


def explain_missing_model(settings: Settings) -> None:
    """Skip or fail a test that wants a model and got none."""
    if not settings.models:
        pytest.skip(NO_MODEL)
    pytest.fail(
        f"model: this test carries neither @pytest.mark.{' nor @pytest.mark.'.join(PROBLEM_MARKS)}", pytrace=False
    )


def _with_models(models: Iterable[Model], problems: list[Problem], more: Marks) -> Iterator[Any]:
    for model in models:
        for problem in problems:
            marks = [*_marks_of(problem, model=model.name), *more]
            yield pytest.param(model, problem, id=f"{id_of(model.name)}-{problem.label}", marks=marks)


def _parameter(problem: Problem, more: Marks) -> Any:
    return pytest.param(problem, id=problem.label, marks=[*_marks_of(problem), *more])


def _marks_of(problem: Problem, **more: str) -> list[pytest.MarkDecorator]:
    cell = pytest.mark.cell(task=problem.task, **problem.coordinates(), **more)
    return [cell, *keyword_marks(problem)]


def _arguments(metafunc: pytest.Metafunc, marks: list[pytest.Mark], kind: Kind) -> Mapping[str, Any]:
    where = f"{metafunc.definition.nodeid}: @pytest.mark.{marks[0].name}"
    if len(marks) > 1:
        raise pytest.UsageError(f"{where} and {marks[1].name} stand on one function; keep one of them")
    unknown = sorted(set(marks[0].kwargs) - set(kind.keywords))
    if marks[0].args or unknown:
        raise pytest.UsageError(
            f"{where} takes only the keywords {', '.join(sorted(kind.keywords))}, not {unknown or marks[0].args}"
        )
    for name, value in marks[0].kwargs.items():
        if not kind.keywords[name](value):
            raise pytest.UsageError(f"{where}: {name}={value!r} is not understood; write {kind.example}")
    return marks[0].kwargs


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and value > 0


def _are_counts(value: Any) -> bool:
    return isinstance(value, Iterable) and all(map(_is_count, value))


def _are_names(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(name, str) for name in value)


def _arithmetic(arguments: Mapping[str, Any], settings: Settings) -> Iterable[Problem]:
    depths = settings.depths or arguments.get("depths", range(2, 11))
    trials = settings.trials or arguments.get("trials", 10)
    return arithmetic.problems(settings.seed, depths, trials)


def _addition(arguments: Mapping[str, Any], settings: Settings) -> Iterable[Problem]:
    return addition.problems(settings.seed, settings.addition_trials or arguments.get("trials", 100))


def _always_some(arguments: Mapping[str, Any], settings: Settings) -> str | None:
    return None


def _no_marks(metafunc: pytest.Metafunc, settings: Settings) -> Marks:
    return ()


class Kind(NamedTuple):
    """What a mark of ours takes, checked by name, and what it makes of a function."""

    keywords: Mapping[str, Callable[[Any], bool]]
    example: str
    problems: Callable[[Mapping[str, Any], Settings], Iterable[Problem]]
    marks: Callable[[pytest.Metafunc, Settings], Marks] = _no_marks
    why_none: Callable[[Mapping[str, Any], Settings], str | None] = _always_some


_KINDS: Mapping[str, Kind] = {
    ARITHMETIC_MARK: Kind({"depths": _are_counts, "trials": _is_count}, "depths=range(2, 11), trials=10", _arithmetic),
    ADDITION_MARK: Kind({"trials": _is_count}, "trials=100", _addition),
    OEIS_MARK: Kind(
        {"sets": _are_names}, 'sets=["classic_easy"]', sequences.problems, sequences.limit_marks, sequences.why_none
    ),
}
