"""How this package was installed, and the command that adds to it what is missing."""

from __future__ import annotations

import json
import os
import shlex
import sys
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec

_NAME = "pytest-llmarith"


def origin() -> str | None:
    """The URL of the clone or of the file that was installed; None if it came from an
    index.
    """
    try:
        written = distribution(_NAME).read_text("direct_url.json")
    except PackageNotFoundError:
        return None
    if not written:
        return None
    url = json.loads(written).get("url")
    return url if isinstance(url, str) else None


def install_command(*packages: str) -> str:
    """The command that installs packages where this one is: an environment that uv made
    has no pip.
    """
    python = sys.executable
    beside = os.path.relpath(python)
    if not beside.startswith(os.pardir):
        python = beside
    command = [python, "-m", "pip", "install"]
    if find_spec("pip") is None:
        command = ["uv", "pip", "install", "--python", python]
    return " ".join([*command, *map(shlex.quote, packages)])


def install_extra(extra: str) -> str:
    """The command that installs what an extra consists of.

    It names the packages and not `pytest-llmarith[extra]`, which an index may not have.
    """
    from packaging.requirements import Requirement

    packages = []
    for line in distribution(_NAME).requires or ():
        needed = Requirement(line)
        marker = needed.marker
        if marker is None or marker.evaluate({"extra": ""}):
            continue
        if marker.evaluate({"extra": extra}):
            packages.append(f"{needed.name}{needed.specifier}")
    return install_command(*packages)
