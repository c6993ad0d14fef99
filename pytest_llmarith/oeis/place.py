"""Where the cache of entries is, if nobody says it, and how to fill it. It reads nothing that lies in it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path

from pytest_llmarith.files import project_of
from pytest_llmarith.values.folders import OEIS_CACHE_FOLDER


def default_cache(start: Path) -> Path:
    """`oeis_cache/` of the project that `start` lies in."""
    return project_of(start, OEIS_CACHE_FOLDER) / OEIS_CACHE_FOLDER


def sync_command(names: Iterable[str], cache: Path) -> str:
    """What to type so that these sets or numbers get into this cache."""
    where = "" if cache.absolute() == default_cache(Path.cwd()) else f" --cache {shlex.quote(str(cache))}"
    return f"llmarith oeis sync {' '.join(names)}{where}"
