"""The site of the documents: every page says who needs it; it is built without a
warning, and read and searched without a server or a network.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

import pytest_llmarith
from pytest_llmarith import exact
from tests.documents.blocks import ROOT

PAGES = sorted((ROOT / "docs").rglob("*.md"))
DESKTOP, PHONE = (1280, 900), (390, 844)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_begins_with_who_needs_it(page: Path) -> None:
    lines = [line for line in page.read_text("utf-8").splitlines() if line]
    assert lines[0].startswith("# ")
    assert lines[1].startswith("For those who")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, whose make fails at a warning."""
    folder = tmp_path_factory.mktemp("site") / "site"
    own = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MAKE", "MFLAGS", "PYTEST"))
    }
    done = subprocess.run(
        ["make", "site", f"INTO={folder}"],
        cwd=ROOT,
        env=own,
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, without which the tests that look are skipped."""
    if (chromium := shutil.which("chromium")) is None:
        pytest.skip("chromium not found: apt install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--disable-gpu", "--disable-dev-shm-usage"]
        )
        yield browser
        browser.close()


@pytest.mark.proof
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_it_is_read_from_disk(
    site: Path, browser: Browser, size: tuple[int, int], scheme: str
) -> None:
    """No page asks for anything elsewhere, reports an error, or is wider than its
    window; text and background differ.
    """
    width, height = size
    dark = scheme == "dark"
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
    )
    page = context.new_page()
    asked: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    for name in ("index", "docs/models", "docs/reports", "docs/site/api", "CHANGELOG"):
        page.goto((site / f"{name}.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        colours = page.evaluate(
            "[getComputedStyle(document.body).color, "
            "getComputedStyle(document.body).backgroundColor]"
        )
        assert len(set(colours)) == 2
    assert [url for url in asked if not url.startswith("file:")] == []
    assert errors == []
    context.close()


@pytest.mark.proof
def test_it_is_searched_without_a_server(site: Path, browser: Browser) -> None:
    page = browser.new_page()
    page.goto((site / "search.html").as_uri() + "?q=bubblewrap")
    page.wait_for_selector("#search-results a")
    links = page.locator("#search-results a").evaluate_all(
        "links => links.map(link => link.href)"
    )
    assert any("sequences.html" in link for link in links)
    page.close()


@pytest.mark.proof
def test_the_reference_has_every_public_name(site: Path) -> None:
    """Of the plugin and of exactnum, with a signature."""
    reference = (site / "docs" / "site" / "api.html").read_text("utf-8")
    names = [f"pytest_llmarith.{name}" for name in pytest_llmarith.__all__]
    names += [f"exactnum.{name}" for name in exact.__all__]
    assert [name for name in names if f'id="{name}"' not in reference] == []
