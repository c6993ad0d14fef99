"""JSON on disk: whole files that are there or not there, and lines that are whole or not there.

Only ASCII is written. A reply may hold anything; escaped, it can neither break the encoding nor a line (there are
readers that break one at U+2028), nor talk to the terminal of whoever looks at the file.
It does not know what the values mean.
"""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import IO, Any

from pytest_llmarith.files import replace_file

# Closes a line that a kill left unfinished. JSON never holds it unescaped, so that no reader can mistake it.
TORN = b"\x18"
MENDING = TORN + b"\n"


def encode(value: Any, indent: int | None = None) -> bytes:
    """Strict JSON. What JSON cannot say is null (NaN, infinity) or its text: nobody loses a report over it."""
    try:
        text = json.dumps(value, allow_nan=False, default=str, indent=indent)
    except ValueError:
        text = json.dumps(_finite(value), allow_nan=False, default=str, indent=indent)
    return text.encode("ascii")


def write_json(path: Path, value: Any) -> None:
    """Write an indented file at once: a reader finds the old one or the new one, also after a power cut."""
    replace_file(path, encode(value, indent=2) + b"\n")


def open_for_lines(path: Path) -> IO[bytes]:
    """Open for appending, without a buffer: what is written is with the operating system."""
    return open(path, "ab", buffering=0)


def write_line(file: IO[bytes], value: Any, mend: bool = False) -> None:
    """Write one line; `mend` closes an unfinished one before it."""
    rest = memoryview((MENDING if mend else b"") + encode(value) + b"\n")
    while rest:  # one round, unless the disk is full or the line has gigabytes
        rest = rest[file.write(rest) :]


def ends_torn(path: Path) -> bool:
    """Whether the last line was never finished."""
    with open(path, "rb") as file:
        if not file.seek(0, os.SEEK_END):
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"


def _finite(value: Any) -> Any:
    match value:
        case float():
            return value if math.isfinite(value) else None
        case dict():
            return {_finite_key(key): _finite(item) for key, item in value.items()}
        case list() | tuple():
            return [_finite(item) for item in value]
        case _:
            return value


def _finite_key(key: Any) -> Any:
    return str(key) if isinstance(key, float) else key
