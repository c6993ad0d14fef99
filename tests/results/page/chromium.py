"""A headless Chromium with a new profile, which loads nothing by itself: Debian's, driven by playwright."""

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
TIMEOUT_MS = 20_000  # of a busy machine


def lacking() -> str | None:
    """Why there is no browser to look with."""
    return None if shutil.which("chromium") else "chromium not found: apt install chromium"


@contextmanager
def started() -> Iterator[Viewer]:
    """A browser, closed at the end."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
        try:
            yield Viewer(browser.new_page())
        finally:
            browser.close()


class Viewer:
    """Opens pages from disk: what they say on the console, and what they request."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.said: list[str] = []
        self.requested: list[str] = []
        page.set_default_timeout(TIMEOUT_MS)
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda request: self.requested.append(request.url))

    def open(self, file: Path, address: str = "", *, width: int = 1280, dark: bool = False) -> Page:
        """Load a page anew, and wait until it shows its trials."""
        self.page.goto("about:blank")  # the same file with another fragment would not be loaded
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.emulate_media(media="screen", color_scheme="dark" if dark else "light", reduced_motion="reduce")
        self.said.clear()
        self.requested.clear()
        self.page.goto(file.as_uri() + address)
        self.page.wait_for_function("() => 'ready' in document.documentElement.dataset")
        return self.page

    def wait_for_trials(self, found: int, embedded: int) -> list[str]:
        """Wait until the table says that it found so many trials; returns the outcomes that it shows."""
        text = f"{found} of {embedded} trials"
        self.page.wait_for_function("(text) => document.getElementById('trial-count').textContent === text", arg=text)
        return self.page.locator("#trial-rows .outcome").all_text_contents()
