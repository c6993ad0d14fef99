"""Where entries come from: what a source is, and the source that is a folder. It does not know where entries go."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Protocol

from pytest_llmarith.oeis.entries import is_number
from pytest_llmarith.oeis.entryfiles import read_text
from pytest_llmarith.oeis.seqfile import fields_of_seq

_KINDS = (".json", ".seq")  # the first one wins: it says more


class Unavailable(Exception):
    """An entry that a source did not give, in one line; where it is `hopeless`, it gives no other one either."""

    def __init__(self, message: str, hopeless: bool = False) -> None:
        super().__init__(message)
        self.hopeless = hopeless


class Source(Protocol):
    """Gives entries as JSON text in UTF-8, whose fields nobody has looked at."""

    def read(self, number: str) -> tuple[str, bytes]:
        """Where the entry was found, for messages, and the entry. Raises Unavailable and BrokenEntry."""


class FolderSource:
    """A folder that holds files such as `A000045.json` or `A000045.seq`, in folders of any depth."""

    def __init__(self, folder: Path) -> None:
        """Raises OSError where the folder cannot be listed."""
        os.listdir(folder)  # walking passes over a folder that is not there, without a word
        self._folder = folder
        self._files = _files_by_number(folder)

    def read(self, number: str) -> tuple[str, bytes]:
        if number not in self._files:
            raise Unavailable(f"neither {number}.json nor {number}.seq is in {str(self._folder)!r}")
        path = self._files[number]
        try:
            text = read_text(path)
        except OSError as error:
            raise Unavailable(f"{str(path)!r} cannot be read: {error.strerror}") from error
        if path.suffix == ".seq":
            text = json.dumps([fields_of_seq(text, str(path), number)]) + "\n"
        return str(path), text.encode("utf-8")


def _files_by_number(folder: Path) -> dict[str, Path]:
    """The first file of every number: JSON before `.seq`, then by path."""
    found: dict[str, tuple[int, str]] = {}
    for parent, _, names in os.walk(folder):
        for name in names:
            number, kind = os.path.splitext(name)
            if kind in _KINDS and is_number(number):
                one = (_KINDS.index(kind), os.path.join(parent, name))
                found[number] = min(one, found.get(number, one))
    return {number: Path(path) for number, (_, path) in found.items()}
