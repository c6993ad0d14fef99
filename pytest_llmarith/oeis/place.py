"""Where the cache of entries is, if nobody says it, and how to fill it. It reads nothing that lies in it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path

FOLDER = "oeis_cache"


def default_cache(start: Path) -> Path:
    """`oeis_cache/` of the project that `start` lies in.

    That is the nearest folder upwards with an `oeis_cache/` or a `pyproject.toml`, else with a `conftest.py` (which
    folders of tests have too), else `start` itself.
    """
    upwards = (start, *start.parents)
    projects = (folder for folder in upwards if (folder / FOLDER).is_dir() or (folder / "pyproject.toml").is_file())
    suites = (folder for folder in upwards if (folder / "conftest.py").is_file())
    return next(projects, next(suites, start)) / FOLDER


def sync_command(names: Iterable[str], cache: Path) -> str:
    """What to type so that these sets or numbers get into this cache."""
    where = "" if cache.absolute() == default_cache(Path.cwd()) else f" --cache {shlex.quote(str(cache))}"
    return f"llmarith oeis sync {' '.join(names)}{where}"
