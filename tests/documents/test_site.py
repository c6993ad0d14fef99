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
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

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
        for size in (DESKTOP, PHONE):
            use_keys(site, browser, size)
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
        [
            *(sys.executable, "-m", "hatchling", "build", "--target=sdist"),
            f"--directory={folder}",
        ],
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


# What has the focus: its text, and whether it is in the window, uncovered, and marked.
# A box that opens contents is marked at its icon.
_FOCUS = """() => {
    let shown = document.activeElement;
    if (shown.type === "checkbox") {
        const icons = [...document.querySelectorAll(`label[for=${shown.id}] .icon`)];
        shown = icons.find(icon => icon.checkVisibility()).parentElement;
    }
    const box = shown.getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const top = document.elementFromPoint(x, y);
    return {
        text: shown.innerText.trim() || document.activeElement.ariaLabel || "",
        visible: shown.contains(top) || (top !== null && top.contains(shown)),
        marked: getComputedStyle(shown).outlineStyle !== "none",
    };
}"""


_AT_ONCE = "* { transition: none !important; scroll-behavior: auto !important }"


def use_keys(site: Path, browser: Browser, size: ViewportSize) -> None:
    """A reader without a mouse gets to the text, the theme, and what the search finds;
    the focus can be seen all the way.
    """
    context = browser.new_context(viewport=size)
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((site / "index.html").as_uri())
    page.add_style_tag(content=_AT_ONCE)
    before = tab_to(page, "Skip to content")
    assert len(before) <= 3
    page.keyboard.press("Enter")
    assert page.url.endswith("#furo-main-content")
    assert tab_to(page, "tasks of your own")

    page.goto((site / "index.html").as_uri())
    page.add_style_tag(content=_AT_ONCE)
    theme = page.evaluate("document.body.dataset.theme")
    tab_to(page, "Toggle Light / Dark / Auto color theme")
    page.keyboard.press("Enter")
    assert page.evaluate("document.body.dataset.theme") != theme

    page.goto((site / "index.html").as_uri())
    page.add_style_tag(content=_AT_ONCE)
    if size == PHONE:
        tab_to(page, "Toggle site navigation sidebar")
        page.keyboard.press("Space")
    tab_to(page, "Search")
    page.keyboard.type("bubblewrap")
    page.keyboard.press("Enter")
    page.wait_for_selector("#search-results a")
    page.add_style_tag(content=_AT_ONCE)
    tab_to(page, "Programs for integer sequences")
    page.keyboard.press("Enter")
    page.wait_for_url("**/sequences.html*")
    assert [url for url in asked if not url.startswith("file:")] == []
    context.close()


def tab_to(page: Page, text: str) -> list[str]:
    """Press Tab until this has the focus; what had it on the way."""
    passed: list[str] = []
    while text not in passed:
        page.keyboard.press("Tab")
        focus = page.evaluate(_FOCUS)
        passed.append(focus["text"])
        assert focus["visible"], passed
        assert focus["marked"], passed
        assert len(passed) < 200, passed
    return passed
