"""What crosses the edges of the program: files that are written whole, strict JSON, dates of HTTP headers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, NoReturn

DEEPEST = 50  # levels of a JSON value that is sent or stored
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


def strictly_read(text: str | bytes) -> Any:
    """The value of a JSON text.

    Raises ValueError, also for NaN and infinity, which Python accepts; RecursionError if it is nested too deep.
    """
    return json.loads(text, parse_constant=_refuse)


def is_shallow(value: Any, levels: int = DEEPEST) -> bool:
    """Whether a JSON value has at most this many levels: Python reads deeper values than it copies and writes."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels > 0 and all(is_shallow(one, levels - 1) for one in inside)


def seconds_until(date: str) -> float | None:
    """Seconds until a date of an HTTP header (RFC 9110, section 10.2.3), 0 if it has passed; None if it is no date."""
    try:
        moment = parsedate_to_datetime(date)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)  # "-0000" has no zone
        return max(0.0, (moment - datetime.now(UTC)).total_seconds())
    except (ValueError, OverflowError):  # the year may have any number of digits
        return None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")
