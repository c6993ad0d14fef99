"""The marks of the plugin and the ids of its items: what every pytest run loads, so it imports nothing slow."""

from __future__ import annotations

import re
from typing import Any

import pytest

ARITHMETIC_MARK = "arithmetic"
ADDITION_MARK = "integer_addition"
OEIS_MARK = "oeis"
OWN_MARK = "llmarith_task"
BREAKING_MARK = "breaking_point"
PROBLEM_MARKS = (ARITHMETIC_MARK, ADDITION_MARK, BREAKING_MARK, OEIS_MARK, OWN_MARK)
CELL_MARK = "cell"
KEYWORD_MARK = "oeis_keyword"
TIMEOUT_MARK = "timeout"
# Why items are skipped, and how whoever looks for such items knows them.
NO_MODEL = (
    "no model chosen: give --llm-model=NAME, any litellm model; "
    "llmarith/exact and llmarith/sloppy are embedded and need no key"
)
NO_SEARCH = "no search was asked for: --llm-breaking-point=80 asks up to 80 questions each"

_LINES = (
    f"{ARITHMETIC_MARK}(depths=range(2, 11), trials=10): parametrize `problem` with the arithmetic task",
    f"{ADDITION_MARK}(trials=100): parametrize `problem` with the integer addition task",
    f"{OEIS_MARK}(sets=None): parametrize `problem` with the OEIS task; sets as --oeis-sets names them",
    f"{BREAKING_MARK}: parametrize `problem` with the searches for the simplest wrong answer",
    f"{OWN_MARK}(task, trials=10): parametrize `problem` with a task of your own, a pytest_llmarith.Task",
    f"{CELL_MARK}(model, task, variant, op, dtype, depth, trial, set, number, label): where an item stands, and in a "
    "run with conditions or repeats (numbers, symbols, context, prompt, system, repeat), "
    "for exact -m expressions such as -m \"cell(variant='int_div', depth=7)\"",
    f"{KEYWORD_MARK}(name): a keyword of an OEIS entry, for exact -m expressions such as "
    f"-m \"{KEYWORD_MARK}(name='hard')\"",
    # pytest-timeout's own; it is on our items also where that plugin was switched off.
    f"{TIMEOUT_MARK}(seconds): the largest limit of one term of an OEIS item",
)
# What -k can parse, less brackets and backslashes, which node ids use themselves.
_UNPARSABLE = re.compile(r"[^A-Za-z0-9_:+./-]")


def why_skipped(report: pytest.TestReport) -> str | None:
    """Why an item of ours was skipped, where an option is all that it lacks."""
    if not report.skipped or not isinstance(report.longrepr, tuple):
        return None
    return next((why for why in (NO_MODEL, NO_SEARCH) if why in report.longrepr[2]), None)


def declare_marks(config: pytest.Config) -> None:
    """Make our marks known, for `--strict-markers` and `--markers`."""
    for line in _LINES:
        config.addinivalue_line("markers", line)


def problem_marks(metafunc: pytest.Metafunc) -> list[pytest.Mark]:
    """The marks that ask for problems; none if the function takes no `problem` or has its own."""
    if "problem" not in metafunc.fixturenames or _has_own_problem(metafunc):
        return []
    return marks_on(metafunc.definition)


def marks_on(item: pytest.Item) -> list[pytest.Mark]:
    """The marks with a name of ours on an item or a function."""
    return [mark for mark in item.iter_markers() if mark.name in PROBLEM_MARKS]


def _has_own_problem(metafunc: pytest.Metafunc) -> bool:
    """Whether a fixture or a parametrization of the user gives the function its `problem`."""
    named = [_argument(mark, 0, "argnames") for mark in metafunc.definition.iter_markers("parametrize")]
    lists = [one.split(",") if isinstance(one, str) else one or () for one in named]
    return "problem" in metafunc._arg2fixturedefs or any(name.strip() == "problem" for one in lists for name in one)


def refuse_marks_of_values(metafunc: pytest.Metafunc) -> None:
    """Raises CollectError if a function that asks a model has our mark only on values of its parameters."""
    if not {"llm_model", "ask", "search"} & set(metafunc.fixturenames):
        return
    for mark in metafunc.definition.iter_markers("parametrize"):
        values = _argument(mark, 1, "argvalues")
        for value in values if isinstance(values, list | tuple) else ():
            if name := next((one.name for one in getattr(value, "marks", ()) if one.name in PROBLEM_MARKS), None):
                raise pytest.Collector.CollectError(
                    f"{metafunc.definition.nodeid}: pytest.param(marks=pytest.mark.{name}) makes no questions; "
                    f"write @pytest.mark.{name} above the function"
                )


def _argument(mark: pytest.Mark, place: int, name: str) -> Any:
    return mark.args[place] if len(mark.args) > place else mark.kwargs.get(name)


def problem_of(item: pytest.Item) -> Any:
    """The problem of an item that our marks made; None for all other items, also if they have a mark `cell`."""
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    problem = parameters.get("problem") if item.get_closest_marker(CELL_MARK) else None
    return problem if hasattr(problem, "task") else None


def id_of(model: str) -> str:
    """A model's name as it stands in ids: only what `-k` can parse."""
    return _UNPARSABLE.sub("_", model)
