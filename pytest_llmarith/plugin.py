"""Room: the switchboard. Hooks and fixtures of a few lines that forward; it does not know how anything is done.

It is imported by every pytest run of an environment, so it imports nothing slow.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

import pytest

from pytest_llmarith import options
from pytest_llmarith.items import marks, missing, records
from pytest_llmarith.session import begin


def pytest_addoption(parser: pytest.Parser) -> None:
    options.declare(parser)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(parser: pytest.Parser) -> Generator[None, None, None]:
    with options.conflicts_explained():
        yield
        parser.parse_known_args([])  # older versions of pytest look for conflicts only here


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    marks.declare_marks(config)
    begin.begin(config)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if found := marks.problem_marks(metafunc):
        from pytest_llmarith.items.parametrize import parametrize

        begin.marks_found(metafunc.definition.session)
        parametrize(metafunc, begin.settings_of(metafunc.config))
        if any(mark.name == marks.OEIS_MARK for mark in found):
            begin.expect_programs(metafunc.config)
    else:
        marks.refuse_marks_of_values(metafunc)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if records.RECORD in item.stash:
        from pytest_llmarith.items.outcomes import attach

        attach(report, item, begin.settings_of(item.config).strict)
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, tuple[str, Mapping[str, bool]]] | None:
    if not records.carries_record(report):
        return None
    from pytest_llmarith.items.outcomes import status_of

    return status_of(report)


@pytest.fixture
def llm_model(request: pytest.FixtureRequest) -> Any:
    """The model of this item, as `--llm-model` names it; parametrized for functions that carry a mark of ours."""
    missing.refuse(request)


@pytest.fixture
def llm_manner() -> Any:
    """How this item puts its problem; parametrized where the options ask for another manner than the usual one."""
    from pytest_llmarith.items.manners import USUAL_MANNER

    return USUAL_MANNER


@pytest.fixture
def model(request: pytest.FixtureRequest, llm_model: Any) -> Any:
    """The model under test: its name, its parameters, and `reply(prompt)`. Override it with one of your own."""
    from pytest_llmarith.session.ask import asked_model

    return asked_model(request.node, llm_model)


@pytest.fixture
def ask(request: pytest.FixtureRequest, model: Any, llm_manner: Any) -> Any:
    """Puts a problem to the model, writes the trial down on the item, and returns its record."""
    missing.refuse_unmarked(request)
    from pytest_llmarith.session.ask import Ask

    return Ask(request.node, model, begin.settings_of(request.config))


@pytest.fixture
def search(request: pytest.FixtureRequest, model: Any, llm_manner: Any) -> Any:
    """Searches for the simplest question that the model gets wrong, and returns the one record of all it asked."""
    missing.refuse_unmarked(request)
    from pytest_llmarith.session.search import Search

    return Search(request.node, model, begin.settings_of(request.config))
