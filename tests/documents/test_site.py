"""The site of the documents: every page says who needs it; it is built without a
warning, and read and searched without a server or a network.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

import pytest_llmarith
from pytest_llmarith import exact
from tests.documents.blocks import ROOT

PAGES = sorted((ROOT / "docs").rglob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_begins_with_who_needs_it(page: Path) -> None:
    lines = [line for line in page.read_text("utf-8").splitlines() if line]
    assert lines[0].startswith("# ")
    assert lines[1].startswith("For those who")


@pytest.mark.proof
def test_the_site_is_built_read_and_searched_without_a_network(tmp_path: Path) -> None:
    """One test, as make site has one environment, which two of them would write at
    once. Without Chromium it is only built.
    """
    site = built(tmp_path / "site")
    check_reference(site)
    if (chromium := shutil.which("chromium")) is None:
        pytest.skip("chromium not found: apt install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--disable-gpu", "--disable-dev-shm-usage"]
        )
        search(site, browser)
        browser.close()


def built(folder: Path, source: Path = ROOT) -> Path:
    """The site, whose make fails at a warning, with the environment of the clone."""
    own = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MAKE", "MFLAGS", "PYTEST"))
    }
    done = subprocess.run(
        ["make", ".site", f"VENV={ROOT / '.venv-site'}", f"INTO={folder}"],
        cwd=source,
        env=own,
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def check_reference(site: Path) -> None:
    """Every public name of the plugin and of exactnum is in the reference, with a
    signature that Sphinx has parsed.
    """
    reference = (site / "docs" / "site" / "api.html").read_text("utf-8")
    names = [f"pytest_llmarith.{name}" for name in pytest_llmarith.__all__]
    names += [f"exactnum.{name}" for name in exact.__all__]
    assert [name for name in names if f'id="{name}"' not in reference] == []
    assert "~collections" not in reference


def search(site: Path, browser: Browser) -> None:
    """A reader finds a page by a word; nothing is loaded from elsewhere, no script
    fails.
    """
    page = browser.new_page()
    asked: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((site / "index.html").as_uri())
    page.fill("input[name=q]", "bubblewrap")
    page.press("input[name=q]", "Enter")
    page.click("#search-results a:has-text('Programs for integer sequences')")
    page.wait_for_url("**/sequences.html*")
    assert [url for url in asked if not url.startswith("file:")] == []
    assert errors == []
