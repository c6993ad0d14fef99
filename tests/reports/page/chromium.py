"""A real Chromium, as Debian packages it: headless, with a profile of its own, and asking for nothing by itself.

Playwright drives it and brings no browser along; nothing is downloaded.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

QUIET = (
    *("--disable-gpu", "--disable-quic", "--disable-dev-shm-usage", "--no-first-run", "--no-default-browser-check"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions"),
    *("--disable-domain-reliability", "--metrics-recording-only"),
)
PATIENCE_MS = 20_000  # of a loaded machine
READY = "() => 'ready' in document.documentElement.dataset"


def lacking() -> str | None:
    """Why there is no browser to look with."""
    return None if shutil.which("chromium") else "chromium not found: apt install chromium"


@contextmanager
def started() -> Iterator[Viewer]:
    """A browser that is ended at the end."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
        try:
            yield Viewer(browser.new_page())
        finally:
            browser.close()


class Viewer:
    """Opens pages from disk, one after the other: what a page says, and what it asks for."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.said: list[str] = []
        self.asked: list[str] = []
        page.set_default_timeout(PATIENCE_MS)
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))

    def open(self, file: Path, address: str = "", *, width: int = 1280, dark: bool = False) -> Viewer:
        """Load a page anew, and wait until it shows its trials."""
        self.page.goto("about:blank")  # the same file with another fragment would not be loaded
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.emulate_media(media="screen", color_scheme="dark" if dark else "light", reduced_motion="reduce")
        self.said.clear()
        self.asked.clear()
        self.page.goto(file.as_uri() + address)
        self.page.wait_for_function(READY)
        return self

    def tells(self, count: str) -> None:
        """Wait until so many trials are said to be found."""
        self.page.wait_for_function(
            "(count) => document.getElementById('trial-count').textContent === count", arg=count
        )

    @property
    def outcomes(self) -> list[str]:
        """Of the trials that are shown."""
        return self.page.locator("#trial-rows .outcome").all_text_contents()
