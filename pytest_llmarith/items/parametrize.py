"""Functions with our marks become items: one per model and problem. Other functions are left alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from pytest_llmarith.items.kinds import KINDS, Marks, arguments_of
from pytest_llmarith.items.manners import MANNER_FIXTURE, manners_of, refuse_same_ids
from pytest_llmarith.items.marks import NO_MODEL, id_of, problem_marks
from pytest_llmarith.items.sequences import keyword_marks
from pytest_llmarith.settings import Settings
from pytest_llmarith.values import Manner, Model, Problem

MODEL_FIXTURE = "llm_model"


def parametrize(metafunc: pytest.Metafunc, settings: Settings) -> None:
    """Parametrize a function that carries a mark of ours."""
    marks = problem_marks(metafunc)
    kind = KINDS[marks[0].name]
    try:
        arguments = arguments_of(metafunc, marks, kind)
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
        manners = manners_of(problems, settings)
        refuse_same_ids(problems, manners)
        yield from (_Put(problem, manner) for problem in problems for manner in manners)


def _parametrize(metafunc: pytest.Metafunc, parameters: list[_Parameter]) -> None:
    names = parameters[0].names if parameters else ("problem",)
    found = [pytest.param(*one.values, id=one.id, marks=one.marks) for one in parameters]
    metafunc.parametrize(names, found)
