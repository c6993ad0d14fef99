"""The hooks of the plugin; each forwards to `session`.

Every pytest run of an environment imports this module, so it imports nothing slow.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

import pytest

from pytest_llmarith import options
from pytest_llmarith.session import configure, fixtures, items
from pytest_llmarith.session.items import (
    RUNNING,
    TIMER,
    grader_of,
    problem_of,
    settings_of,
)


def pytest_addoption(parser: pytest.Parser) -> None:
    options.declare(parser)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(
    parser: pytest.Parser, args: list[str]
) -> Generator[None, None, None]:
    with options.conflicts_explained():
        yield
        options.suggest(parser, args)
        parser.parse_known_args(
            []
        )  # older versions of pytest detect conflicts only here


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    items.declare_marks(config)
    configure.configure(config)
    if config.getoption("showfixtures"):
        fixtures.register(config)


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem(
    collector: pytest.Module | pytest.Class, name: str, obj: object
) -> Generator[None, object, object]:
    """Register the fixtures before pytest looks up those of the first test with a
    problem mark.
    """
    if collector.istestfunction(obj, name) and items.has_problem_mark(collector, obj):
        fixtures.register_for_bench(collector.session)
    return (yield)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if items.problem_marks(metafunc):
        from pytest_llmarith.session.collection import parametrize

        parametrize(metafunc, settings_of(metafunc.config))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    asked = [item for item in items if problem_of(item) is not None]
    if asked:
        from pytest_llmarith.session.selection import refuse_or_skip

        refuse_or_skip(config, asked)


@pytest.hookimpl(tryfirst=True, optionalhook=True)
def pytest_timeout_set_timer(item: pytest.Item, settings: Any) -> bool | None:
    """Disable pytest-timeout for items whose grader enforces their timeout mark."""
    item.stash[TIMER] = settings
    grader = grader_of(item)
    return True if grader and grader.limit_s is not None else None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    with items.current(item):
        return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    __tracebackhide__ = True
    item.stash[RUNNING] = True
    try:
        result = yield
    finally:
        item.stash[RUNNING] = False
    items.fail_if_strict(item)
    return result


# The innermost one: other plugins see the outcome.
@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    items.attach(report, item)
    if report.when == "teardown":
        items.tell_allure(item)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_logreport(
    report: pytest.TestReport,
) -> Generator[None, object, object]:
    items.attach_current(report)
    return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(
    report: pytest.TestReport,
) -> tuple[str, str, tuple[str, Mapping[str, bool]]] | None:
    return items.status_of(report)
