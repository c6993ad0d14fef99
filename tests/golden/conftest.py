"""The option that writes the golden files anew."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--refreeze", action="store_true", help="Write the golden files anew"
    )
