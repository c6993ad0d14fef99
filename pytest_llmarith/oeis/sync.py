"""Copies entries from the website of the OEIS or from a folder into the cache."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pytest_llmarith.files import replace_file
from pytest_llmarith.oeis.entries import BrokenEntry, decode, is_number, parse_entry, read_entry, read_text, seq_fields

NOTICE_FILE = "NOTICE.md"
_SUFFIXES = (".json", ".seq")  # the first one is preferred: it has more fields


class Unavailable(Exception):
    """An entry is not available; the message is one line. If `ends_sync`, other entries would fail, too."""

    def __init__(self, message: str, ends_sync: bool = False) -> None:
        super().__init__(message)
        self.ends_sync = ends_sync


class Source(Protocol):
    """Returns entries as unchecked JSON in UTF-8."""

    def read(self, number: str) -> tuple[str, bytes]:
        """The location of the entry, for messages, and its content. Raises Unavailable and BrokenEntry."""


class FolderSource:
    """A folder of files such as `A000045.json` or `A000045.seq`, at any depth."""

    def __init__(self, folder: Path) -> None:
        """Raises OSError if the folder cannot be listed."""
        os.listdir(folder)  # os.walk ignores errors
        self._folder = folder
        self._files: dict[str, Path] = {}
        found = [Path(parent, name) for parent, _, names in os.walk(folder) for name in names]
        for suffix in _SUFFIXES:
            for path in sorted(path for path in found if path.suffix == suffix and is_number(path.stem)):
                self._files.setdefault(path.stem, path)

    def read(self, number: str) -> tuple[str, bytes]:
        if number not in self._files:
            raise Unavailable(f"neither {number}.json nor {number}.seq is in {str(self._folder)!r}")
        path = self._files[number]
        try:
            text = read_text(path)
        except OSError as error:
            raise Unavailable(f"{str(path)!r} cannot be read: {error.strerror}") from error
        if path.suffix == ".seq":
            text = json.dumps([seq_fields(text, str(path), number)]) + "\n"
        return str(path), text.encode("utf-8")


@dataclass(frozen=True, slots=True)
class Synced:
    """How many entries were present, were written, failed (number and reason), and were not tried (`left`)."""

    present: int
    written: int
    failed: tuple[tuple[str, str], ...]
    left: int = 0

    @property
    def is_complete(self) -> bool:
        return not self.failed and not self.left


def sync(
    numbers: Sequence[str],
    cache: Path,
    source: Source,
    notice: bytes,
    refresh: bool = False,
    on_entry: Callable[[str, int, int], None] = lambda number, done, total: None,
) -> Synced:
    """Write the entries of these A-numbers into the cache; with `refresh`, replace those that are present.

    Intact entries are not fetched again, so the same call resumes an interrupted one. `notice`, the license of the
    entries, is written beside them. `on_entry` is called before each entry with its number, how many are done, and how
    many there are. Raises OSError if the cache cannot be written.
    """
    cache.mkdir(parents=True, exist_ok=True)
    replace_file(cache / NOTICE_FILE, notice)
    files = {number: cache / f"{number}.json" for number in numbers}
    waiting = [number for number, file in files.items() if refresh or not _is_intact(file)]
    failed: list[tuple[str, str]] = []
    tried = 0
    for number in waiting:
        on_entry(number, tried, len(waiting))
        tried += 1
        try:
            where, content = source.read(number)
            parse_entry(decode(content, where), where, number)
            replace_file(files[number], content)
        except (BrokenEntry, Unavailable) as error:
            failed.append((number, str(error)))
            if isinstance(error, Unavailable) and error.ends_sync:
                break
    return Synced(len(files) - len(waiting), tried - len(failed), tuple(failed), len(waiting) - tried)


def _is_intact(path: Path) -> bool:
    try:
        read_entry(path)
    except (OSError, BrokenEntry):
        return False
    return True
