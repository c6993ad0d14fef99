"""The tables of one result (variants, depths, lengths, breaking points, sets), and of the error classes of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from pytest_llmarith.records import BreakingPoint, Cells, ErrorTotals, Percentage, Result, SequenceSet
from pytest_llmarith.results import formatting
from pytest_llmarith.results.formatting import sanitize, sanitize_name
from pytest_llmarith.results.keys import label_of
from pytest_llmarith.results.statistics import correct_percentage, percentage
from pytest_llmarith.results.tables import LONGEST_NAME, Column, Row, Table
from pytest_llmarith.types import ErrorClass, Level, SearchEnd

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
_LONGEST_TEXT = 80
_MOST_NAMED = 5


def tables_of(result: Result) -> Iterator[Table]:
    """The tables of a result, depending on its task."""
    if result.cells:
        yield _by_depth(result)
    if result.variants:
        yield by_variant(result)
    if result.lengths:
        yield _by_length(result)
    if result.breaking_points:
        yield _breaking_points(result)
    if result.sets:
        yield by_set(result)


def _title(result: Result, what: str) -> str:
    how = ", ".join(filter(None, ["simulated" * result.simulated, label_of(result.condition)]))
    model, task = (sanitize_name(name, LONGEST_NAME) for name in (result.model, result.task))
    return f"{model}{f' ({sanitize_name(how, LONGEST_NAME)})' * bool(how)}, {task}: {what}"


def _by_depth(result: Result) -> Table:
    """Rows are variants, columns depths. The title has the most frequent size of a cell, other cells name theirs."""
    cells = {(cell.variant, cell.depth): cell for cell in result.cells}
    sizes = Counter(cell.measured for cell in result.cells if cell.measured)
    usual = sizes.most_common(1)[0][0] if sizes else 0
    variants = list(dict.fromkeys(variant for variant, _ in cells))
    depths = sorted({depth for _, depth in cells})

    def correct(cell: Cells | None) -> str | None:
        if cell is None or not cell.measured:
            return None
        return str(cell.correct) if cell.measured == usual else f"{cell.correct}/{cell.measured}"

    rows = []
    for variant in variants:
        mine = [cells.get((variant, depth)) for depth in depths]
        total = correct_percentage([cell for cell in mine if cell])
        rows.append(Row([variant, *map(correct, mine), formatting.percent_of(total)]))
    of_depths = [[cells[variant, depth] for variant in variants if (variant, depth) in cells] for depth in depths]
    totals = [correct_percentage(column) for column in (*of_depths, result.cells)]
    rows += [
        Row(["all %", *map(formatting.percent_of, totals)]),
        Row(["95 % from", *(_end(total, "low") for total in totals)]),  # in one row they would be too wide
        Row(["to", *(_end(total, "high") for total in totals)]),
    ]
    title = _title(result, f"correct of {usual} by variant and depth")
    columns = [Column("depth", is_name=True), *(Column(str(depth)) for depth in depths), Column("all %")]
    return Table(title, columns, rows)


def _end(total: Percentage | None, end: Literal["low", "high"]) -> str | None:
    percent = getattr(total, end, None)
    return None if percent is None else f"{percent:.1f}"


def by_variant(result: Result) -> Table:
    """Accuracy of each variant over all depths, its reliable depth, and the size of its errors."""
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
    return Table(_title(result, "by variant, all depths together"), columns, rows, _VARIANTS)


def _by_length(result: Result) -> Table:
    """Rows are outcomes, columns the digits of the longer operand."""
    outcomes = ["correct", "deviate", "nan", *["unanswered"] * any(one.unanswered for one in result.lengths)]
    rows = [Row([name, *(getattr(one, name) or "." for one in result.lengths)]) for name in outcomes]
    rows.append(Row(["median s", *(formatting.seconds(one.median_latency_s) for one in result.lengths)]))
    columns = [Column("digits", is_name=True), *(Column(str(one.digits)) for one in result.lengths)]
    return Table(_title(result, "by digits of the longer operand"), columns, rows)


# --- searches --------------------------------------------------------------------------------------------------------


def _breaking_points(result: Result) -> Table:
    """The result of each search: a question with its wrong answer, or the largest question without one."""
    points = result.breaking_points
    repeated = any(point.repeat for point in points)
    columns = [
        Column("variant", is_name=True),
        Column("breaks at", is_name=True),
        Column("answer", is_name=True, below=True),
        Column("expected", is_name=True, below=True),
        Column("class", is_name=True),
        *[Column("repeat")] * repeated,
        Column("questions", "{:,}".format),
    ]
    rows = []
    for point in points:
        cells: list[object] = [None] * 4
        if point.question is not None:
            why = point.error_class or point.reason
            cells = [point.question, point.answer or "no answer", point.expected, why]
        cells = [point.variant, *cells, *[point.repeat] * repeated, point.questions]
        rows.append(Row(cells, "; ".join(_notes_on_search(point))))
    return Table(_title(result, "breaking points"), columns, rows)


def _notes_on_search(point: BreakingPoint) -> Iterator[str]:
    if point.ended == SearchEnd.NOT_REPRODUCED:
        yield not_reproduced(point)
    if point.question is None:
        yield f"nothing found up to {sanitize(point.largest_right or 'its first question', _LONGEST_TEXT)}"
    elif point.ended == SearchEnd.BUDGET:
        yield "maybe not the simplest"


def not_reproduced(point: BreakingPoint) -> str:
    """How many wrong answers of a search were not reproduced."""
    count = point.not_reproduced
    return f"not reproduced: {count:,} question{'s' * (count > 1)} answered wrongly, then rightly"


# --- sequences -------------------------------------------------------------------------------------------------------


def by_set(result: Result) -> Table:
    """Scores by set and limit, and notes below them."""
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
    return Table(_title(result, "scores by set and limit per term"), columns, rows, _SETS, notes)


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


def error_classes(results: Sequence[Result]) -> Table:
    """How answers deviate: rows are error classes, columns are results with deviates or with right answers in words."""
    shown = [(one, found) for one in results if (found := one.errors) and _is_worth_a_column(found)]
    counts = [{one.error_class: one.count for one in found.classes} for _, found in shown]
    strict = [found.strict for _, found in shown]
    rows = [
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
    return Table("how answers deviate", columns, rows if shown else [], _ERROR_CLASSES)


def _is_worth_a_column(found: ErrorTotals) -> bool:
    return bool(found.strict["only_tolerant"] or any(one.count for one in found.classes))


def _header(result: Result) -> str:
    parts = result.condition.parts if result.condition else ()
    return "\n".join(sanitize_name(name, _LONGEST_HEADER) for name in (result.model, result.task, *parts))


def _share(value: Percentage | str) -> str:
    return value if isinstance(value, str) else f"{formatting.percent_of(value)} ({formatting.interval(value)})"
