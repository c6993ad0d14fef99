"""Where a model errs: correct answers by variant and depth, outcomes by length of the longer operand.

It does not know how a summary comes about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from textwrap import wrap

from pytest_llmarith.records import Cells, Length, Result
from pytest_llmarith.reports import figures
from pytest_llmarith.reports.harmless import sanitize_name
from pytest_llmarith.reports.keys import label_of
from pytest_llmarith.reports.percents import correct_percentage
from pytest_llmarith.reports.tables.anatomy import anatomy_table
from pytest_llmarith.reports.tables.breaking import breaking_lines
from pytest_llmarith.reports.tables.drawing import LONGEST_NAME, SHORTEST_NAME, folded
from pytest_llmarith.reports.tables.sequences import set_table, unsolved_lines
from pytest_llmarith.reports.tables.variants import LEGEND, variant_table


def breakdowns(results: Sequence[Result], width: int) -> list[str]:
    """Titled tables: two per result that has cells, one per result that has lengths, one per result that has sets.

    Below them, how answers deviate.
    """
    lines: list[str] = []
    legend = wrap(LEGEND, width)
    for result in results:
        if result.cells:
            lines += ["", *_cell_table(result, width)]
        if result.variants:
            lines += ["", _title(result, "by variant, all depths together", width), *variant_table(result), *legend]
            legend = []  # said once
        if result.lengths:
            lines += ["", *_length_table(result, width)]
        if result.breaking_points:
            title = _title(result, "breaking points", width)
            lines += ["", title, *breaking_lines(result.breaking_points, width)]
        if result.sets:
            title = _title(result, "scores by set and limit per term", width)
            lines += ["", title, *set_table(result, width)]
    if unsolved := unsolved_lines(results, width):
        lines += ["", *unsolved]
    if anatomy := anatomy_table(results, width):
        lines += ["", *anatomy]
    return lines[1:]


def _cell_table(result: Result, width: int) -> list[str]:
    """Rows are variants, columns depths. The title says what most cells are counts of, the others say it themselves."""
    cells = {(cell.variant, cell.depth): cell for cell in result.cells}
    measured = Counter(
        filter(None, (cell.measured for cell in cells.values()))
    )  # cells that nobody answered yet are not usual
    usual = measured.most_common(1)[0][0] if measured else 0
    variants = list(dict.fromkeys(variant for variant, _ in cells))
    depths = sorted({depth for _, depth in cells})
    rows = [
        [
            sanitize_name(variant, SHORTEST_NAME),
            *(_cell(cells.get((variant, depth)), usual) for depth in depths),
            _total(cell for (its_variant, _), cell in cells.items() if its_variant == variant),
        ]
        for variant in variants
    ]
    of_depths = [[cell for (_, its_depth), cell in cells.items() if its_depth == depth] for depth in depths]
    rows += _total_rows([*of_depths, list(cells.values())])
    title = _title(result, f"correct of {usual} by variant and depth", width)
    return [title, *folded(["depth", *map(str, depths), "all %"], rows, width)]


def _length_table(result: Result, width: int) -> list[str]:
    """Rows are outcomes, columns the digits of the longer operand."""
    lengths = result.lengths
    rows = [[outcome, *(_count(getattr(length, outcome)) for length in lengths)] for outcome in _outcomes_in(lengths)]
    rows.append(["median s", *(figures.seconds(length.median_latency_s) for length in lengths)])
    title = _title(result, "by digits of the longer operand", width)
    return [title, *folded(["digits", *(str(length.digits) for length in lengths)], rows, width)]


def _outcomes_in(lengths: Sequence[Length]) -> list[str]:
    unanswered = any(length.unanswered for length in lengths)
    return ["correct", "deviate", "nan"] + (["unanswered"] if unanswered else [])


def _count(count: int) -> str:
    """Nothing is a dot, so that what there is catches the eye."""
    return str(count) if count else "."


def _cell(counts: Cells | None, usual: int) -> str:
    if counts is None or not counts.measured:
        return figures.UNKNOWN
    return str(counts.correct) if counts.measured == usual else f"{counts.correct}/{counts.measured}"


def _total(cells: Iterable[Cells]) -> str:
    return figures.percent_of(correct_percentage(cells))


def _total_rows(columns: Sequence[Sequence[Cells]]) -> list[list[str]]:
    """Percentages of columns, and below them the ends of their intervals, which side by side would be too wide."""
    found = [correct_percentage(cells) for cells in columns]
    return [
        ["all %", *map(figures.percent_of, found)],
        ["95 % from", *map(figures.low, found)],
        ["to", *map(figures.high, found)],
    ]


def _title(result: Result, what: str, width: int) -> str:
    how = ", ".join(filter(None, ["simulated" * result.simulated, label_of(result.condition)]))
    known = f" ({sanitize_name(how, LONGEST_NAME)})" if how else ""
    rest = f"{known}, {sanitize_name(result.task, LONGEST_NAME)}: {what}"
    room = max(SHORTEST_NAME, min(LONGEST_NAME, width - len(rest)))
    return sanitize_name(result.model, room) + rest
