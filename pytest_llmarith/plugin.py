"""Room: the switchboard. Hooks and fixtures of a few lines that forward; it does not know how anything is done.

It is imported by every pytest run of an environment, so it imports nothing slow.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

import pytest

from pytest_llmarith import items, options, session


def pytest_addoption(parser: pytest.Parser) -> None:
    options.declare(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    items.declare_marks(config)
    session.begin(config)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    items.parametrize(metafunc, session.settings_of(metafunc.config))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    items.attach(report, item, session.settings_of(item.config).strict)
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, tuple[str, Mapping[str, bool]]] | None:
    return items.status_of(report)


@pytest.fixture
def model(request: pytest.FixtureRequest, llm_model: Any) -> Any:
    """The model under test: its name, its parameters, and `reply(prompt)`. Override it with one of your own."""
    return session.asked_model(request.node, llm_model)


@pytest.fixture
def llm_model(request: pytest.FixtureRequest) -> Any:
    """The model of this item, as `--llm-model` names it; parametrized for functions that carry a mark of ours."""
    items.explain_missing_model(session.settings_of(request.config))


@pytest.fixture
def ask(request: pytest.FixtureRequest, model: Any) -> Any:
    """Puts a problem to the model, writes the trial down on the item, and returns its record."""
    return session.Ask(request.node, model, session.settings_of(request.config))
