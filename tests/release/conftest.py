"""The source distribution, built once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.release.building import ROOT, build


@pytest.fixture(scope="session")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("sdist", ROOT, tmp_path_factory.mktemp("sdist"))
