"""Runs as GitHub's markdown, for a job's summary. Foreign words stand in code, where nothing is obeyed.

It does not know how a summary comes about.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from pytest_llmarith.records import Effect, Result, SameWords
from pytest_llmarith.reports.formats.items import HEADERS, Items
from pytest_llmarith.reports.harmless import sanitize, sanitize_name
from pytest_llmarith.reports.keys import label_of
from pytest_llmarith.reports.tables.effects import effect_table
from pytest_llmarith.reports.tables.grids import breakdowns
from pytest_llmarith.reports.tables.overview import LEGEND, WIDE, ResultOfRun, note_of
from pytest_llmarith.reports.tables.repeats import repeat_table
from pytest_llmarith.reports.tables.spending import spending_table

_LONGEST_NAME = 60
_LONGEST_LINE = 1_000
_WIDTH = 120  # of the tables in the details; a narrow screen scrolls them
_TICKS = re.compile("`+")


def markdown(title: str, told: Sequence[str], rows: Sequence[ResultOfRun]) -> Iterator[str]:
    """What is to be said first, and a row per result with its notes."""
    yield from (f"## {code(title)}", "", *(f"- {code(line)}" for line in told), "")
    if rows:
        yield from (*_table(rows), "", *_notes(rows), f"<sub>{html.escape(LEGEND)}</sub>", "")


def details(rows: Sequence[ResultOfRun], effects: Sequence[Effect], same_words: Sequence[SameWords]) -> Iterator[str]:
    """The other tables of a run, each folded in."""
    results = [row.result for row in rows]
    yield from _details("what conditions do", effect_table(effects, same_words, _WIDTH)[1:])
    yield from _details("repeats", repeat_table(results, _WIDTH))
    yield from _details("cost, time and tokens", spending_table(results, _WIDTH))
    for result in results:
        yield from _details(_name(result), breakdowns([result], _WIDTH))


def listed(items: Items) -> Iterator[str]:
    """The trials that are not correct, folded in: what a job's summary says of single items."""
    if not items.rows:
        return
    yield from ("<details><summary>trials that are not correct</summary>", "")
    yield from (_row(HEADERS), _row(["---", "---", "---", "---:"]))
    for name, outcome, why, cost in items.rows:
        yield _row([code(name), outcome, code(why), cost])
    more = ", ".join(f"{count:,} {outcome}" for outcome, count in items.left_out.items())
    yield from ("", *([f"and {more} more", ""] if more else []), "</details>", "")


def _details(title: str, lines: Sequence[str]) -> list[str]:
    """What a terminal shows below its overview, folded in: as text, which is what it was made for."""
    if not lines:
        return []
    summary = f"<details><summary>{html.escape(title)}</summary>"
    return [summary, "", *_fenced(lines), "", "</details>", ""]


def _table(rows: Sequence[ResultOfRun]) -> list[str]:
    rules = ["---" if number < WIDE.words else "---:" for number in range(len(WIDE.headers))]
    return [_row(WIDE.headers), _row(rules), *(_row(_cells(row.result)) for row in rows)]


def _cells(result: Result) -> list[str]:
    """The row of a terminal's table; as its notes stand apart from it here, its task is named with its condition."""
    model, _, *rest = WIDE.row(result, _LONGEST_NAME)
    cells = [model, _task(result), *rest]
    return [code(cell) if number < WIDE.words else cell for number, cell in enumerate(cells)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _notes(rows: Sequence[ResultOfRun]) -> list[str]:
    """What has to be known to take the rows for what they are, once for results that share it.

    Stars would be no emphasis in code.
    """
    noted = [(note_of(row, simulated="simulated"), row.result) for row in rows]
    lines = [
        f"- {', '.join(code(_name(result)) for _, result in same)}: {code(note)}"
        for note, same in groupby(noted, key=lambda one: one[0])
        if note
    ]
    return [*lines, ""] if lines else []


def _name(result: Result) -> str:
    return f"{sanitize_name(result.model, _LONGEST_NAME)}, {_task(result)}"


def _task(result: Result) -> str:
    return ", ".join(sanitize_name(name, _LONGEST_NAME) for name in (result.task, label_of(result.condition)) if name)


def code(text: str) -> str:
    """Foreign text as code: nothing in it is a link, a mention, markup or HTML, and it ends where we end it.

    A bar would end the cell of a table in code too, so it is spelled out.
    """
    shown = sanitize(text, _LONGEST_LINE).replace("|", r"\x7c")
    ticks = "`" * (_longest_ticks(shown) + 1)
    padding = "" if shown and shown == shown.strip(" `") else " "
    return f"{ticks}{padding}{shown}{padding}{ticks}"


def _fenced(lines: Sequence[str]) -> list[str]:
    fence = "`" * max(3, max(map(_longest_ticks, lines), default=0) + 1)
    return [f"{fence}text", *lines, fence]


def _longest_ticks(text: str) -> int:
    return max(map(len, _TICKS.findall(text)), default=0)
