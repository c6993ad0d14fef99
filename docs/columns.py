"""Writes docs/columns.md, the reference of all tables, from their definitions:

`make docs`.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from pytest_llmarith.figures.count import MEASURES
from pytest_llmarith.figures.estimates import figures_of
from pytest_llmarith.report.definitions.difference_fields import (
    COMPARISON,
    COMPARISON_OF_D50,
    DIFFERENCES,
    EFFECTS,
    EFFORT,
    MEAN_SCORES,
)
from pytest_llmarith.report.definitions.plan_fields import NEEDS, PRICES
from pytest_llmarith.report.definitions.reply_fields import (
    NOISE,
    REPEATS,
    REPLIES,
    SPEED,
    WRONG_TRIALS,
)
from pytest_llmarith.report.definitions.results import (
    BY_DEPTH,
    BY_VARIANT,
    CELLS,
    CLASSES,
    DIGITS,
    ERRORS,
    OVERVIEW,
    THRESHOLDS,
    VARIANTS,
)
from pytest_llmarith.report.definitions.score_fields import (
    SCORES,
    SEARCHES,
)
from pytest_llmarith.tasks.registry import register_built_in
from pytest_llmarith.tasks.task import OEIS
from pytest_llmarith.views.table import Column, Definition, Level
from pytest_llmarith.views.tasks import report_of

register_built_in()

DEFINITIONS: Sequence[Definition] = (
    OVERVIEW,
    CELLS,
    BY_VARIANT,
    VARIANTS,
    BY_DEPTH,
    ERRORS,
    CLASSES,
    DIGITS,
    replace(SCORES, columns=[*SCORES.columns, *report_of(OEIS).score_columns]),
    SEARCHES,
    THRESHOLDS,
    DIFFERENCES,
    EFFECTS,
    EFFORT,
    NOISE,
    REPEATS,
    REPLIES,
    SPEED,
    WRONG_TRIALS,
    COMPARISON,
    MEAN_SCORES,
    COMPARISON_OF_D50,
    NEEDS,
    PRICES,
)

_INTRODUCTION = """\
# Tables

For those who look up a measure in CSV and JSON, or a column of a table.

Made from the code by `make docs`. `summary.json`, and `llmarith report` as CSV and JSON,
have the measures. The tables are those of the end of a run, of `llmarith report`,
`compare` and `plan`, the page, markdown and LaTeX. A column that is shown *brief* stands
at the end of a run and everywhere else, *full* with `-v` and on the page, *page* on the
page. The measures of D50 are there twice, those of adaptive asking as `adaptive_d50`,
`adaptive_d50_place` and so on.
"""


# Columns that more tables have are described once.
_OFTEN = 5


def columns() -> str:
    """The whole document."""
    tables = Counter[str]()
    for definition in DEFINITIONS:
        tables.update(map(_row, definition.columns))
    common = [row for row, count in tables.items() if count > _OFTEN]
    sections = [_section("Columns of many tables", common)]
    for definition in DEFINITIONS:
        rows = [_row(column) for column in definition.columns]
        title = definition.title[:1].upper() + definition.title[1:]
        shared = [
            column.title for column in definition.columns if _row(column) in common
        ]
        own = [row for row in rows if row not in common]
        sections.append(_section(title, own, shared))
    return "\n".join([_INTRODUCTION, _measures(), *sections])


def _measures() -> str:
    lines = ["## Measures", "", "| key | title | unit | meaning |", "|---|---|---|---|"]
    for task, of_task in ((None, MEASURES.values()), (OEIS, figures_of(OEIS).measures)):
        for one in of_task:
            if one.key.removeprefix("adaptive_") in MEASURES.keys() - {one.key}:
                continue  # the introduction says what it is
            meaning = f"{task}: {one.meaning}" if task else one.meaning
            lines.append(f"| `{one.key}` | {one.title} | {one.unit} | {meaning} |")
    return "\n".join(lines) + "\n"


def _section(title: str, rows: list[str], shared: Sequence[str] = ()) -> str:
    lines = [f"## {title}", ""]
    if shared:
        lines += [f"[As elsewhere](#columns-of-many-tables): {', '.join(shared)}.", ""]
    header = ["| title | shown | meaning |", "|---|---|---|"]
    return "\n".join([*lines, *header, *rows]) + "\n"


def _row(column: Column[object]) -> str:
    level = Level(column.level).name.lower()
    unit = column.kind.unit
    meaning = column.meaning
    text = f"{column.title} {meaning}"
    if unit and not re.search(rf"(?<!\w){re.escape(unit)}(?!\w)", text):
        meaning += f" ({unit})"
    cells = [column.title, level, meaning]
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


if __name__ == "__main__":
    sys.stdout.write(columns())
