"""A sandbox at every level that this machine has, with slots of the tests' own: no other run is waited for."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

import pytest

from pytest_llmarith.values import Isolation, Level, ProgramLimits
from tests.sandbox.making import MakeSandbox

if sys.platform == "linux":
    from pytest_llmarith.sandbox.levels import UnavailableError, probe
    from pytest_llmarith.sandbox.runner import Sandbox
    from pytest_llmarith.sandbox.slots import Slots

else:
    collect_ignore_glob = ["test_sandbox_*.py"]


@pytest.fixture(scope="session")
def isolations() -> dict[Level, Isolation]:
    """What this machine has."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        pytest.skip("the sandbox needs Linux on x86_64")
    found = {}
    for level in Level:
        try:
            found[level] = probe(level)
        except UnavailableError:
            continue
    return found


@pytest.fixture
def any_isolation(isolations: dict[Level, Isolation]) -> Isolation:
    """The strictest level, where one is enough."""
    if not isolations:
        pytest.skip("this machine has no sandbox")
    return next(iter(isolations.values()))


@pytest.fixture(params=list(Level))
def isolation(request: pytest.FixtureRequest, isolations: dict[Level, Isolation]) -> Isolation:
    """One test for every level."""
    if request.param not in isolations:
        pytest.skip(f"this machine has no level {request.param}")
    return isolations[request.param]


@pytest.fixture
def make_sandbox(isolation: Isolation, tmp_path: Path) -> MakeSandbox:
    """A sandbox with limits of one's own."""

    def make(*, slots: int = 1, **limits: object) -> Sandbox:
        return Sandbox(isolation, ProgramLimits(**({"seconds": (30.0,)} | limits)), Slots(tmp_path, slots))  # type: ignore[arg-type]

    return make
