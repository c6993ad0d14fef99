"""Atomic file writes, the project folder, strict JSON, and dates in HTTP headers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, NoReturn

DEEPEST = 50  # nesting levels of a JSON value that is sent or stored
# Folders and files of a project.
STORE_FOLDER = ".llmarith"
STORE_FILE = "store.sqlite"
OEIS_CACHE_FOLDER = "oeis_cache"
REPORTS_FOLDER = "reports"


def replace_file(path: Path, content: bytes | Iterable[bytes]) -> None:
    """Replace a file atomically: after a crash, the file is the old or the new one. Raises OSError.

    Content given as an iterable is written in chunks.
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
    """The project folder that contains `start`, for commands that run outside pytest.

    It is the nearest parent with the landmark or a `pyproject.toml`, else with a `conftest.py`, else `start` itself.
    """
    upwards = (start, *start.parents)
    projects = (folder for folder in upwards if (folder / landmark).is_dir() or (folder / "pyproject.toml").is_file())
    suites = (folder for folder in upwards if (folder / "conftest.py").is_file())
    return next(projects, next(suites, start))


def parse_json(text: str | bytes) -> Any:
    """Parse JSON strictly.

    Raises ValueError, also for NaN and infinity, and RecursionError if the value is nested too deep.
    """
    return json.loads(text, parse_constant=_refuse)


def is_shallow(value: Any, levels: int = DEEPEST) -> bool:
    """Whether a JSON value has at most this many levels: Python can parse deeper values than it can copy and write."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels > 0 and all(is_shallow(one, levels - 1) for one in inside)


def seconds_until(date: str) -> float | None:
    """Seconds until a date in an HTTP header (RFC 9110, section 10.2.3); 0 if past, None if it is not a date."""
    try:
        moment = parsedate_to_datetime(date)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)  # "-0000" means no zone
        return max(0.0, (moment - datetime.now(UTC)).total_seconds())
    except (ValueError, OverflowError):  # the year may have any number of digits
        return None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
