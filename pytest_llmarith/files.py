"""Atomic file writes, the project folder, and dates in HTTP headers."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import BinaryIO

# Folders and files of a project.
STORE_FOLDER = ".llmarith"
STORE_FILE = "store.sqlite"
REPORTS_FOLDER = "reports"
_LONGEST_WAIT_S = 1e9  # thirty years


def replace_file(path: Path, content: bytes | Iterable[bytes]) -> None:
    """Replace a file atomically: after a crash, the file is the old or the new one.

    Raises OSError.

    Content given as an iterable is written in chunks.
    """
    with replacement(path) as file:
        file.writelines([content] if isinstance(content, bytes) else content)


@contextmanager
def replacement(path: Path) -> Iterator[BinaryIO]:
    """The file that replaces another one once it is complete. Raises OSError."""
    # Machines that share a disk may have processes of the same number.
    beside = path.with_name(f".{path.name}.{os.urandom(4).hex()}.tmp")
    try:
        with open(beside, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def file_time() -> datetime:
    """Now, by the clock of files, which a library that freezes time does not stop."""
    with tempfile.TemporaryFile() as file:
        return datetime.fromtimestamp(os.fstat(file.fileno()).st_mtime, UTC)


def project_of(start: Path, landmark: str) -> Path:
    """The project folder that contains `start`, for commands that run outside pytest.

    It is the nearest parent with the landmark or a `pyproject.toml`, else `start`
    itself.
    """
    upwards = (start, *start.parents)
    projects = (
        folder
        for folder in upwards
        if (folder / landmark).is_dir() or (folder / "pyproject.toml").is_file()
    )
    return next(projects, start)


def retry_after_s(header: str) -> float | None:
    """Seconds in `Retry-After` (RFC 9110, section 10.2.3), which holds seconds or a
    date; None if it holds neither.
    """
    with suppress(ValueError):
        seconds = float(header)
        if not 0 <= seconds < float("inf"):
            return None
        return min(seconds, _LONGEST_WAIT_S)
    try:
        moment = parsedate_to_datetime(header)
        if moment.tzinfo is None:  # "-0000" means no zone
            moment = moment.replace(tzinfo=UTC)
        seconds = (moment - datetime.now(UTC)).total_seconds()
        return min(max(0.0, seconds), _LONGEST_WAIT_S)
    except (ValueError, OverflowError):  # the year may have any number of digits
        return None
