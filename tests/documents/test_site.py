"""The site of the documents: every page says who needs it; it is built without a
warning, and read and searched without a server or a network.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, ViewportSize, sync_playwright

import pytest_llmarith
from pytest_llmarith import exact
from tests.documents.blocks import ROOT

PAGES = sorted((ROOT / "docs").rglob("*.md"))
DESKTOP: ViewportSize = {"width": 1280, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}
Scheme = Literal["light", "dark"]


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
    check_sdist(site, tmp_path)
    if (chromium := shutil.which("chromium")) is None:
        pytest.skip("chromium not found: apt install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--disable-gpu", "--disable-dev-shm-usage"]
        )
        for size in (DESKTOP, PHONE):
            look(site, browser, size, "light")
            look(site, browser, size, "dark")
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


def check_sdist(site: Path, folder: Path) -> None:
    """The source distribution has all that the site is built from."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target=sdist"]
        + [f"--directory={folder}"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        opened.extractall(folder / "unpacked", filter="data")
    (source,) = (folder / "unpacked").iterdir()
    again = built(folder / "again", source)
    pages = [
        {page.relative_to(place) for page in place.rglob("*.html")}
        for place in (site, again)
    ]
    assert pages[0] == pages[1]


def check_reference(site: Path) -> None:
    """Every public name of the plugin and of exactnum is in the reference, with a
    signature that Sphinx has parsed.
    """
    reference = (site / "docs" / "site" / "api.html").read_text("utf-8")
    names = [f"pytest_llmarith.{name}" for name in pytest_llmarith.__all__]
    names += [f"exactnum.{name}" for name in exact.__all__]
    assert [name for name in names if f'id="{name}"' not in reference] == []
    assert "~collections" not in reference


def look(site: Path, browser: Browser, size: ViewportSize, scheme: Scheme) -> None:
    """No page asks for anything elsewhere, reports an error, or is wider than its
    window; text and background differ.
    """
    context = browser.new_context(viewport=size, color_scheme=scheme)
    page = context.new_page()
    asked: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    for name in ("index", "docs/models", "docs/reports", "docs/site/api", "CHANGELOG"):
        page.goto((site / f"{name}.html").as_uri())
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= size["width"], name
        colours = page.evaluate(
            "[getComputedStyle(document.body).color, "
            "getComputedStyle(document.body).backgroundColor]"
        )
        assert len(set(colours)) == 2, name
    assert [url for url in asked if not url.startswith("file:")] == []
    assert errors == []
    context.close()


def search(site: Path, browser: Browser) -> None:
    page = browser.new_page()
    page.goto((site / "search.html").as_uri() + "?q=bubblewrap")
    page.wait_for_selector("#search-results a")
    links = page.locator("#search-results a").evaluate_all(
        "links => links.map(link => link.href)"
    )
    assert any("sequences.html" in link for link in links)
