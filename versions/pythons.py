"""The Pythons that are installed here, as the names on PATH tell."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

_NAME = re.compile(r"python3\.\d+")
_QUESTION = "import sys; print(*sys.version_info[:3])"

Version = tuple[int, ...]


def found(path: str | None = None) -> dict[Version, Path]:
    """Each version once, the oldest first, to its patch: two Pythons of one name may be years apart."""
    folders = (path or os.environ.get("PATH", os.defpath)).split(os.pathsep)
    pythons = {version: python for python in _named(folders) if (version := _version(python))}
    return dict(sorted(pythons.items()))


def _named(folders: list[str]) -> Iterator[Path]:
    for folder in map(Path, folders):
        if folder.is_dir():
            yield from (path for path in sorted(folder.glob("python3.*")) if _NAME.fullmatch(path.name))


def _version(python: Path) -> Version | None:
    """None where it is a name without a Python behind it."""
    asked = subprocess.run([python, "-c", _QUESTION], capture_output=True, text=True, check=False)
    return tuple(map(int, asked.stdout.split())) if asked.returncode == 0 else None
