"""The folder of a bundle, and its manifest: a hash of each file and one of the whole.

The same files have the same manifest on every machine.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from pytest_llmarith.records import Count, Part, as_dict, decode
from pytest_llmarith.results.log import LOG, SUMMARY
from pytest_llmarith.results.run_files import UsageError, name_of

MANIFEST = "manifest.json"
PAGE = "report.html"
LOCKS = ("pylock.toml", "uv.lock", "poetry.lock", "requirements.txt")
_NEEDED = (LOG, SUMMARY, PAGE)
# A run has a summary of a few megabytes at most, and a page of 5,000 trials.
_LARGEST = {LOG: 2**36, SUMMARY: 2**25, PAGE: 2**27, MANIFEST: 2**16}
_LARGEST_LOCK = 2**24

Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class FileFacts(Part):
    """What the manifest says of a file."""

    bytes: Count
    sha256: Digest


class Manifest(Part, forbid_unknown_fields=True):
    """The manifest of a bundle.

    `version`: of pytest-llmarith, which made the page
    `sha256`: of the other fields
    """

    format: Literal[1]
    run: str
    version: str
    files: dict[str, FileFacts]
    sha256: Digest

    @classmethod
    def of(cls, folder: Path, run: str, version: str) -> Manifest:
        """The manifest of the files in a folder. Raises OSError."""
        files = {}
        for path in sorted(folder.iterdir()):
            files[path.name] = facts_of(path)
        made = cls(1, run, version, files, "")
        made.sha256 = made.digest
        return made

    @property
    def digest(self) -> str:
        """The hash of the whole."""
        content = as_dict(self)
        del content["sha256"]
        return sha256(_canonical(content)).hexdigest()

    def encoded(self) -> bytes:
        """The content of its file."""
        return _canonical(as_dict(self))


def facts_of(path: Path) -> FileFacts:
    """The size and the hash of a file. Raises OSError."""
    with path.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    return FileFacts(path.stat().st_size, digest)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a folder that may be hostile: of regular files of known names
    only. No other file is opened.

    Raises UsageError in one line.
    """
    names = _names_in(folder)
    for name in (MANIFEST, LOG, SUMMARY):
        if name not in names:
            raise UsageError(
                f"{name_of(folder)}: no bundle, as it has no {name}; name a folder "
                f"that llmarith publish has written"
            )
    try:
        return decode((folder / MANIFEST).read_bytes(), Manifest)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{name_of(folder / MANIFEST)}: no manifest of a bundle ({error})"
        ) from None


def _names_in(folder: Path) -> set[str]:
    names = set()
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                names.add(entry.name)
                if len(names) > len(_LARGEST) + len(LOCKS):
                    raise UsageError(f"{name_of(folder)}: too many files for a bundle")
                _check(Path(entry.path), entry.stat(follow_symlinks=False))
    except OSError as error:
        raise UsageError(
            f"{name_of(folder)}: cannot be read ({error.strerror}); name the folder "
            f"of a bundle"
        ) from error
    return names


def _check(path: Path, seen: os.stat_result) -> None:
    """Raise UsageError if a file must not be read: a link leads elsewhere, a pipe
    never ends.
    """
    largest = _LARGEST.get(path.name, _LARGEST_LOCK)
    if not stat.S_ISREG(seen.st_mode):
        raise UsageError(f"{name_of(path)}: a bundle has only regular files")
    if seen.st_size > largest:
        raise UsageError(
            f"{name_of(path)}: {seen.st_size:,} bytes are more than the "
            f"{largest:,} that this file of a bundle may have"
        )


def differing(folder: Path, manifest: Manifest) -> Iterator[str]:
    """A line for each file that is not as the manifest says."""
    if manifest.sha256 != manifest.digest:
        yield f"{MANIFEST}: its hash of the whole is not that of its content"
    known = {*_NEEDED, *LOCKS}
    there = _names_in(folder) - {MANIFEST}
    for name in sorted(there | manifest.files.keys() | set(_NEEDED)):
        if name not in known:
            yield f"{name_of(Path(name))}: no file of a bundle has this name"
        elif name not in there:
            yield f"{name}: the file is missing"
        elif name not in manifest.files:
            yield f"{name}: {MANIFEST} does not name this file"
        elif manifest.files[name] != facts_of(folder / name):
            yield f"{name}: another hash or size than {MANIFEST} says"


def _canonical(content: object) -> bytes:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return text.encode("ascii") + b"\n"
