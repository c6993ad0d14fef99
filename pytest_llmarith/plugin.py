"""The hooks of the plugin; each forwards to `session`. Those of single items are in
`session.items`.

Every pytest run of an environment imports this module, so it imports nothing slow.
"""

from __future__ import annotations

import gc
from collections.abc import Generator

import pytest

from pytest_llmarith import options
from pytest_llmarith.session import configure, fixtures, hooks, items
from pytest_llmarith.session.items import problem_of, settings_of


def pytest_addoption(
    parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager
) -> None:
    options.declare(parser)
    pluginmanager.register(items, "llmarith-items")


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    pluginmanager.add_hookspecs(hooks)


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
    fixtures.declare_marks(config)
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
    if collector.istestfunction(obj, name) and fixtures.has_problem_mark(
        collector, obj
    ):
        fixtures.register_for_bench(collector.session)
        # None of its items is garbage: searching them while they are made takes a
        # sixth of the collection, and a tenth of the run.
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            return (yield)
        finally:
            gc.freeze()
            if was_enabled:
                gc.enable()
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
        from pytest_llmarith.session.planned import refuse_or_skip

        refuse_or_skip(config, asked)
