"""The OEIS's internal format, `.seq`: lines such as `%O A000045 0,4`. It does not check what they say."""

from __future__ import annotations

import re

from pytest_llmarith.oeis.entries import BrokenEntry

_LINE = re.compile(r"%([A-Za-z]) (A[0-9]{6,10})(?: (.*))?")
_TERMS = "STU"
_SIGNED_TERMS = "VWX"  # files of long ago hold absolute values in S, T, U, and the terms here
_FIELDS = {"N": "name", "O": "offset", "K": "keyword"}


def fields_of_seq(text: str, where: str) -> dict[str, object]:
    """The entry as an object of the JSON interface, with the fields alone that a sequence needs.

    A line that is missing leaves its field out. Raises BrokenEntry where there is no entry, or more than one.
    """
    lines = [found.groups(default="") for line in text.split("\n") if (found := _LINE.fullmatch(line.rstrip("\r")))]
    numbers = {number for _, number, _ in lines}
    if len(numbers) != 1:
        what = "holds lines of several entries, not one entry" if numbers else "no lines such as %N A000045 ..."
        raise BrokenEntry(where, what)
    fields: dict[str, object] = {"number": int(numbers.pop()[1:])}
    fields |= {_FIELDS[kind]: content.strip() for kind, _, content in lines if kind in _FIELDS}
    if data := _terms(lines, _SIGNED_TERMS) or _terms(lines, _TERMS):
        fields["data"] = data
    if comments := [content for kind, _, content in lines if kind == "C"]:
        fields["comment"] = comments
    return fields


def _terms(lines: list[tuple[str, ...]], kinds: str) -> str:
    """A line that is continued ends with a comma."""
    return "".join(content.strip() for wanted in kinds for kind, _, content in lines if kind == wanted)
