"""Room: files that are there or not there, never half, and where a project's begin. It does not know what stands in
them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

# The folders and files of a project, for pytest and for the commands of `llmarith`.
STORE_FOLDER = ".llmarith"
STORE_FILE = "store.sqlite"
OEIS_CACHE_FOLDER = "oeis_cache"
REPORTS_FOLDER = "reports"


def replace_file(path: Path, content: bytes | Iterable[bytes]) -> None:
    """Write a file at once: a reader finds the old one or the new one, also after a power cut. Raises OSError.

    Content that comes piece by piece is never held as a whole.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(beside, "wb") as file:
            file.writelines([content] if isinstance(content, bytes) else content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def project_of(start: Path, landmark: str) -> Path:
    """The project that `start` lies in, for commands that pytest has told no root.

    That is the nearest folder upwards with the landmark or a `pyproject.toml`, else with a `conftest.py` (which folders
    of tests have too), else `start` itself.
    """
    upwards = (start, *start.parents)
    projects = (folder for folder in upwards if (folder / landmark).is_dir() or (folder / "pyproject.toml").is_file())
    suites = (folder for folder in upwards if (folder / "conftest.py").is_file())
    return next(projects, next(suites, start))
