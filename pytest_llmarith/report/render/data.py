"""Tables as CSV and JSON: keys and values as they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pytest_llmarith.safe_text import escape
from pytest_llmarith.views.table import Datum, Definition, Table

FORMAT = 1
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)
# The beginning of a formula, also in full width, which some programs convert, and after
# a semicolon, which may separate cells.
_FORMULA = re.compile(r"(^|;)( *)(?=[=+\-@＝＋－＠])")


def as_rows(table: Table) -> Iterator[dict[str, Datum]]:
    """The values of each row by key."""
    keys: list[str] = []
    for column in table.columns:
        keys += column.part_keys()
    kinds = [column.kind for column in table.columns]
    for row in table.rows:
        values: list[Datum] = []
        for kind, value in zip(kinds, row.values, strict=True):
            values += kind.values(value)
        yield dict(zip(keys, values, strict=True))


def as_json(tables: Iterable[Table], notes: Sequence[str] = ()) -> dict[str, Any]:
    """Tables by key, those of one key together; `notes` are remarks on all of them."""
    found: dict[str, list[dict[str, Datum]]] = {}
    for table in tables:
        found.setdefault(table.key, []).extend(as_rows(table))
    whole: dict[str, Any] = {"format": FORMAT, "tables": found}
    return whole | {"notes": list(notes)}


def schema(definitions: Iterable[Definition]) -> dict[str, Any]:
    """The JSON Schema of tables."""
    tables = {one.key: _table(one) for one in definitions}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:pytest-llmarith:tables:{FORMAT}",
        "title": "Tables",
        "type": "object",
        "required": ["format", "tables", "notes"],
        "properties": {
            "format": {"enum": [FORMAT]},
            "tables": {"type": "object", "properties": tables},
            "notes": {"type": "array", "items": {"type": "string"}},
        },
    }


def _table(definition: Definition) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for column in definition.columns:
        types = column.kind.parts.values()
        for key, of_json in zip(column.part_keys(), types, strict=True):
            properties[key] = {"type": [of_json, "null"], "description": column.meaning}
    row = {"type": "object", "properties": properties, "required": [*properties]}
    return {"type": "array", "description": definition.title, "items": row}


# --- CSV ------------------------------------------------------------------------------


def csv_lines(
    rows: Iterable[Mapping[str, object]], *, spreadsheet: bool
) -> Iterator[str]:
    """CSV of rows with the same keys; nothing if there are none.

    Every cell is quoted: DuckDB guesses the dialect if few are.
    """
    for number, row in enumerate(rows):
        if number == 0:
            yield _csv_line(row.keys(), spreadsheet=spreadsheet)
        yield _csv_line(row.values(), spreadsheet=spreadsheet)


def _csv_line(values: Iterable[object], *, spreadsheet: bool) -> str:
    cells = []
    for value in values:
        text = _cell(value, spreadsheet=spreadsheet).replace('"', '""')
        cells.append(f'"{text}"')
    return f"{','.join(cells)}\n"


def _cell(value: object, *, spreadsheet: bool) -> str:
    """A value as text, empty if it is unknown; for a spreadsheet one line that is not a
    formula.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    if not spreadsheet or _NUMBER.fullmatch(text):
        return text
    return _FORMULA.sub(r"\1\2'", escape(text))
