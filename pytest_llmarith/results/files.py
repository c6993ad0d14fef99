"""Files that a run or a command writes: JSON in ASCII, and files that appear when they are whole."""

from __future__ import annotations

import json
import math
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from pytest_llmarith.files import replace_file
from pytest_llmarith.results.formatting import sanitize_name

_LONGEST_NAME = 240  # characters of a path in a message


class UsageError(Exception):
    """What a user got wrong, in one line: what is wrong, where, and what to write instead."""


def name_of(path: Path) -> str:
    """A path for people. File names may hold control characters."""
    return sanitize_name(str(path), _LONGEST_NAME)


def encode(value: Any, indent: int | None = None) -> bytes:
    """JSON in ASCII, so that no reply breaks a line or talks to a terminal.

    NaN and infinity become null, and other values that JSON lacks become text.
    """
    try:
        text = json.dumps(value, allow_nan=False, default=str, indent=indent)
    except ValueError:
        text = json.dumps(_finite(value), allow_nan=False, default=str, indent=indent)
    return text.encode("ascii")


def _finite(value: Any) -> Any:
    match value:
        case float():
            return value if math.isfinite(value) else None
        case dict():
            return {str(key) if isinstance(key, float) else key: _finite(item) for key, item in value.items()}
        case list() | tuple():
            return [_finite(item) for item in value]
        case _:
            return value


def write_json(path: Path, value: Any) -> None:
    """Write indented JSON: a reader finds the old file or the new one, also after a power cut. Raises OSError."""
    replace_file(path, encode(value, indent=2) + b"\n")


@contextmanager
def new_file(option: str, target: Path, inputs: Iterable[Path], *, force: bool) -> Iterator[BinaryIO]:
    """The file that `option` names. It gets its name when it is complete.

    Raises UsageError if it cannot be written, is one of the `inputs`, or exists without `force`.
    """
    inputs = list(inputs)
    check_target(option, target, inputs, force=force)
    draft = target.with_name(f".llmarith.{os.getpid()}.tmp")  # short, as the name may be the longest there is
    try:
        with draft.open("xb") as file:
            yield file
        check_target(option, target, inputs, force=force)  # another program may have made it meanwhile
        draft.replace(target)
    except OSError as fault:
        raise unwritable(option, target, fault) from fault
    finally:
        draft.unlink(missing_ok=True)


def check_target(option: str, target: Path, inputs: Iterable[Path], *, force: bool) -> None:
    """Raise UsageError if nothing may be written under this name."""
    cause = ""
    try:
        mode = target.lstat().st_mode  # of a link itself
    except FileNotFoundError:
        mode = None
    except OSError as fault:
        raise unwritable(option, target, fault) from fault
    if os.path.realpath(target) in map(os.path.realpath, inputs):
        cause = "this is one of the files to read; name another"
    elif mode is not None and not stat.S_ISREG(mode):  # --force would remove a pipe or a device
        cause = "this exists and is not a regular file; name another"
    elif mode is not None and not force:
        cause = "the file exists; name another or add --force"
    if cause:
        raise UsageError(f"{option} {name_of(target)}: {cause}")


def unwritable(option: str, target: Path, fault: OSError) -> UsageError:
    """The error of a file that the operating system refuses to write."""
    return UsageError(f"{option} {name_of(target)}: cannot be written ({fault.strerror}); name another file")
