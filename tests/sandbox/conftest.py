"""A sandbox at every level that this machine has, with slots of its own: the tests wait
for no other run.
"""

from __future__ import annotations

import ctypes
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.sandbox.child.system_calls import ARCHITECTURES
from pytest_llmarith.sandbox.program_runs import (
    Isolation,
    IsolationLevel,
    ProgramLimits,
)

if sys.platform != "linux":
    collect_ignore_glob = ["test_sandbox_*.py"]


@pytest.fixture(scope="session")
def isolations() -> dict[IsolationLevel, Isolation]:
    """The levels that this machine has."""
    if sys.platform != "linux" or platform.machine() not in ARCHITECTURES:
        pytest.skip("the sandbox needs Linux on x86_64 or aarch64")
    from pytest_llmarith.sandbox.isolation import UnavailableError, probe

    found = {}
    for level in IsolationLevel:
        try:
            found[level] = probe(level)
        except UnavailableError as error:
            if _could(level):
                pytest.fail(f"{error}, though this machine has what the level needs")
    return found


def _could(level: IsolationLevel) -> bool:
    """Whether this machine has what the level needs:

    Landlock, and namespaces for level strict.
    """
    has_landlock = int(ctypes.CDLL(None).syscall(444, None, 0, 1)) >= 1
    command = ["bwrap", "--ro-bind", "/", "/", "--unshare-all", "true"]
    has_namespaces = (
        shutil.which("bwrap") is not None
        and subprocess.run(command, check=False).returncode == 0
    )
    return level is IsolationLevel.NONE or (
        has_landlock and (has_namespaces or level is IsolationLevel.STANDARD)
    )


@pytest.fixture
def any_isolation(isolations: dict[IsolationLevel, Isolation]) -> Isolation:
    """The strictest level that this machine has."""
    return next(iter(isolations.values()))


@pytest.fixture(params=list(IsolationLevel))
def isolation(
    request: pytest.FixtureRequest, isolations: dict[IsolationLevel, Isolation]
) -> Isolation:
    """Every level that this machine has."""
    if request.param not in isolations:
        pytest.skip(f"this machine has no level {request.param}")
    return isolations[request.param]


@pytest.fixture
def make_sandbox(
    request: pytest.FixtureRequest, any_isolation: Isolation, tmp_path: Path
) -> Callable[..., Any]:
    """Makes a sandbox with these limits, at the strictest level, or at that of the
    test's fixture `isolation`.
    """
    from pytest_llmarith.sandbox.runner import Sandbox, Slots

    isolation = (
        request.getfixturevalue("isolation")
        if "isolation" in request.fixturenames
        else any_isolation
    )

    def make(*, slots: int = 1, **limits: Any) -> Sandbox:
        return Sandbox(
            isolation,
            ProgramLimits(**({"seconds": (30.0,)} | limits)),
            Slots(tmp_path, slots),
        )

    return make
