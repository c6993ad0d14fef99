"""The fixtures of the plugin:

`model`, `ask` and `search`, and the two parameters that the problem marks set.

They are a plugin of their own, which is registered with the first test that has a
problem mark. A suite without one keeps pytest's own message for a fixture that is not
found.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_llmarith.session import items
from pytest_llmarith.session.items import settings_of

_NAME = "llmarith-fixtures"
_FIXTURES = ("llm_model", "llm_prompt_config", "model", "ask", "search")


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


@pytest.fixture
def llm_model(request: pytest.FixtureRequest) -> Any:
    """The model of this item, one of `--llm-model`; parametrized by the problem
    mark.
    """
    items.refuse(request)


@pytest.fixture
def llm_prompt_config() -> Any:
    """The prompt config of this item; parametrized if the options select other than the
    default one.
    """
    return None


@pytest.fixture
def model(request: pytest.FixtureRequest, llm_model: Any) -> Any:
    """The model under test: its name, its parameters, and `reply(prompt)`.

    Override it to use your own.
    """
    from pytest_llmarith.session.ask import ModelUnderTest

    return ModelUnderTest(request.node, llm_model, settings_of(request.config))


@pytest.fixture
def ask(
    request: pytest.FixtureRequest, model: Any, llm_prompt_config: Any
) -> Iterator[Any]:
    """Asks the model a problem, attaches the trial to the item, and returns its
    record.
    """
    items.refuse_unmarked(request)
    from pytest_llmarith.session.ask import Ask

    asked = Ask(request.node, model, settings_of(request.config))
    yield asked
    asked.end()


@pytest.fixture
def search(
    request: pytest.FixtureRequest, model: Any, llm_prompt_config: Any
) -> Iterator[Any]:
    """The same as `ask`, for tests that search for the simplest question that the model
    gets wrong.
    """
    items.refuse_unmarked(request)
    from pytest_llmarith.session.ask import Ask

    asked = Ask(request.node, model, settings_of(request.config))
    yield asked
    asked.end()
