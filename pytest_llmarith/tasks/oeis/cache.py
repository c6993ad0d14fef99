"""Entries of the OEIS: sets of sequences, a cache of entries, and two file formats.

The cache is a folder with a file per entry. Four sets are those of arXiv 2411.04372,
listed by number; the starter set is the content of a folder in the cache.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import msgspec

from pytest_llmarith.files import project_of
from pytest_llmarith.records import parse_json
from pytest_llmarith.tasks.oeis.details import IntegerSequence

CLASSIC = ("classic_easy", "classic_hard")
STARTER = "starter"
_FOLDER = "oeis_cache"
_PAPER = (*CLASSIC, "contemporary_easy", "contemporary_hard")
SETS = (*_PAPER, STARTER)
_MAX_NAMED = 3  # missing entries in a message
STATUS_HEADINGS = [
    "set",
    "present",
    "missing",
    "broken",
    "oldest",
    "newest",
    "first missing",
]
MAX_BYTES = 10_000_000  # of an entry; the largest real ones have some hundred thousand
_NUMBER = re.compile(r"A(?:[0-9]{6}|[1-9][0-9]{6,9})")
# Python refuses to read integers of more than 4300 digits.
_INTEGER = r"(?:0|-?[1-9][0-9]{0,3999})"
# UTF-8 cannot encode lone surrogates.
_NO_CONTROL = r"[^\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff]*\Z"

_SEQ_LINE = re.compile(r"%([A-Za-z]) (A[0-9]{6,10})(?: (.*))?")
_SEQ_FIELDS = {"N": "name", "O": "offset", "K": "keyword"}


def wanted_numbers(names: Sequence[str]) -> tuple[str, ...]:
    """The A-numbers to fetch for names of sets and A-numbers, each once.

    By default they are those of both classic sets. Raises ValueError for another name,
    and for the starter set, which is not fetched.
    """
    found = []
    for name in names or CLASSIC:
        if name == STARTER:
            raise ValueError(
                f"{STARTER} comes with a project and is not fetched; name one of "
                f"{', '.join(_PAPER)}"
            )
        if is_number(name):
            found.append(name)
        elif name in _PAPER:
            found += _listed(name)
        else:
            raise ValueError(
                f"{name!r} is neither an A-number such as A000045 nor one of "
                f"{', '.join(_PAPER)}"
            )
    return tuple(dict.fromkeys(found))


def check_name(set_name: str) -> None:
    """Raises ValueError if no set has this name."""
    if set_name not in SETS:
        raise ValueError(
            f"{set_name!r} is not a set of sequences; write one or more of "
            f"{', '.join(SETS)}"
        )


def _listed(set_name: str) -> tuple[str, ...]:
    file = files("pytest_llmarith.tasks.oeis") / "numbers" / f"{set_name}.txt"
    return tuple(file.read_text("ascii").split())


class Cache:
    """The entries in a folder; each file is read once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._entries: dict[Path, IntegerSequence] = {}

    def numbers(self, set_name: str) -> tuple[str, ...]:
        """The A-numbers of a set, ascending.

        Raises ValueError if the name is unknown, BrokenEntry if the name of a file of
        the starter is not an A-number.
        """
        check_name(set_name)
        if set_name != STARTER:
            return _listed(set_name)
        found = []
        for path in (self.folder / STARTER).glob("*.json"):
            if path.name.startswith("."):
                continue
            if not is_number(path.stem):
                raise BrokenEntry(
                    str(path),
                    "the name is not an A-number; rename it, such as A000045.json, or "
                    "remove it",
                )
            found.append(path.stem)
        return tuple(sorted(found, key=lambda number: int(number[1:])))

    def entry(self, number: str, set_name: str | None = None) -> IntegerSequence:
        """The entry of a number; if `set_name` is the starter, its entry.

        Raises BrokenEntry.
        """
        path = self.path(number, set_name)
        if path not in self._entries:
            self._entries[path] = self._read(path)
        return self._entries[path]

    def path(self, number: str, set_name: str | None = None) -> Path:
        """The file of an entry, which may be missing.

        Raises ValueError if `number` is not an A-number.
        """
        if not is_number(number):
            raise ValueError(f"{number!r} is not an A-number; write it as A000045")
        folder = self.folder / STARTER if set_name == STARTER else self.folder
        return folder / f"{number}.json"

    def missing(self, set_name: str) -> list[str]:
        """The numbers of a set without a file.

        Raises ValueError if the name is unknown.
        """
        missing = []
        for number in self.numbers(set_name):
            if not self.path(number, set_name).is_file():
                missing.append(number)
        return missing

    def sequences(self, set_name: str) -> list[IntegerSequence]:
        """All entries of a set, by number. Raises ValueError, such as BrokenEntry."""
        return [self.entry(number, set_name) for number in self.numbers(set_name)]

    def starter_program(self, number: str) -> str | None:
        """The reference program of a sequence of the starter, if there is one.

        Raises BrokenEntry.
        """
        path = self.path(number, STARTER).with_suffix(".py")
        try:
            return read_text(path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise BrokenEntry(str(path), f"cannot be read: {error.strerror}") from error

    def digest(self, set_names: Iterable[str]) -> str:
        """16 hexadecimal digits of a hash over the content of the entries.

        The layout of their JSON does not matter.
        """
        names = [field.name for field in fields(IntegerSequence)]
        content = {}
        for set_name in set_names:
            content[set_name] = list[list[Any]]()
            for entry in self.sequences(set_name):
                content[set_name].append([getattr(entry, name) for name in names])
        text = json.dumps(content, sort_keys=True)
        return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]

    def _read(self, path: Path) -> IntegerSequence:
        try:
            return read_entry(path)
        except (FileNotFoundError, NotADirectoryError):
            what = "missing"
            if path.parent == self.folder:
                what = f"missing; run {sync_command([path.stem], self.folder)}"
            raise BrokenEntry(str(path), what) from None
        except OSError as error:
            raise BrokenEntry(str(path), f"cannot be read: {error.strerror}") from error


def default_cache(start: Path) -> Path:
    """`oeis_cache/` of the project that contains `start`."""
    return project_of(start, _FOLDER) / _FOLDER


def sync_command(names: Iterable[str], cache: Path) -> str:
    """The command that fetches these sets or numbers into this cache."""
    command = f"llmarith oeis sync {' '.join(names)}"
    if cache.absolute() == default_cache(Path.cwd()):
        return command
    return f"{command} --cache {shlex.quote(str(cache))}"


def checked_sets(asked: Sequence[str], cache: Cache) -> tuple[str, ...]:
    """The names of the sets, each once.

    Raises ValueError, in one line, if one is unknown or lacks entries.
    """
    chosen = tuple(dict.fromkeys(asked))
    if STARTER in chosen and not cache.numbers(STARTER):
        raise ValueError(
            f"{str(cache.folder / STARTER)!r} has no entry; "
            "name the oeis_cache of a clone with oeis_cache, or another set"
        )
    lacking = {}
    for name in chosen:
        missing = cache.missing(name)
        if missing:
            lacking[name] = f"{name} lacks {len(missing)} entries ({_few(missing)})"
    if lacking:
        raise ValueError(
            f"{'; '.join(lacking.values())} in {str(cache.folder)!r}; run "
            f"{sync_command(lacking, cache.folder)}"
        )
    return chosen


def status(cache: Cache) -> tuple[list[list[str]], list[str]]:
    """A row of `STATUS_HEADINGS` for each set, and a line for each broken entry.

    The dates are those of the files, in UTC. Raises BrokenEntry if the starter set has
    a misnamed file.
    """
    rows = []
    broken = []
    for name in SETS:
        missing = cache.missing(name)
        present = [number for number in cache.numbers(name) if number not in missing]
        broken_here = []
        dates = []
        for number in present:
            try:
                cache.entry(number, name)
            except BrokenEntry as error:
                broken_here.append(str(error))
            written_at = cache.path(number, name).stat().st_mtime
            dates.append(f"{datetime.fromtimestamp(written_at, UTC):%Y-%m-%d}")
        broken += broken_here
        rows.append(
            [
                name,
                str(len(present)),
                str(len(missing)),
                str(len(broken_here)),
                min(dates, default="-"),
                max(dates, default="-"),
                _few(missing),
            ]
        )
    return rows, broken


def _few(numbers: Sequence[str]) -> str:
    shown = list(numbers[:_MAX_NAMED])
    if len(numbers) > _MAX_NAMED:
        shown.append("...")
    return ", ".join(shown)


# --- the formats: JSON of the website, and `.seq` -------------------------------------

# A missing or malformed field is an error: with a guessed offset every term would be
# shifted.


class BrokenEntry(ValueError):
    """A text is not an entry; the message is a line with its name and what is wrong."""

    def __init__(self, where: str, what: str) -> None:
        line = ""
        for sign in f"{where}: {what}":
            line += sign if sign.isprintable() else ascii(sign)[1:-1]
        super().__init__(line)


def is_number(text: str) -> bool:
    """Whether this is an A-number as the OEIS writes it, such as `A000045`."""
    return _NUMBER.fullmatch(text) is not None


def read_entry(path: Path) -> IntegerSequence:
    """The entry in a file such as `A000045.json`.

    Raises BrokenEntry, and OSError if the file cannot be read.
    """
    return parse_entry(read_text(path), str(path), path.stem)


def read_text(path: Path) -> str:
    """The text of a regular file of at most MAX_BYTES.

    Raises BrokenEntry, and OSError if it cannot be read.
    """
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):  # reading a pipe would block
        raise BrokenEntry(str(path), "not a regular file")
    if found.st_size > MAX_BYTES:
        raise BrokenEntry(
            str(path), f"larger than {MAX_BYTES:,} bytes, which no entry is"
        )
    return decode(path.read_bytes(), str(path))


def decode(content: bytes, where: str) -> str:
    """The bytes as UTF-8. Raises BrokenEntry."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BrokenEntry(where, f"not UTF-8 at byte {error.start:,}") from None


def parse_entry(text: str, where: str, number: str) -> IntegerSequence:
    """The entry of this A-number in JSON text.

    The text is `[{...}, ...]`, `{"results": [{...}, ...]}` or `{...}`. A search result
    of the OEIS also contains entries that mention the number. `where` is the name of
    the text in messages. An entry without the field `comment` has no comments. Raises
    BrokenEntry.
    """
    try:
        entry = msgspec.convert(_find(number, text, where), _Entry)
    except msgspec.ValidationError as error:
        what, _, path = str(error).partition(" - at ")
        if "regex" in what:
            raise BrokenEntry(where, f"malformed field {path}") from None
        raise BrokenEntry(where, str(error)) from None
    offset, _, _ = entry.offset.partition(",")
    return IntegerSequence(
        number,
        entry.name,
        tuple(entry.comment),
        terms=tuple(entry.data.split(",")),
        offset=int(offset),
        keywords=tuple(entry.keyword.split(",")),
    )


class _Entry(msgspec.Struct):
    """The fields that a sequence needs."""

    name: Annotated[str, msgspec.Meta(pattern=rf"\A(?=.*\S){_NO_CONTROL}")]
    data: Annotated[str, msgspec.Meta(pattern=rf"\A{_INTEGER}(?:,{_INTEGER})*\Z")]
    offset: Annotated[
        str, msgspec.Meta(pattern=r"\A(?:0|-?[1-9][0-9]{0,17})(?:,[0-9]{1,18})?\Z")
    ]
    keyword: Annotated[str, msgspec.Meta(pattern=r"\A[a-z]+(?:,[a-z]+)*\Z")]
    comment: list[Annotated[str, msgspec.Meta(pattern=rf"\A{_NO_CONTROL}")]] = []


def _find(number: str, text: str, where: str) -> Mapping[str, Any]:
    try:
        value = parse_json(text)
    except RecursionError:
        raise BrokenEntry(where, "nested too deeply") from None
    except ValueError as error:
        raise BrokenEntry(where, f"not JSON: {error}") from None
    if isinstance(value, dict):
        value = value.get("results", value)
    items = value if isinstance(value, list) else [value]
    entries = [item for item in items if isinstance(item, dict)]
    found = []
    for entry in entries:
        own = entry.get("number")
        if type(own) is int and own == int(number[1:]):
            found.append(entry)
    if len(found) != 1:
        raise BrokenEntry(
            where, f"holds {len(entries):,} entries, {len(found):,} of them {number}"
        )
    return found[0]


def seq_fields(text: str, where: str, number: str) -> dict[str, object]:
    """The entry of this A-number in a `.seq` file, as fields of the JSON.

    A `.seq` file has lines such as `%O A000045 0,4`. A field without a line is absent.
    Raises BrokenEntry if the text has no line of the entry.
    """
    fields: dict[str, object] = {"number": int(number[1:])}
    terms = ""
    comments = []
    has_lines = False
    for line in text.split("\n"):
        found = _SEQ_LINE.fullmatch(line.rstrip("\r"))
        if found is None or found[2] != number:
            continue
        has_lines = True
        kind = found[1]
        content = found[3] or ""
        if kind in _SEQ_FIELDS:
            fields[_SEQ_FIELDS[kind]] = content.strip()
        elif kind in ("S", "T", "U"):
            terms += content.strip()  # a line that continues ends with a comma
        elif kind == "C":
            comments.append(content)
        elif kind in ("V", "W", "X"):
            raise BrokenEntry(
                where,
                "has lines %V, %W or %X, which an older format used for signed terms",
            )
    if not has_lines:
        raise BrokenEntry(where, f"has no lines such as %N {number} ...")
    if terms:
        fields["data"] = terms
    if comments:
        fields["comment"] = comments
    return fields
