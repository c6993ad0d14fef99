"""The hooks of the plugin; each forwards to `session`.

Every pytest run of an environment imports this module, so it imports nothing slow.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

import pytest

from pytest_llmarith import options
from pytest_llmarith.session import configure, fixtures, items
from pytest_llmarith.session.items import RECORD, TIMER, grader_of, settings_of


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
    graded = [item for item in items if grader_of(item)]
    if graded:
        from pytest_llmarith.session.selection import skip_unavailable

        skip_unavailable(config, graded)


@pytest.hookimpl(tryfirst=True, optionalhook=True)
def pytest_timeout_set_timer(item: pytest.Item, settings: Any) -> bool | None:
    """Disable pytest-timeout for items whose grader enforces their timeout mark."""
    item.stash[TIMER] = settings
    grader = grader_of(item)
    return True if grader and grader.limit_s is not None else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if RECORD in item.stash:
        items.attach(report, item, settings_of(item.config).strict)
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(
    report: pytest.TestReport,
) -> tuple[str, str, tuple[str, Mapping[str, bool]]] | None:
    return items.status_of(report)
