"""Being a good guest: what a worker or a collection imports costs next to nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("module", "slow"),
    [
        ("process", {"litellm", "openai", "httpx", "sqlite3", "asyncio", "execnet", "pytest"}),
        ("store", {"litellm", "openai", "httpx", "pytest"}),
        ("client", {"litellm", "openai", "httpx", "aiohttp", "sqlite3", "pytest"}),
        ("broker", {"litellm", "openai", "httpx", "aiohttp", "pytest"}),
    ],
)
def test_importing_a_module_loads_nothing_slow(module: str, slow: set[str]) -> None:
    """litellm alone is seconds and hundreds of megabytes."""
    code = f"import sys, pytest_llmarith.models.{module}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not slow & set(loaded)
