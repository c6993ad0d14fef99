"""Writes docs/columns.md, the reference of all tables, from their definitions:

`make docs`.
"""

from __future__ import annotations

import sys

from pytest_llmarith.report.data_tables import DEFINITIONS
from pytest_llmarith.report.table import Column, Definition, Level

_INTRODUCTION = """\
# Tables

For those who look up a column of a table, or its key in CSV and JSON.

Made from the code by `make docs`. Every format shows these tables: the end of a run,
`llmarith report`, `compare` and `plan`, the page, markdown, LaTeX, CSV and JSON. The keys
are those of CSV and JSON; `llmarith schema tables` prints their JSON Schema. A column
that is shown *brief* stands at the end of a run and everywhere else, *full* with `-v` and
on the page, *page* on the page; CSV and JSON have all columns.
"""


def columns() -> str:
    """The whole document."""
    return "\n".join([_INTRODUCTION, *(_section(one) for one in DEFINITIONS)])


def _section(definition: Definition) -> str:
    lines = [
        f"## `{definition.key}`: {definition.title}",
        "",
        "| key | title | unit | shown | meaning |",
        "|---|---|---|---|---|",
        *map(_row, definition.columns),
    ]
    return "\n".join(lines) + "\n"


def _row(column: Column[object]) -> str:
    keys = ", ".join(f"`{key}`" for key in column.part_keys())
    level = Level(column.level).name.lower()
    cells = [keys, column.title, column.kind.unit or "-", level, column.meaning]
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


if __name__ == "__main__":
    sys.stdout.write(columns())
