"""Writes the files of runs and commands:

JSON in ASCII, and files that appear when they are complete.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from pytest_llmarith.files import replace_file
from pytest_llmarith.safe_text import sanitize_name

_MOST_NAMED = 5
_LONGEST_NAME = 240  # characters of a path in a message


class UsageError(Exception):
    """Wrong usage; the message is one line: what is wrong, where, and what to write
    instead.
    """


def listed(names: Collection[str]) -> str:
    """The first names, and how many more there are."""
    if not names:
        return "none"
    shown = ", ".join(list(names)[:_MOST_NAMED])
    if len(names) > _MOST_NAMED:
        shown += f" and {len(names) - _MOST_NAMED} more"
    return shown


def name_of(path: Path) -> str:
    """A path for a message, sanitized."""
    return sanitize_name(str(path), _LONGEST_NAME)


def encode(value: Any, indent: int | None = None) -> bytes:
    """JSON in ASCII, so that a reply cannot break a line or control a terminal.

    Values that it lacks become text.
    """
    return json.dumps(value, default=str, indent=indent).encode("ascii")


def write_json(path: Path, value: Any) -> None:
    """Write indented JSON atomically: a reader finds the old file or the new one.

    Raises OSError.
    """
    replace_file(path, encode(value, indent=2) + b"\n")


@contextmanager
def new_file(
    option: str, target: Path, inputs: Iterable[Path], *, force: bool
) -> Iterator[BinaryIO]:
    """The file that `option` names; it is renamed to this name when it is complete.

    Raises UsageError if it cannot be written, is one of the `inputs`, or exists without
    `force`.
    """
    inputs = list(inputs)
    # Its name is short, as that of the file may have the maximal length.
    draft = target.with_name(f".llmarith.{os.getpid()}.tmp")
    try:
        check_target(option, target, inputs, force=force)
        with draft.open("xb") as file:
            yield file
        # Another program may have created the file meanwhile.
        check_target(option, target, inputs, force=force)
        draft.replace(target)
    except OSError as error:
        why = f"cannot be written ({error.strerror})"
        raise UsageError(
            f"{option} {name_of(target)}: {why}; name another file"
        ) from error
    finally:
        with suppress(OSError):  # it was renamed, or never created
            draft.unlink()


def check_target(
    option: str, target: Path, inputs: Iterable[Path], *, force: bool
) -> None:
    """Raise UsageError if this file may not be written, and OSError if that is
    unknown.
    """
    is_other = target.exists() and not target.is_file()  # such as a pipe
    if os.path.realpath(target) in map(os.path.realpath, inputs):
        cause = "this is one of the input files; name another file"
    elif target.is_symlink() or is_other:
        cause = "this is not a regular file; name another file"
    elif target.exists() and not force:
        cause = "the file exists; name another file or add --force"
    else:
        return
    raise UsageError(f"{option} {name_of(target)}: {cause}")


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """The folder that --output names; it gets its name when its files are complete.

    Raises UsageError if there is something of this name, or it cannot be written.
    """
    if os.path.lexists(target):
        raise UsageError(f"--output {name_of(target)}: this exists; name a new folder")
    # Beside it, where a rename does not copy.
    draft = target.with_name(f".llmarith.{os.getpid()}.tmp")
    try:
        draft.mkdir(parents=True)
        yield draft
        draft.rename(target)
    except (OSError, ValueError) as error:  # ValueError: a null byte in the path
        why = getattr(error, "strerror", None) or error
        raise UsageError(
            f"--output {name_of(target)}: cannot be written ({why}); name another folder"
        ) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
