"""The tables of one result (variants, depths, lengths, sets), and of the error classes of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from pytest_llmarith.records import Cell, ErrorTotals, Percentage, Result, SequenceSet
from pytest_llmarith.results import formatting
from pytest_llmarith.results.formatting import sanitize_name
from pytest_llmarith.results.run_tables import ResultOfRun
from pytest_llmarith.results.statistics import correct_percentage, percentage
from pytest_llmarith.results.tables import LONGEST_NAME, Column, Row, Table
from pytest_llmarith.types import ErrorClass, Level

_VARIANTS = (
    "reliable depth: the deepest for which all trials up to it are at least 90 % correct by the lower end of their "
    "interval, before the first depth whose own upper end is under 90 %; unproven: the same by the percentage itself; "
    "needs: how many trials of the first depth would prove it, if all further ones are correct; none: all trials "
    "together are under 90 % by the upper end. "
    "rel err: median relative error of deviate; leading: median of its leading digits that are right, "
    "- if most have another length than the truth."
)
_SETS = (
    "score: mean share of right terms, 95 % by bootstrap over sequences; perfect: every term right; "
    "cheating: a lookup table, scores 0."
)
_ERROR_CLASSES = (
    "Of all deviates in % (95 %), by the rules of docs/errors.md. "
    "right: of all trials, in any words; bare: with nothing but the number."
)
_LONGEST_HEADER = 20  # three of them beside each other fit into 80 columns
_MOST_NAMED = 5


def tables_of(row: ResultOfRun, *, only_cells: bool = False) -> Iterator[Table]:
    """The tables of a result, depending on its task; with `only_cells` that of variants and depths."""
    result = row.result
    if result.cells:
        yield _by_depth(row)
    if only_cells:
        return
    if result.variants:
        yield _by_variant(row)
    if result.lengths:
        yield _by_length(row)
    if result.sets:
        yield _by_set(row)


def _title(row: ResultOfRun, what: str) -> str:
    label, task = (sanitize_name(name, LONGEST_NAME) for name in (row.label, row.result.task))
    return f"{label}{' (simulated)' * row.result.simulated}, {task}: {what}"


def counts_by_depth(result: Result) -> tuple[int, list[int], dict[str, list[str | None]]]:
    """The most frequent size of a cell, the depths, and how many are correct at these, by variant.

    Cells of another size name theirs, as in `3/9`; cells without an answer are None.
    """
    cells = {(cell.variant, cell.depth): cell for cell in result.cells if cell.measured}
    sizes = Counter(cell.measured for cell in cells.values())
    usual = sizes.most_common(1)[0][0] if sizes else 0
    depths = sorted({cell.depth for cell in result.cells})

    def correct(cell: Cell | None) -> str | None:
        if cell is None:
            return None
        return str(cell.correct) if cell.measured == usual else f"{cell.correct}/{cell.measured}"

    variants = dict.fromkeys(cell.variant for cell in result.cells)
    return usual, depths, {one: [correct(cells.get((one, depth))) for depth in depths] for one in variants}


def _by_depth(row: ResultOfRun) -> Table:
    """Rows are variants, columns depths. The title has the most frequent size of a cell, other cells name theirs."""
    result = row.result
    usual, depths, counts = counts_by_depth(result)
    rows = []
    for variant, shown in counts.items():
        total = correct_percentage([cell for cell in result.cells if cell.variant == variant])
        rows.append(Row([variant, *shown, formatting.percent_of(total)]))
    of_depths = [[cell for cell in result.cells if cell.depth == depth] for depth in depths]
    totals = [correct_percentage(cells) for cells in (*of_depths, result.cells)]
    rows += [
        Row(["all %", *map(formatting.percent_of, totals)]),
        Row(["95 % from", *(_end(total, "low") for total in totals)]),  # in one row they would be too wide
        Row(["to", *(_end(total, "high") for total in totals)]),
    ]
    title = _title(row, f"correct of {usual} by variant and depth")
    columns = [Column("depth", is_name=True), *(Column(str(depth)) for depth in depths), Column("all %")]
    return Table(title, columns, rows)


def _end(total: Percentage | None, end: Literal["low", "high"]) -> str | None:
    percent = getattr(total, end, None)
    return None if percent is None else f"{percent:.1f}"


def _by_variant(row: ResultOfRun) -> Table:
    """Accuracy of each variant over all depths, its reliable depth, and the size of its errors."""
    result = row.result
    columns = [
        Column("variant", is_name=True),
        Column("trials"),
        Column("correct %", formatting.percent_of),
        Column("95 %", formatting.interval),
        Column("reliable depth", formatting.reliable),
        Column("rel err", formatting.short),
        Column("leading", formatting.leading_digits),
    ]
    rows = [
        Row(
            [
                one.variant,
                one.measured,
                one.correct_percentage,
                one.correct_percentage,
                one.reliable_depth if one.measured else None,
                one.error_sizes.median_relative_error,
                one.error_sizes,
            ]
        )
        for one in result.variants
    ]
    return Table(_title(row, "by variant, all depths together"), columns, rows, _VARIANTS)


def _by_length(row: ResultOfRun) -> Table:
    """Rows are outcomes, columns the digits of the longer operand."""
    result = row.result
    outcomes = ["correct", "deviate", "nan", *["unanswered"] * any(one.unanswered for one in result.lengths)]
    rows = [Row([name, *(getattr(one, name) or "." for one in result.lengths)]) for name in outcomes]
    rows.append(Row(["median s", *(formatting.seconds(one.median_latency_s) for one in result.lengths)]))
    columns = [Column("digits", is_name=True), *(Column(str(one.digits)) for one in result.lengths)]
    return Table(_title(row, "by digits of the longer operand"), columns, rows)


# --- sequences -------------------------------------------------------------------------------------------------------


def _by_set(row: ResultOfRun) -> Table:
    """Scores by set and limit, and notes below them."""
    result = row.result
    columns = [
        Column("set", is_name=True),
        Column("limit", "{:g} s".format),
        Column("sequences"),
        *(Column("score %", formatting.percent_of), Column("95 %", formatting.interval)),
        *(Column("perfect %", formatting.percent_of), Column("95 %", formatting.interval)),
    ]
    rows = []
    for one in result.sets:
        for limit in one.limits:
            shares = [limit.score, limit.score, limit.perfect_percentage, limit.perfect_percentage]
            rows.append(Row([one.set, limit.seconds, limit.sequences, *shares]))
        if not one.limits:
            rows.append(Row([one.set, None, one.measured, *[None] * 4]))
    notes = [f"{sanitize_name(one.set, _LONGEST_HEADER)}: {note}" for one in result.sets for note in _notes_on_set(one)]
    return Table(_title(row, "scores by set and limit per term"), columns, rows, _SETS, notes)


def _notes_on_set(one: SequenceSet) -> Iterator[str]:
    if one.cheating:
        yield f"cheating {formatting.percent_of(one.cheating)} % ({formatting.interval(one.cheating)})"
    elif one.measured:
        yield "programs were not judged"
    if one.unsolved_count:
        yield f"{one.unsolved_count} of {one.measured} unsolved: {_named(one.unsolved, one.unsolved_count)}"
    if unprotected := one.isolation.get(Level.NONE):
        yield f"{unprotected} programs ran without a sandbox, with the rights of this user"
    if one.unanswered:
        yield f"{one.unanswered} unanswered, not counted"
    if judges := one.judges:
        kappa = "undefined" if judges.kappa is None else f"{judges.kappa:.2f}"
        yield (
            f"the judges agree on {judges.both + judges.neither} of {judges.judged} programs, "
            f"Cohen's kappa {kappa} (cheat: both {judges.both}, only static {judges.only_static}, "
            f"only the model {judges.only_llm})"
        )


def _named(numbers: Sequence[str], count: int) -> str:
    named = ", ".join(sanitize_name(number, _LONGEST_HEADER) for number in numbers[:_MOST_NAMED])
    return f"{named}, ..." if count > _MOST_NAMED else named


# --- errors ----------------------------------------------------------------------------------------------------------


def error_classes(rows: Sequence[ResultOfRun]) -> Table:
    """How answers deviate: rows are error classes, columns are results with deviates or with right answers in words."""
    shown = [(row, found) for row in rows if (found := row.result.errors) and _is_worth_a_column(found)]
    counts = [{one.error_class: one.count for one in found.classes} for _, found in shown]
    strict = [found.strict for _, found in shown]
    table_rows = [
        *(
            Row([name, *(percentage(mine[name], sum(mine.values())) if mine[name] else "." for mine in counts)])
            for name in ErrorClass
            if any(mine[name] for mine in counts)
        ),
        Row(["deviates", *(str(sum(mine.values())) for mine in counts)]),
        Row(["right", *(percentage(of["tolerant_correct"], of["measured"]) for of in strict)]),
        Row(["right, bare", *(percentage(of["strict_correct"], of["measured"]) for of in strict)]),
    ]
    columns = [Column("class", is_name=True), *(Column(_header(one), _share) for one, _ in shown)]
    return Table("how answers deviate", columns, table_rows if shown else [], _ERROR_CLASSES)


def _is_worth_a_column(found: ErrorTotals) -> bool:
    return bool(found.strict["only_tolerant"] or any(one.count for one in found.classes))


def _header(row: ResultOfRun) -> str:
    return "\n".join(sanitize_name(name, _LONGEST_HEADER) for name in (*row.label.split(", "), row.result.task))


def _share(value: Percentage | str) -> str:
    return value if isinstance(value, str) else f"{formatting.percent_of(value)} ({formatting.interval(value)})"
