"""Entries in files, each of which is named by the number of its entry. It does not know which folder is the cache."""

from __future__ import annotations

import stat
from pathlib import Path

from pytest_llmarith.oeis.entries import BrokenEntry, parse_entry
from pytest_llmarith.values import IntegerSequence

LARGEST_BYTES = 10_000_000  # the largest real ones have some hundred thousand


def read_entry(path: Path) -> IntegerSequence:
    """The entry in a file such as `A000045.json`; raises BrokenEntry, and OSError where the file cannot be read."""
    return checked_entry(read_text(path), str(path), path.stem)


def checked_entry(text: str, where: str, number: str) -> IntegerSequence:
    """The entry of this number; raises BrokenEntry, also where it is the entry of another one."""
    sequence = parse_entry(text, where, number)
    if sequence.number != number:
        raise BrokenEntry(where, f"holds the entry {sequence.number}, not {number}")
    return sequence


def read_text(path: Path) -> str:
    """The text of a regular file of sensible size; raises BrokenEntry, and OSError where it cannot be read."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):  # a pipe would be waited for without an end
        raise BrokenEntry(str(path), "no regular file")
    if found.st_size > LARGEST_BYTES:
        raise BrokenEntry(str(path), f"larger than {LARGEST_BYTES:,} bytes, which no entry is")
    return decode(path.read_bytes(), str(path))


def decode(content: bytes, where: str) -> str:
    """UTF-8; raises BrokenEntry."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BrokenEntry(where, f"no UTF-8 at byte {error.start:,}") from None
