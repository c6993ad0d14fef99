"""Where the store lies whose replies, claims and troubles are looked at."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".llmarith" / "store.sqlite"
