"""The cache: entries in a folder, one file each, those of the starter in a folder of its own.

It does not know how entries get there.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import fields
from functools import cached_property
from pathlib import Path

from pytest_llmarith.oeis.entries import BrokenEntry, is_number
from pytest_llmarith.oeis.entryfiles import read_entry, read_text
from pytest_llmarith.oeis.place import sync_command
from pytest_llmarith.oeis.sets import STARTER, numbers
from pytest_llmarith.values import IntegerSequence


class MissingEntry(ValueError):
    """An entry that is not in the cache; the message is one line for people."""


class Cache:
    """What a folder holds, as it was when it was first asked for: nothing is read twice."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._read: dict[Path, IntegerSequence] = {}
        self._numbers: dict[str, tuple[str, ...]] = {}

    def numbers(self, set_name: str) -> tuple[str, ...]:
        """The A-numbers of a set, ascending. Raises ValueError where the name is unknown."""
        if set_name not in self._numbers:
            self._numbers[set_name] = numbers(set_name, self.folder)
        return self._numbers[set_name]

    def entry(self, number: str, set_name: str | None = None) -> IntegerSequence:
        """The entry of a set; only the starter has files of its own. Raises MissingEntry and BrokenEntry."""
        path = self.path(number, set_name)
        if (sequence := self._read.get(path)) is None:
            sequence = self._read[path] = self._entry(path)
        return sequence

    def path(self, number: str, set_name: str | None = None) -> Path:
        """The file of an entry, whether it is there or not. Raises ValueError where that is no A-number."""
        if not is_number(number):
            raise ValueError(f"{number!r} is no A-number; write it as A000045")
        return (self.folder / STARTER if set_name == STARTER else self.folder) / f"{number}.json"

    def missing(self, set_name: str) -> list[str]:
        """The numbers of a set that have no file. Raises ValueError where the name is unknown."""
        if set_name == STARTER:
            return []
        return [number for number in self.numbers(set_name) if f"{number}.json" not in self._files]

    def is_complete(self, set_name: str) -> bool:
        """Whether there is a file for every number, and any number at all. Raises ValueError as `numbers` does."""
        return bool(self.numbers(set_name)) and not self.missing(set_name)

    def sequences(self, set_name: str) -> list[IntegerSequence]:
        """All entries of a set, by number. Raises ValueError, MissingEntry and BrokenEntry."""
        return [self.entry(number, set_name) for number in self.numbers(set_name)]

    def starter_program(self, number: str) -> str | None:
        """The reference program that stands beside an entry of the starter. Raises BrokenEntry."""
        path = self.path(number, STARTER).with_suffix(".py")
        try:
            return read_text(path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise BrokenEntry(str(path), f"cannot be read: {error.strerror}") from error

    def digest(self, set_names: Iterable[str]) -> str:
        """16 hexadecimal digits over what the entries of these sets say, not over how their files spell it."""
        said = {name: [_said(sequence) for sequence in self.sequences(name)] for name in set_names}
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode("ascii")).hexdigest()[:16]

    @cached_property
    def _files(self) -> frozenset[str]:
        try:
            return frozenset(os.listdir(self.folder))
        except (FileNotFoundError, NotADirectoryError):
            return frozenset()
        except OSError as error:
            raise BrokenEntry(str(self.folder), f"the folder cannot be listed: {error.strerror}") from error

    def _entry(self, path: Path) -> IntegerSequence:
        try:
            return read_entry(path)
        except (FileNotFoundError, NotADirectoryError):
            get = f"; run {sync_command([path.stem], self.folder)}" if path.parent == self.folder else ""
            raise MissingEntry(f"{str(path)!r} is not there{get}") from None
        except OSError as error:
            raise BrokenEntry(str(path), f"cannot be read: {error.strerror}") from error


def _said(sequence: IntegerSequence) -> list[object]:
    return [getattr(sequence, field.name) for field in fields(sequence)]
