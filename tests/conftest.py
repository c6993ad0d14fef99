"""What all tests share: no model, key or colour of the developer's own environment reaches them."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*os.environ]:
        if name == "LLMARITH_MODEL" or name.endswith("_API_KEY") or name.endswith("_API_BASE"):
            monkeypatch.delenv(name)
