"""The folder of a run: a name that every file system takes, and that no other run has.

It does not know what is written into it.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from pytest_llmarith.values import Shard

# Windows allows 260 characters for a whole path; this leaves most of them to where the folder lies.
_LONGEST_MODEL = 60
# A disk that does not take as much will not take a run.
_ROOM_BYTES = 1 << 16


class UnwritableFolder(OSError):
    """No folder can be made for a run; the message is one line for people."""


def check_writable(base: Path) -> None:
    """Find out that no run could be written down below `base`, before there is one; raises UnwritableFolder."""
    with _explained(base):
        base.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=base) as file:  # a full disk makes files, and takes nothing into them
            file.write(bytes(_ROOM_BYTES))


def create_run_folder(base: Path, started: datetime, models: Sequence[str], shard: Shard | None = None) -> Path:
    """Make `<UTC time>_<model>/` below `base`, numbered from 2 where another run was faster."""
    with _explained(base):
        base.mkdir(parents=True, exist_ok=True)
        return _first_free(base, f"{_stamp(started)}_{_who(models)}{_part(shard)}")


@contextmanager
def _explained(base: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:  # ValueError: a null byte in the path
        raise UnwritableFolder(f"no folder for this run can be made in {str(base)!r}: {_why(error)}") from error


def _first_free(base: Path, name: str) -> Path:
    for candidate in _numbered(name):
        try:
            (base / candidate).mkdir()  # makes it or fails: there is no moment between asking and making
        except FileExistsError:
            continue
        return base / candidate
    raise AssertionError("there is always another number")


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}-{number}" for number in count(2))


def _stamp(started: datetime) -> str:
    return started.astimezone(UTC).strftime("%Y-%m-%dT%H-%M-%S")


def _who(models: Sequence[str]) -> str:
    return _safe(models[0]) if len(models) == 1 else f"{len(models)}-models"


def _part(shard: Shard | None) -> str:
    return f"_{shard}".replace(" ", "-") if shard else ""


def _safe(model: str) -> str:
    """A model's name as part of a file name.

    Windows' reserved names (CON, NUL, ...) need no care: the time stands before them.
    """
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", model)
    return readable[:_LONGEST_MODEL].strip("-._") or "unnamed"


def _why(error: OSError | ValueError) -> str:
    if isinstance(error, FileExistsError | NotADirectoryError):
        return "a file is in the way"
    return str(getattr(error, "strerror", None) or error)
