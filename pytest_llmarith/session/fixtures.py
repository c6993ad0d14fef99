"""The marks and the fixtures of the plugin:

`model`, `ask` and `search`, and the two parameters that the problem marks set.

The fixtures are a plugin of their own, which is registered with the first test that has
a problem mark. A suite without one keeps pytest's own message for a fixture that is not
found.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from typing import Any, NoReturn

import pytest

from pytest_llmarith.session.items import (
    PROBLEM_MARKS,
    marks_on,
    parameter_of,
    problem_of,
    running_item,
    settings_of,
)

_LINES = (
    "arithmetic(depths=range(2, 11), trials=10): parametrize `problem` with the "
    "arithmetic task",
    "integer_addition(trials=100): parametrize `problem` with the integer addition "
    "task",
    "oeis(sets=None): parametrize `problem` with the OEIS task; sets as --oeis-sets "
    "names them",
    "breaking_point(task=None): parametrize `problem` with the searches for the "
    "simplest wrong answer, of arithmetic and integer addition or of a task with a "
    "Grid",
    "llmarith_task(task, trials=10): parametrize `problem` with a custom task or a "
    "list of them, each a pytest_llmarith.Task",
    "cell(model, task, variant, op, dtype, depth, trial, set, number, label): the cell "
    "of an item, and in a run with conditions or repeats (numbers, symbols, context, "
    "prompt, system, repeat), for exact -m expressions such as "
    "-m \"cell(variant='int_div', depth=7)\"",
    "oeis_keyword(name): a keyword of an OEIS entry, for exact -m expressions such as "
    "-m \"oeis_keyword(name='hard')\"",
    # pytest-timeout's mark, which OEIS items have even if that plugin is disabled.
    "timeout(seconds): the largest limit of one term of an OEIS item",
)
_NAME = "llmarith-fixtures"
_FIXTURES = ("llm_model", "model", "ask", "search")


# --- marks ----------------------------------------------------------------------------


def declare_marks(config: pytest.Config) -> None:
    """Declare the marks, for `--strict-markers` and `--markers`."""
    for line in _LINES:
        config.addinivalue_line("markers", line)


def has_problem_mark(collector: pytest.Collector, function: object) -> bool:
    """Whether a function that is about to be collected has a problem mark, or its class
    or module has one.
    """
    marks = list(collector.iter_markers())
    own = getattr(function, "pytestmark", None)
    if isinstance(own, list):  # a mock has any attribute
        marks += own
    return any(mark.name in PROBLEM_MARKS for mark in marks)


def refuse(item: pytest.Item) -> NoReturn:
    """Fail a test without a problem in one line."""
    marks = marks_on(item)
    if marks:
        why = (
            f"@pytest.mark.{marks[0].name} gives this test no problem; take `problem` "
            f"as an argument, without a fixture or parametrization of that name, and "
            f"write the mark above the function"
        )
    else:
        why = (
            "the fixtures model, ask and search of pytest-llmarith need a problem; "
            "write a mark such as @pytest.mark.arithmetic above the function"
        )
    pytest.fail(why, pytrace=False)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish() -> None:
    gc.unfreeze()  # `plugin` has frozen the items


# --- fixtures -------------------------------------------------------------------------


def register(config: pytest.Config) -> None:
    """Register this module as a plugin."""
    config.pluginmanager.register(sys.modules[__name__], _NAME)


def register_for_bench(session: pytest.Session) -> None:
    """Register this module once, during collection.

    Fixtures of a conftest with the same names still replace these.
    """
    if session.config.pluginmanager.hasplugin(_NAME):
        return
    manager = session._fixturemanager
    others: list[Any] = []
    for name in _FIXTURES:
        others += manager.getfixturedefs(name, session) or ()
    register(session.config)
    if not hasattr(pytest, "register_fixture"):
        return
    # Since pytest 9.1, the last one replaces of two fixtures for a whole run.
    for one in others:
        pytest.register_fixture(
            name=one.argname,
            func=one.func,
            node=session,
            scope=one.scope,
            params=one.params,
            ids=one.ids,
        )


# They do not take `request`, of which pytest makes a fixture and a signature for each
# use: a tenth of what an item costs.


@pytest.fixture
def llm_model() -> Any:
    """The model of this item, one of `--llm-model`; parametrized by the problem
    mark.
    """
    item = running_item()
    return parameter_of(item, "llm_model") or refuse(item)


@pytest.fixture
def model(llm_model: Any) -> Any:
    """The model under test: its name, its parameters, and `reply(prompt)`.

    Override it to use your own.
    """
    from pytest_llmarith.session.ask import ModelUnderTest

    item = running_item()
    return ModelUnderTest(item, llm_model, settings_of(item.config))


@pytest.fixture
def ask(model: Any) -> Iterator[Any]:
    """Asks the model a problem, attaches the trial to the item, and returns its
    record.
    """
    yield from _asking(model)


@pytest.fixture
def search(model: Any) -> Iterator[Any]:
    """The same as `ask`, for tests that search for the simplest question that the model
    gets wrong.
    """
    yield from _asking(model)


def _asking(model: Any) -> Iterator[Any]:
    item = running_item()
    if problem_of(item) is None:
        refuse(item)
    from pytest_llmarith.session.ask import Ask

    asked = Ask(item, model, settings_of(item.config))
    yield asked
    asked.end()
