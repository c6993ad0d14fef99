"""The fixtures of the plugin in tests without its marks: pytest reports them as not found."""

from __future__ import annotations

from typing import NoReturn

import pytest

from pytest_llmarith.items.marks import marks_on, problem_of

_PLUGIN = "pytest_llmarith.plugin"


def refuse_unmarked(request: pytest.FixtureRequest) -> None:
    """Fail a test that uses a fixture of the plugin and was not made by one of its marks."""
    if problem_of(request.node) is None:
        refuse(request)


def refuse(request: pytest.FixtureRequest) -> NoReturn:
    """Fail a test whose fixture has no problem to ask: in one line if it carries a mark, else as not found.

    The first fixture of the plugin in the chain of requests is the one that the test, or its own fixture, names.
    """
    error = pytest.FixtureLookupError(None, request)
    chain = error.fixturestack
    first = next(place for place, fixture in enumerate(chain) if fixture.func.__module__ == _PLUGIN)
    name = chain[first].argname
    if found := marks_on(request.node):
        pytest.fail(
            f"{name}: @pytest.mark.{found[0].name} gives this test no problem; take `problem` as an argument, "
            "without a fixture or parametrization of that name",
            pytrace=False,
        )
    error.argname = name
    error.msg = f"fixture {name!r} not found"
    error.fixturestack = chain[: first + 1]  # pytest shows the last one at the requesting side
    raise error
