"""What the commands of documents find."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.batch_server import BatchServer


@pytest.fixture(scope="session")
def environment(programs: Path) -> Iterator[dict[str, str]]:
    """What the commands find: the programs, and the address of the provider."""
    with BatchServer() as server:
        own = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTEST", "LLMARITH"))
        }
        yield own | {
            "PATH": f"{programs}:{own['PATH']}",
            "PYTEST_ADDOPTS": "--llm-trials=1 --llm-depths=3,7 --oeis-terms=2",
            "GITHUB_STEP_SUMMARY": "step-summary.md",
            "OPENAI_API_KEY": "sk-of-the-tests",
            "OPENAI_BASE_URL": server.base_url,
        }
