"""The marks of the plugin and the ids of its items. Every pytest run loads this module."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NoReturn

import pytest

ARITHMETIC_MARK = "arithmetic"
ADDITION_MARK = "integer_addition"
OEIS_MARK = "oeis"
CUSTOM_MARK = "llmarith_task"
BREAKING_MARK = "breaking_point"
PROBLEM_MARKS = (ARITHMETIC_MARK, ADDITION_MARK, BREAKING_MARK, OEIS_MARK, CUSTOM_MARK)
CELL_MARK = "cell"
KEYWORD_MARK = "oeis_keyword"
TIMEOUT_MARK = "timeout"
NO_MODEL = (
    "no model chosen: give --llm-model=NAME, any litellm model; "
    "llmarith/exact and llmarith/sloppy are fake models and need no key"
)
NO_SEARCH = "no search requested: --llm-breaking-point=80 searches with up to 80 questions each"

_LINES = (
    f"{ARITHMETIC_MARK}(depths=range(2, 11), trials=10): parametrize `problem` with the arithmetic task",
    f"{ADDITION_MARK}(trials=100): parametrize `problem` with the integer addition task",
    f"{OEIS_MARK}(sets=None): parametrize `problem` with the OEIS task; sets as --oeis-sets names them",
    f"{BREAKING_MARK}: parametrize `problem` with the searches for the simplest wrong answer",
    f"{CUSTOM_MARK}(task, trials=10): parametrize `problem` with a custom task, a pytest_llmarith.Task",
    f"{CELL_MARK}(model, task, variant, op, dtype, depth, trial, set, number, label): the cell of an item, and in a "
    "run with conditions or repeats (numbers, symbols, context, prompt, system, repeat), "
    "for exact -m expressions such as -m \"cell(variant='int_div', depth=7)\"",
    f"{KEYWORD_MARK}(name): a keyword of an OEIS entry, for exact -m expressions such as "
    f"-m \"{KEYWORD_MARK}(name='hard')\"",
    # pytest-timeout's mark, which OEIS items have even if that plugin is disabled.
    f"{TIMEOUT_MARK}(seconds): the largest limit of one term of an OEIS item",
)
# Characters that -k cannot parse.
_UNPARSABLE = re.compile(r"[^A-Za-z0-9_:+./-]")


def declare_marks(config: pytest.Config) -> None:
    """Declare the marks, for `--strict-markers` and `--markers`."""
    for line in _LINES:
        config.addinivalue_line("markers", line)


def problem_marks(metafunc: pytest.Metafunc) -> list[pytest.Mark]:
    """The problem marks of a function; none if it takes no `problem`, or parametrizes or overrides it."""
    own = "problem" in metafunc._arg2fixturedefs
    for mark in metafunc.definition.iter_markers("parametrize"):
        names = mark.args[0] if mark.args else mark.kwargs.get("argnames", ())
        own |= "problem" in (map(str.strip, names.split(",")) if isinstance(names, str) else names)
    return marks_on(metafunc.definition) if "problem" in metafunc.fixturenames and not own else []


def marks_on(item: pytest.Item) -> list[pytest.Mark]:
    """The problem marks of an item or a function."""
    return [mark for mark in item.iter_markers() if mark.name in PROBLEM_MARKS]


def problem_of(item: pytest.Item) -> Any:
    """The problem of an item of the plugin; None for other items, even with a `cell` mark."""
    problem = parameter_of(item, "problem") if item.get_closest_marker(CELL_MARK) else None
    return problem if hasattr(problem, "task") else None


def parameter_of(item: pytest.Item, name: str) -> Any:
    """The value of a parameter of an item, or None."""
    return getattr(getattr(item, "callspec", None), "params", {}).get(name)


def is_sequence(item: pytest.Item) -> bool:
    """Whether an item belongs to the OEIS task."""
    return getattr(problem_of(item), "task", None) == OEIS_MARK


def id_of(model: str) -> str:
    """A model's name as part of an id, with only the characters that `-k` can parse."""
    return _UNPARSABLE.sub("_", model)


def missing_option(reports: Iterable[Any]) -> str | None:
    """The skip reason that names a missing option, or None."""
    reasons = [report.longrepr[2] for report in reports if isinstance(getattr(report, "longrepr", None), tuple)]
    return next((why for why in (NO_MODEL, NO_SEARCH) for reason in reasons if why in reason), None)


def refuse_unmarked(request: pytest.FixtureRequest) -> None:
    """Fail a test that uses a fixture of the plugin without a problem mark."""
    if problem_of(request.node) is None:
        refuse(request)


def refuse(request: pytest.FixtureRequest) -> NoReturn:
    """Fail a test without a problem in one line."""
    why = (
        "the fixtures model, ask and search of pytest-llmarith need a problem; "
        "write a mark such as @pytest.mark.arithmetic above the function"
    )
    if found := marks_on(request.node):
        why = (
            f"@pytest.mark.{found[0].name} gives this test no problem; take `problem` as an argument, without a "
            "fixture or parametrization of that name, and write the mark above the function"
        )
    pytest.fail(why, pytrace=False)
