"""The folder of a bundle, and its manifest: a hash of each file and one of the whole.

The same files have the same manifest on every machine.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from pytest_llmarith.records import Part, as_dict, decode
from pytest_llmarith.results.log import LOG, SUMMARY
from pytest_llmarith.results.run_files import UsageError, name_of

MANIFEST = "manifest.json"
PAGE = "report.html"
LOCKS = ("pylock.toml", "uv.lock", "poetry.lock", "requirements.txt")
_KNOWN = {LOG, SUMMARY, PAGE, MANIFEST, *LOCKS}
_LARGEST = 2**26  # bytes of a file other than the log, which is read line by line

Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class Manifest(Part, forbid_unknown_fields=True):
    """The manifest of a bundle.

    `version`: of pytest-llmarith, which made the page
    `files`: the SHA-256 of each
    `sha256`: of the other fields
    """

    format: Literal[1]
    run: str
    version: str
    files: dict[str, Digest]
    sha256: Digest

    @classmethod
    def of(cls, folder: Path, run: str, version: str) -> Manifest:
        """The manifest of the files in a folder. Raises OSError."""
        files = {path.name: digest_of(path) for path in sorted(folder.iterdir())}
        made = cls(1, run, version, files, "")
        made.sha256 = made.digest
        return made

    @property
    def digest(self) -> str:
        """The hash of the whole."""
        return sha256(self.encoded(but="sha256")).hexdigest()

    def encoded(self, but: str = "") -> bytes:
        """The content of its file, without a field."""
        content = {name: one for name, one in as_dict(self).items() if name != but}
        text = json.dumps(content, sort_keys=True, separators=(",", ":"))
        return text.encode("ascii") + b"\n"


def digest_of(path: Path) -> str:
    """The SHA-256 of a file. Raises OSError."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a folder that may be hostile: of regular files of known names
    only. No other file is opened.

    Raises UsageError in one line.
    """
    names = set()
    try:
        for path in folder.iterdir():
            names.add(path.name)
            is_large = path.name != LOG and path.lstat().st_size > _LARGEST
            if path.name not in _KNOWN or path.is_symlink() or not path.is_file():
                raise UsageError(f"{name_of(path)}: no file of a bundle")
            if is_large:
                raise UsageError(f"{name_of(path)}: too large for a bundle")
        if not names >= {LOG, SUMMARY, MANIFEST}:
            raise UsageError(
                f"{name_of(folder)}: no bundle; name a folder of llmarith publish"
            )
        return decode((folder / MANIFEST).read_bytes(), Manifest)
    except (OSError, ValueError) as error:
        raise UsageError(f"{name_of(folder)}: no bundle ({error})") from None


def differing(folder: Path, manifest: Manifest) -> Iterator[str]:
    """A line for each file that is not as the manifest says."""
    if manifest.sha256 != manifest.digest:
        yield f"{MANIFEST}: its hash of the whole is not that of its content"
    there = {path.name for path in folder.iterdir()} - {MANIFEST}
    for name in sorted(there | {PAGE} | manifest.files.keys()):
        if name not in there:
            yield f"{name}: this file is missing"
        elif manifest.files.get(name) != digest_of(folder / name):
            yield f"{name}: {MANIFEST} has no or another hash of this file"
