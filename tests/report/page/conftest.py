"""Pages on disk, and a browser that looks at them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from pytest_llmarith.types import DEFAULT_CONDITION
from tests.report.page.made_runs import (
    COMMA,
    Viewer,
    in_conditions,
    run_of,
    usual_records,
    write_page,
)


@pytest.fixture(scope="module")
def viewer() -> Iterator[Viewer]:
    """One headless Chromium for all tests of a module, which are skipped if there is
    none.
    """
    if (chromium := shutil.which("chromium")) is None:
        pytest.skip("chromium not found: apt install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--disable-gpu", "--disable-dev-shm-usage"]
        )
        yield Viewer(browser.new_page())
        browser.close()


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Pages by name: of two models, and of two conditions with two repeats."""
    records = {
        "usual": [*usual_records(), *usual_records("gpt-4.1")],
        "conditions": in_conditions(
            usual_records(), DEFAULT_CONDITION.fields(), COMMA, repeats=2
        ),
    }
    return {
        name: write_page(tmp_path_factory.mktemp(name), run_of(of))
        for name, of in records.items()
    }
