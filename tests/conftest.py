"""What all tests share: no model, key or colour of the developer's own environment reaches them."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

import pytest_llmarith.session.assembly  # noqa: F401  # an in-process run unloads what it loads, classes and all

# The same examples everywhere, and no clock: a loaded machine must not fail a test.
settings.register_profile("llmarith", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("llmarith")


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*os.environ]:
        if name == "LLMARITH_MODEL" or name.endswith(("_API_KEY", "_API_BASE", "_BASE_URL")):
            monkeypatch.delenv(name)
