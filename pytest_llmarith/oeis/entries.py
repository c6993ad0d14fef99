"""One entry of the OEIS, read from the shape in which its JSON interface returns it.

What is missing or broken is an error, never a default: a guessed offset would shift every term. It does not know where
entries are kept, nor which set they belong to.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NoReturn

from pytest_llmarith.plainjson import strictly_read
from pytest_llmarith.values import IntegerSequence

_NUMBER = re.compile(r"A(?:[0-9]{6}|[1-9][0-9]{6,9})")
_TERM = re.compile(r"0|-?[1-9][0-9]*")
_OFFSET = re.compile(r"(0|-?[1-9][0-9]{0,17})(?:,[0-9]{1,18})?")
_KEYWORD = re.compile(r"[a-z]+")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff]")  # lone surrogates have no place in UTF-8
_LONGEST_EXCERPT = 40
MOST_DIGITS = 4000  # of a term: Python itself refuses to read integers of more than 4300


class BrokenEntry(ValueError):
    """A text that holds no whole entry; the message, one line, names the text, the field and what is wrong."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(_line(f"{where}: {what}"))


def is_number(text: str) -> bool:
    """Whether this is an A-number as the OEIS writes it, such as `A000045`."""
    return _NUMBER.fullmatch(text) is not None


def parse_entry(text: str, where: str, wanted: str) -> IntegerSequence:
    """Read the entry with the A-number `wanted` from `[{...}, ...]`, `{"results": [{...}, ...]}` or `{...}`.

    An answer of the OEIS holds entries that mention the number, too. `where` is what the text is called in messages.
    An entry without the field `comment` has no comments: the OEIS leaves it out. Raises BrokenEntry.
    """
    fields = _Fields(_entry_of(wanted, _json(text, where), where), where)
    return IntegerSequence(
        number=fields.number(),
        name=fields.name(),
        comments=fields.comments(),
        terms=fields.terms(),
        offset=fields.offset(),
        keywords=fields.keywords(),
    )


class _Fields:
    """The fields of one entry, each of them checked."""

    def __init__(self, entry: Mapping[str, Any], where: str) -> None:
        self._entry = entry
        self._where = where

    def number(self) -> str:
        value = self._value("number")
        if type(value) is not int:  # True is an int, too
            self._break("number", f"is {_kind(value)}, not a whole number such as 45")
        number = f"A{value:06d}"
        if value < 1 or not is_number(number):
            self._break("number", f"is {_excerpt(str(value))}, not a whole number such as 45")
        return number

    def name(self) -> str:
        name = self._text("name")
        if not name.strip():
            self._break("name", "is empty")
        return self._printable("name", name)

    def comments(self) -> tuple[str, ...]:
        comments = self._entry.get("comment", [])
        if not isinstance(comments, list) or not all(isinstance(comment, str) for comment in comments):
            self._break("comment", f"is {_kind(comments)}, not a list of texts")
        return tuple(self._printable("comment", comment) for comment in comments)

    def terms(self) -> tuple[str, ...]:
        data = self._text("data")
        if not data:
            self._break("data", "is empty; an entry without terms cannot be asked for")
        terms = tuple(data.split(","))
        for place, term in enumerate(terms, 1):
            if not _TERM.fullmatch(term):
                self._break("data", f"has {_excerpt(term)} as term {place:,}, not a whole number such as -45")
            if len(term.lstrip("-")) > MOST_DIGITS:
                self._break(
                    "data", f"has term {place:,} of {len(term.lstrip('-')):,} digits, more than {MOST_DIGITS:,}"
                )
        return terms

    def offset(self) -> int:
        offset = self._text("offset")
        found = _OFFSET.fullmatch(offset)
        if not found:
            self._break("offset", f"is {_excerpt(offset)}, not two whole numbers such as 1,3")
        return int(found[1])

    def keywords(self) -> tuple[str, ...]:
        keywords = tuple(self._text("keyword").split(","))
        for keyword in keywords:
            if not _KEYWORD.fullmatch(keyword):
                self._break("keyword", f"has {_excerpt(keyword)}, not words such as nonn,easy")
        return keywords

    def _value(self, field: str) -> Any:
        if field not in self._entry:
            self._break(field, "is missing")
        return self._entry[field]

    def _text(self, field: str) -> str:
        value = self._value(field)
        if not isinstance(value, str):
            self._break(field, f"is {_kind(value)}, not text")
        return value

    def _printable(self, field: str, text: str) -> str:
        if found := _CONTROL.search(text):
            self._break(field, f"has the character U+{ord(found[0]):04X}, which is no text")
        return text

    def _break(self, field: str, what: str) -> NoReturn:
        raise BrokenEntry(self._where, f"the field {field!r} {what}")


def _json(text: str, where: str) -> Any:
    try:
        return strictly_read(text)
    except RecursionError:
        raise BrokenEntry(where, "nested too deep for an entry") from None
    except ValueError as error:
        raise BrokenEntry(where, f"no JSON: {error}") from None


def _entry_of(wanted: str, value: Any, where: str) -> Mapping[str, Any]:
    """The entry with this number among those of a file; the only one if there is no other."""
    if isinstance(value, dict) and "results" in value:
        value = value["results"]
    entries = value if isinstance(value, list) else [value]
    if value is None or not entries:
        raise BrokenEntry(where, "holds no entry")
    for entry in entries:
        if not isinstance(entry, dict):
            raise BrokenEntry(where, f"holds {_kind(entry)}, not an entry")
    found: list[Mapping[str, Any]]
    found = [entry for entry in entries if entry.get("number") == int(wanted[1:])] if len(entries) > 1 else entries
    if len(found) != 1:
        raise BrokenEntry(where, f"holds {len(entries):,} entries, {len(found):,} of them {wanted}")
    return found[0]


def _kind(value: Any) -> str:
    """What JSON calls it. The value itself may be of any size."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list():
            return "a list"
        case _:
            return "an object"


def _excerpt(text: str) -> str:
    return ascii(text if len(text) <= _LONGEST_EXCERPT else text[:_LONGEST_EXCERPT] + "...")


def _line(text: str) -> str:
    """Text in which no character breaks the line."""
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text)
