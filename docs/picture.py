"""Draws docs/page.png: parts of the page of a run.

make demo ARGS=--llm-reports=/tmp/demo
python -m docs.picture /tmp/demo/*/report.html > docs/page.png
"""

from __future__ import annotations

import shutil
import sys
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

_WIDTH = 1280
# What the picture leaves out: all but the first rows of long parts, and the last parts.
_LEFT_OUT = (
    "#differences h3:first-of-type ~ h3, #differences h3:first-of-type ~ h3 ~ *",
    "#d50-title, #d50-title + p, #d50-title + p + div",
    "#depth .panel:nth-child(n + 4), #depth .panels ~ *",
    "#errors .examples > div:nth-child(n + 4), #errors > details",
    "#breaking, #scores, #trials, #provenance, footer",
)


def picture(page: Path) -> bytes:
    """The picture as PNG."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        view = browser.new_page(viewport={"width": _WIDTH, "height": 900})
        view.emulate_media(color_scheme="light", reduced_motion="reduce")
        view.goto(page.resolve().as_uri())
        for parts in _LEFT_OUT:
            view.locator(parts).evaluate_all("(all) => all.map((one) => one.remove())")
        png = view.screenshot(full_page=True)
        browser.close()
    return png


def smaller(png: bytes) -> bytes:
    """The picture in 256 colours, without dithering."""
    image = Image.open(BytesIO(png)).convert("RGB")
    file = BytesIO()
    colours = image.quantize(256, dither=Image.Dither.NONE)
    colours.save(file, format="PNG", optimize=True)
    return file.getvalue()


if __name__ == "__main__":
    sys.stdout.buffer.write(smaller(picture(Path(sys.argv[1]))))
