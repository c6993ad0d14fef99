"""Parses entries of the OEIS: the JSON of its website and the `.seq` format.

A missing or malformed field is an error: with a guessed offset every term would be shifted.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

from pytest_llmarith.records import parse_json
from pytest_llmarith.types import IntegerSequence

MAX_BYTES = 10_000_000  # of an entry; the largest real ones have some hundred thousand
_NUMBER = re.compile(r"A(?:[0-9]{6}|[1-9][0-9]{6,9})")
_INTEGER = r"(?:0|-?[1-9][0-9]{0,3999})"  # Python refuses to read integers of more than 4300 digits
_NO_CONTROL = r"[^\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff]*\Z"  # UTF-8 cannot encode lone surrogates

_SEQ_LINE = re.compile(r"%([A-Za-z]) (A[0-9]{6,10})(?: (.*))?")
_SEQ_FIELDS = {"N": "name", "O": "offset", "K": "keyword"}


class BrokenEntry(ValueError):
    """A text is not an entry; the message is one line with the name of the text and what is wrong."""

    def __init__(self, where: str, what: str) -> None:
        line = f"{where}: {what}"
        super().__init__("".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in line))


def is_number(text: str) -> bool:
    """Whether this is an A-number as the OEIS writes it, such as `A000045`."""
    return _NUMBER.fullmatch(text) is not None


def read_entry(path: Path) -> IntegerSequence:
    """The entry in a file such as `A000045.json`. Raises BrokenEntry, and OSError if the file cannot be read."""
    return parse_entry(read_text(path), str(path), path.stem)


def read_text(path: Path) -> str:
    """The text of a regular file of at most MAX_BYTES. Raises BrokenEntry, and OSError if it cannot be read."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):  # reading a pipe would block
        raise BrokenEntry(str(path), "not a regular file")
    if found.st_size > MAX_BYTES:
        raise BrokenEntry(str(path), f"larger than {MAX_BYTES:,} bytes, which no entry is")
    return decode(path.read_bytes(), str(path))


def decode(content: bytes, where: str) -> str:
    """The bytes as UTF-8. Raises BrokenEntry."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BrokenEntry(where, f"not UTF-8 at byte {error.start:,}") from None


def parse_entry(text: str, where: str, number: str) -> IntegerSequence:
    """The entry of this A-number in JSON text: `[{...}, ...]`, `{"results": [{...}, ...]}` or `{...}`.

    A search result of the OEIS also contains entries that mention the number. `where` is the name of the text in
    messages. An entry without the field `comment` has no comments. Raises BrokenEntry.
    """
    try:
        entry = msgspec.convert(_find(number, text, where), _Entry)
    except msgspec.ValidationError as error:
        what, _, path = f"{error}".partition(" - at ")
        raise BrokenEntry(where, f"malformed field {path}" if "regex" in what else f"{error}") from None
    terms, keywords = tuple(entry.data.split(",")), tuple(entry.keyword.split(","))
    return IntegerSequence(
        number, entry.name, tuple(entry.comment), terms, int(entry.offset.partition(",")[0]), keywords
    )


class _Entry(msgspec.Struct):
    """The fields that a sequence needs."""

    name: Annotated[str, msgspec.Meta(pattern=rf"\A(?=.*\S){_NO_CONTROL}")]
    data: Annotated[str, msgspec.Meta(pattern=rf"\A{_INTEGER}(?:,{_INTEGER})*\Z")]
    offset: Annotated[str, msgspec.Meta(pattern=r"\A(?:0|-?[1-9][0-9]{0,17})(?:,[0-9]{1,18})?\Z")]
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
    entries = [entry for entry in (value if isinstance(value, list) else [value]) if isinstance(entry, dict)]
    found = [entry for entry in entries if entry.get("number") == int(number[1:]) and type(entry["number"]) is int]
    if len(found) != 1:
        raise BrokenEntry(where, f"holds {len(entries):,} entries, {len(found):,} of them {number}")
    return found[0]


def seq_fields(text: str, where: str, number: str) -> dict[str, object]:
    """The entry of this A-number in a `.seq` file, with the fields of the JSON that a sequence needs.

    A `.seq` file has lines such as `%O A000045 0,4`. A field without a line is absent. Raises BrokenEntry if the text
    has no line of the entry.
    """
    found = [one.groups(default="") for line in text.split("\n") if (one := _SEQ_LINE.fullmatch(line.rstrip("\r")))]
    lines = [(kind, content) for kind, entry, content in found if entry == number]
    if not lines:
        raise BrokenEntry(where, f"has no lines such as %N {number} ...")
    fields: dict[str, object] = {"number": int(number[1:])}
    fields |= {_SEQ_FIELDS[kind]: content.strip() for kind, content in lines if kind in _SEQ_FIELDS}
    if any(kind in "VWX" for kind, _ in lines):
        raise BrokenEntry(where, "has lines %V, %W or %X, which an older format used for signed terms")
    if terms := "".join(content.strip() for kind, content in lines if kind in "STU"):
        fields["data"] = terms  # a line that continues ends with a comma
    if comments := [content for kind, content in lines if kind == "C"]:
        fields["comment"] = comments
    return fields
