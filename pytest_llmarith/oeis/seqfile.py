"""The OEIS's internal format, `.seq`: lines such as `%O A000045 0,4`. It does not check what they say."""

from __future__ import annotations

import re

from pytest_llmarith.oeis.entries import BrokenEntry

_LINE = re.compile(r"%([A-Za-z]) (A[0-9]{6,10})(?: (.*))?")
_TERMS = "STU"
_SIGNED_TERMS = "VWX"  # files of long ago hold absolute values in S, T, U, and the terms here
_FIELDS = {"N": "name", "O": "offset", "K": "keyword"}


def fields_of_seq(text: str, where: str, wanted: str) -> dict[str, object]:
    """The entry with this A-number as an object of the JSON interface, with the fields alone that a sequence needs.

    A line that is missing leaves its field out. Raises BrokenEntry if the text has no line of that entry.
    """
    found = [one.groups(default="") for line in text.split("\n") if (one := _LINE.fullmatch(line.rstrip("\r")))]
    lines = [line for line in found if line[1] == wanted]
    if not lines:
        raise BrokenEntry(where, f"has no lines such as %N {wanted} ...")
    fields: dict[str, object] = {"number": int(wanted[1:])}
    fields |= {_FIELDS[kind]: content.strip() for kind, _, content in lines if kind in _FIELDS}
    if data := _terms(lines, _SIGNED_TERMS) or _terms(lines, _TERMS):
        fields["data"] = data
    if comments := [content for kind, _, content in lines if kind == "C"]:
        fields["comment"] = comments
    return fields


def _terms(lines: list[tuple[str, ...]], kinds: str) -> str:
    """A line that is continued ends with a comma."""
    return "".join(content.strip() for wanted in kinds for kind, _, content in lines if kind == wanted)
