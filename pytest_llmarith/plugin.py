"""The hooks and fixtures of the plugin; each forwards to `session`.

Every pytest run of an environment imports this module, so it imports nothing slow.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

import pytest

from pytest_llmarith import options
from pytest_llmarith.session import configure, items
from pytest_llmarith.session.items import RECORD, TIMER, is_sequence, settings_of


def pytest_addoption(parser: pytest.Parser) -> None:
    options.declare(parser)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(parser: pytest.Parser) -> Generator[None, None, None]:
    with options.conflicts_explained():
        yield
        parser.parse_known_args([])  # older versions of pytest detect conflicts only here


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    items.declare_marks(config)
    configure.configure(config)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if items.problem_marks(metafunc):
        from pytest_llmarith.session.collection import parametrize

        parametrize(metafunc, settings_of(metafunc.config))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if any(map(is_sequence, items)):
        from pytest_llmarith.session.programs import skip_without_sandbox

        skip_without_sandbox(config, items)


@pytest.hookimpl(tryfirst=True, optionalhook=True)
def pytest_timeout_set_timer(item: pytest.Item, settings: Any) -> bool | None:
    """Disable pytest-timeout for OEIS items: their timeout mark limits one term, and the sandbox enforces it."""
    item.stash[TIMER] = settings
    return True if is_sequence(item) else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if RECORD in item.stash:
        items.attach(report, item, settings_of(item.config).strict)
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, tuple[str, Mapping[str, bool]]] | None:
    return items.status_of(report)


@pytest.fixture
def llm_model(request: pytest.FixtureRequest) -> Any:
    """The model of this item, one of `--llm-model`; parametrized by the problem mark."""
    items.refuse(request)


@pytest.fixture
def llm_prompt_config() -> Any:
    """The prompt config of this item; parametrized if the options select other than the default one."""
    return None


@pytest.fixture
def model(request: pytest.FixtureRequest, llm_model: Any) -> Any:
    """The model under test: its name, its parameters, and `reply(prompt)`. Override it to use your own."""
    from pytest_llmarith.session.ask import ModelUnderTest

    return ModelUnderTest(request.node, llm_model, settings_of(request.config))


@pytest.fixture
def ask(request: pytest.FixtureRequest, model: Any, llm_prompt_config: Any) -> Any:
    """Asks the model a problem, attaches the trial to the item, and returns its record."""
    items.refuse_unmarked(request)
    from pytest_llmarith.session.ask import Ask

    return Ask(request.node, model, settings_of(request.config))


@pytest.fixture
def search(request: pytest.FixtureRequest, model: Any, llm_prompt_config: Any) -> Any:
    """Searches for the simplest question that the model gets wrong, and returns one record for the whole search."""
    items.refuse_unmarked(request)
    from pytest_llmarith.session.ask import Search

    return Search(request.node, model, settings_of(request.config))
