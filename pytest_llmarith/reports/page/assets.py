"""The page's style and script: files of their own here, inlined there, and named by hash to the browser.

It does not know what they do.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from importlib.resources import files

STYLES = ("page.css", "pictures.css", "browser.css", "print.css")
SCRIPTS = ("unpacking.js", "texts.js", "digits.js", "tables.js", "filters.js", "detail.js", "browser.js")


@cache
def style() -> str:
    """All style sheets as one."""
    return _joined(STYLES)


@cache
def script() -> str:
    """All scripts as one module, in which each file sees those before it."""
    return _joined(SCRIPTS)


def policy() -> str:
    """The Content-Security-Policy of the page: these styles and this script, and nothing from anywhere.

    The one image is the empty icon that keeps browsers from asking a server for one.
    """
    allowed = {
        "default-src": "'none'",
        "style-src": _hash(style()),
        "script-src": _hash(script()),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{kind} {source}" for kind, source in allowed.items())


def _joined(names: Iterable[str]) -> str:
    folder = files(__package__).joinpath("assets")
    return "\n".join(folder.joinpath(name).read_text("utf-8") for name in names)


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode('ascii')}'"
