"""Functions with our marks become items: one per model and problem. Other functions are left alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pytest

from pytest_llmarith.items import own, sequences
from pytest_llmarith.items.manners import MANNER_FIXTURE, manners_of
from pytest_llmarith.items.marks import (
    ADDITION_MARK,
    ARITHMETIC_MARK,
    BREAKING_MARK,
    OEIS_MARK,
    OWN_MARK,
    PROBLEM_MARKS,
    id_of,
    problem_marks,
)
from pytest_llmarith.items.sequences import keyword_marks
from pytest_llmarith.options import names
from pytest_llmarith.options.settings import Settings
from pytest_llmarith.tasks import addition, arithmetic, breaking_point, task_of
from pytest_llmarith.values import Manner, Model, Problem

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
        kind.check(metafunc, arguments)
        if reason := kind.why_none(arguments, settings):
            _skip(metafunc, reason)
            return
        puts = list(_puts(metafunc, list(kind.problems(arguments, settings)), settings))
        more = kind.marks(metafunc, settings)
    except kind.mistakes as error:  # in a mark or an entry: shown without a traceback
        raise pytest.Collector.CollectError(str(error)) from None
    if MODEL_FIXTURE not in metafunc.fixturenames:  # a `model` of the user's own: one model, no choice
        _parametrize(metafunc, [put.parameter(more) for put in puts])
    elif settings.models:
        _parametrize(metafunc, [put.parameter(more, model) for model in settings.models for put in puts])
    else:
        skip = pytest.mark.skip(reason=NO_MODEL)
        _parametrize(metafunc, [put.parameter([*more, skip]) for put in puts])


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


class _Put(NamedTuple):
    """A problem, and how it is put; the manner is None in a run that knows only the usual one."""

    problem: Problem
    manner: Manner | None

    def parameter(self, more: Marks, model: Model | None = None) -> _Parameter:
        """What the fixtures of an item hold, by name, and what it is called."""
        values = {MODEL_FIXTURE: model, "problem": self.problem, MANNER_FIXTURE: self.manner}
        known = {name: value for name, value in values.items() if value is not None}
        label = f"{id_of(model.name)}-{self.problem.label}" if model else self.problem.label
        marks = [self._cell(model), *keyword_marks(self.problem), *more]
        return _Parameter(
            tuple(known), tuple(known.values()), label + (self.manner.label if self.manner else ""), marks
        )

    def _cell(self, model: Model | None) -> pytest.MarkDecorator:
        its_model = {"model": model.name} if model else {}
        how = self.manner.coordinates() if self.manner else {}
        return pytest.mark.cell(task=self.problem.task, **self.problem.coordinates(), **how, **its_model)


class _Parameter(NamedTuple):
    names: tuple[str, ...]
    values: tuple[Any, ...]
    id: str
    marks: list[pytest.MarkDecorator]


def _puts(metafunc: pytest.Metafunc, problems: list[Problem], settings: Settings) -> Iterator[_Put]:
    """Every problem in every manner. A function that asks by itself, without `ask`, has the usual one alone."""
    if settings.manners.are_usual or MANNER_FIXTURE not in metafunc.fixturenames:
        yield from (_Put(problem, None) for problem in problems)
    elif problems:
        manners = manners_of(task_of(problems[0]), settings)
        yield from (_Put(problem, manner) for problem in problems for manner in manners)


def _parametrize(metafunc: pytest.Metafunc, parameters: list[_Parameter]) -> None:
    names = parameters[0].names if parameters else ("problem",)
    found = [pytest.param(*one.values, id=one.id, marks=one.marks) for one in parameters]
    metafunc.parametrize(names, found)


def _arguments(metafunc: pytest.Metafunc, marks: list[pytest.Mark], kind: Kind) -> Mapping[str, Any]:
    where = f"{metafunc.definition.nodeid}: @pytest.mark.{marks[0].name}"
    if len(marks) > 1:
        raise pytest.UsageError(f"{where} and {marks[1].name} stand on one function; keep one of them")
    arguments, too_many = _named(marks[0], kind.needs)
    unknown = sorted(set(arguments) - set(kind.keywords))
    if too_many or unknown:
        raise pytest.UsageError(
            f"{where} takes only the keywords {', '.join(sorted(kind.keywords))}, not {unknown or too_many}"
        )
    for name in set(kind.needs) - set(arguments):
        raise pytest.UsageError(f"{where} needs a {name}; write {kind.example}")
    for name, value in arguments.items():
        if not kind.keywords[name](value):
            raise pytest.UsageError(f"{where}: {name}={value!r} is not understood; write {kind.example}")
    return arguments


def _named(mark: pytest.Mark, names: Sequence[str]) -> tuple[Mapping[str, Any], tuple[Any, ...]]:
    """The arguments of a mark by name, and those for which there is none."""
    return {**dict(zip(names, mark.args, strict=False)), **mark.kwargs}, mark.args[len(names) :]


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


def _searches(arguments: Mapping[str, Any], settings: Settings) -> Iterable[Problem]:
    return breaking_point.problems(settings.seed, settings.breaking_point or 0)


def _no_searches(arguments: Mapping[str, Any], settings: Settings) -> str | None:
    """Searches ask one question after another, so nobody gets one who did not ask for it."""
    if settings.breaking_point:
        return None
    return f"no search was asked for: {names.BREAKING_POINT}=80 asks up to 80 questions each"


def _always_some(arguments: Mapping[str, Any], settings: Settings) -> str | None:
    return None


def _always_fine(metafunc: pytest.Metafunc, arguments: Mapping[str, Any]) -> None:
    pass


def _no_marks(metafunc: pytest.Metafunc, settings: Settings) -> Marks:
    return ()


class Kind(NamedTuple):
    """What a mark of ours takes, checked by name, and what it makes of a function.

    What it `needs` may stand without its name; `mistakes` are shown in one line, and everything else with a traceback.
    """

    keywords: Mapping[str, Callable[[Any], bool]]
    example: str
    problems: Callable[[Mapping[str, Any], Settings], Iterable[Problem]]
    marks: Callable[[pytest.Metafunc, Settings], Marks] = _no_marks
    why_none: Callable[[Mapping[str, Any], Settings], str | None] = _always_some
    needs: Sequence[str] = ()
    check: Callable[[pytest.Metafunc, Mapping[str, Any]], None] = _always_fine
    mistakes: tuple[type[Exception], ...] = (pytest.UsageError, ValueError)


_KINDS: Mapping[str, Kind] = {
    ARITHMETIC_MARK: Kind({"depths": _are_counts, "trials": _is_count}, "depths=range(2, 11), trials=10", _arithmetic),
    ADDITION_MARK: Kind({"trials": _is_count}, "trials=100", _addition),
    BREAKING_MARK: Kind({}, "no keyword", _searches, why_none=_no_searches),
    OEIS_MARK: Kind(
        {"sets": _are_names}, 'sets=["classic_easy"]', sequences.problems, sequences.limit_marks, sequences.why_none
    ),
    OWN_MARK: Kind(
        {"task": own.is_task, "trials": _is_count},
        own.EXAMPLE,
        own.problems,
        needs=("task",),
        check=own.claim_name,
        mistakes=(pytest.UsageError,),
    ),
}
