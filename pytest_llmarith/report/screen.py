"""The end of a run on one screen: a row per model and task, the first wrong answers,
error classes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from textwrap import wrap

from pytest_llmarith.records import Minimum
from pytest_llmarith.report import formatting
from pytest_llmarith.report.completeness import bounded, incomplete, truncated
from pytest_llmarith.report.formatting import interval_of, ninety_percent_to, points_of
from pytest_llmarith.report.run_tables import counts_by_depth, depth_ranges, score_name
from pytest_llmarith.report.series import ResultOfRun, results_of
from pytest_llmarith.report.tables import Column, Row, Table, as_text, table_of
from pytest_llmarith.results.details_counts import SCORE
from pytest_llmarith.safe_text import sanitize, sanitize_name
from pytest_llmarith.summaries import (
    BreakingPoint,
    ModelDifference,
    Percentage,
    Result,
    RunSummary,
    Variant,
)
from pytest_llmarith.types import Outcome, SearchEnd, TermStatus

_LONGEST_BASELINE = 20
_LONGEST_NAME = 40
_MOST_CLASSES = 4
_MOST_WITH_EXAMPLE = 3  # models
_SHORTEST_NAME = 10
_SHORTEST_WRONG = 16  # characters of a first wrong answer
_UNLIMITED = 10_000


def screen(summary: RunSummary, width: int, *, only_head: bool = False) -> list[str]:
    """The results of a run in lines of at most `width` characters; with `only_head` one
    row per model and task.
    """
    return results_screen(results_of(summary), summary.differences, width, only_head)


def results_screen(
    results: Sequence[ResultOfRun],
    differences: Sequence[ModelDifference],
    width: int,
    only_head: bool = False,
) -> list[str]:
    """The same for any results.

    `differences` are between labels; those of one run are between its models.
    """
    rows = [row for row in results if row.result.measured]
    names = list(dict.fromkeys(row.label for row in results)) if rows else []
    of_tasks = [
        row if len(names) > 1 else row._replace(label=row.result.task)
        for row in results
    ]
    heads = [
        row for row in of_tasks if not row.result.searched
    ]  # outcomes of searches are no shares
    tables = _head(names[0], heads, [], width) if len(names) == 1 else []
    for task in dict.fromkeys(row.result.task for row in rows):
        of_task = [row for row in of_tasks if row.result.task == task]
        if len(names) > 1:
            heads_of_task = [row for row in heads if row.result.task == task]
            compared = [one for one in differences if one.task == task]
            tables += _head(task, heads_of_task, compared, width)
        if not only_head:
            tables += _details([row for row in of_task if row.result.measured], width)
    tables = [table for table in tables if table.rows]
    if tables:
        tables[-1] = tables[-1]._replace(legend=_legends(rows, differences, only_head))
    lines = [line for table in tables for line in ("", *as_text(table, width))]
    errors = [] if only_head else list(_error_classes(rows, len(names)))
    return [
        *lines,
        *[""] * bool(errors),
        *(line for error in errors for line in wrap(error, width)),
    ]


def _head(
    first: str,
    rows: Sequence[ResultOfRun],
    differences: Sequence[ModelDifference],
    width: int,
) -> list[Table]:
    """Accuracy, cost, tokens and latency, and the differences to the baseline; as two
    tables if one is too wide.
    """
    columns = [
        Column(
            sanitize_name(first, _LONGEST_NAME), lambda row: row.label, is_name=True
        ),
        Column("trials", lambda row: f"{row.result.measured:,}"),
        Column("correct %", lambda row: formatting.with_interval(_correct(row.result))),
        Column("cost", lambda row: formatting.cost_of(row.result)),
        Column("tokens", lambda row: formatting.tokens_of(row.result)),
        Column(
            "s/reply",
            lambda row: formatting.seconds(formatting.median_latency(row.result)),
        ),
    ]
    notes = [
        "; ".join(
            filter(None, (incomplete(row.result), row.missing or bounded(row.result)))
        )
        for row in rows
    ]
    head = table_of("", columns, rows, row_notes=notes)
    sides = [_side(row) for row in rows]
    shown = [
        one for side in dict.fromkeys(sides) for one in differences if one.model == side
    ]
    if not shown:
        return [head]
    compared = [
        Column(
            f"against {sanitize_name(shown[0].baseline, _LONGEST_BASELINE)}",
            lambda one: one.model,
            is_name=True,
        ),
        Column(
            "difference",
            lambda one: f"{points_of(one.difference)} ({interval_of(one.difference)})",
        ),
        Column("p", lambda one: formatting.p_of(one.p) + formatting.star(one.p_holm)),
        Column("pairs", lambda one: f"{one.pairs:,}"),
        Column(
            "detectable", lambda one: None if one.shown is None else f"{one.shown:.1f}"
        ),
    ]
    apart = table_of("", compared, shown)
    cells = {row.cells[0]: row.cells[1:] for row in apart.rows}
    beside = [cells.get(side, [None] * len(compared[1:])) for side in sides]
    both = [
        Row([*row.cells, *more], row.note)
        for row, more in zip(head.rows, beside, strict=True)
    ]
    whole = head._replace(columns=[*head.columns, *apart.columns[1:]], rows=both)
    return (
        [whole]
        if len({*sides}) == len(sides) and _width(whole) <= width
        else [head, apart]
    )


def _side(row: ResultOfRun) -> str:
    """What is compared: the model of one run, in all conditions, or one of several runs
    in one condition.
    """
    return row.label if row.run else row.result.model


def _correct(result: Result) -> Percentage | None:
    """The percentage of correct answers.

    Repeats of a problem are correlated, so their interval is clustered.
    """
    repeated = result.repeats and result.repeats.pass_at_1
    return repeated or result.percentages[Outcome.CORRECT]


def _width(table: Table) -> int:
    return max(map(len, as_text(table, _UNLIMITED)), default=0)


def _details(rows: Sequence[ResultOfRun], width: int) -> list[Table]:
    parts = ("grid", "depths", "scored", "breaking_points")
    grids, depths, scored, searches = (
        [row for row in rows if getattr(row.result, part)] for part in parts
    )
    if len(grids) > 1:
        tables = [_models_by_variant(grids, width)]
    else:
        tables = [_variants_by_depth(row.result, width) for row in grids]
    return [
        *tables,
        _depths(depths, width),
        _scores(scored),
        _searches(searches, width),
        _measured(rows),
    ]


def _legends(
    rows: Sequence[ResultOfRun], differences: Sequence[ModelDifference], only_head: bool
) -> str:
    """What is simulated, and what the columns mean."""
    results, found = [row.result for row in rows], []
    if simulated := list(dict.fromkeys(one.model for one in results if one.simulated)):
        found.append(
            f"simulated, free: "
            f"{', '.join(sanitize_name(name, _LONGEST_NAME) for name in simulated)}"
        )
    repeated = any(one.repeats for one in results)
    found.append(
        "in brackets: 95 % intervals"
        + (", of repeats clustered by problem" if repeated else "")
    )
    if not only_head and any(
        one.ended for result in results for one in result.thresholds
    ):
        found.append("D50: the depth (digits) at which half of the answers are right")
    if differences:
        baseline = sanitize_name(differences[0].baseline, _LONGEST_NAME)
        over_all = ", over all conditions" * (
            len({(_side(row), row.result.task) for row in rows}) < len(rows)
        )
        found.append(f"difference: percentage points more than {baseline}{over_all}")
        test = "t-test over problems" if repeated else "McNemar's exact test"
        found.append(f"p: {test}, * below 0.05 also with Holm's correction")
        found.append(
            "detectable: the smallest difference that the pairs show with 80 % power, "
            "corrected alike"
        )
    if not only_head and sum(bool(one.grid) for one in results) > 1:
        found += ["variants: correct %, 90 % to", formatting.NINETY_PERCENT_TO]
    elif not only_head and any(one.cells for one in results):
        found += ["columns: depth (digits)", formatting.NINETY_PERCENT_TO]
    return ". ".join(found)


# --- where answers go wrong -----------------------------------------------------------


def _variants_by_depth(result: Result, width: int) -> Table:
    """Rows are variants, columns depths, with the digits up to which 90 % are correct
    and the first wrong answer.
    """
    size, depths, counts = counts_by_depth(result)
    columns = [
        Column(f"of {size} correct", is_name=True),
        *map(Column, map(str, depths)),
        Column("90 % to"),
    ]
    rows = [
        Row([one.variant, *counts[one.variant], _ninety(one)]) for one in result.series
    ]
    return _with_wrong(
        Table("", columns, rows), [one.first_wrong for one in result.series], width
    )


def _models_by_variant(rows: Sequence[ResultOfRun], width: int) -> Table:
    """The percentage of correct answers of each variant and model, and the digits up to
    which 90 % are correct.

    Columns are models; if their names do not fit, they are variants.
    """
    found = {(row.label, one.variant): one for row in rows for one in row.result.series}
    longest = max(len(_ninety(one)) for one in found.values())
    shown = {
        key: f"{percent}  {_ninety(one):>{longest}}"
        for key, one in found.items()
        if (percent := formatting.percent_of(one.correct_percentage))
        != formatting.UNKNOWN
    }
    names, variants = (
        [row.label for row in rows],
        list(dict.fromkeys(variant for _, variant in found)),
    )
    longest = max(_SHORTEST_NAME, (width - len("variant")) // len(names) - 3)
    headers = [sanitize_name(name, longest) for name in names]
    columns = [Column("variant", is_name=True), *map(Column, headers)]
    table = Table(
        "",
        columns,
        [Row([one, *(shown.get((name, one)) for name in names)]) for one in variants],
    )
    if len(set(headers)) == len(names) and _width(table) <= width:
        return table
    columns = [Column("model", is_name=True), *map(Column, variants)]
    return Table(
        "",
        columns,
        [Row([name, *(shown.get((name, one)) for one in variants)]) for name in names],
    )


def _ninety(one: Variant) -> str:
    return (
        ninety_percent_to(one.ninety_percent_to)
        if one.ninety_percent_to
        else formatting.UNKNOWN
    )


def _depths(rows: Sequence[ResultOfRun], width: int) -> Table:
    """Tasks without variants: rows are models, columns ranges of depths."""
    ranges = depth_ranges(row.result for row in rows)
    columns = [Column("depth", is_name=True), *map(Column, ranges), Column("90 % to")]
    table_rows = []
    for row in rows:
        counted = []
        for some in ranges.values():
            mine = [
                one for one in row.result.depths if one.depth in some and one.measured
            ]
            counted.append(
                f"{sum(one.correct for one in mine)}/{sum(one.measured for one in mine)}"
                if mine
                else None
            )
        whole = row.result.whole
        table_rows.append(Row([row.label, *counted, whole and _ninety(whole)]))
    wrong = [row.result.whole.first_wrong if row.result.whole else None for row in rows]
    return _with_wrong(Table("", columns, table_rows), wrong, width)


def _with_wrong(table: Table, wrong: Sequence[Minimum | None], width: int) -> Table:
    """The table with a last column for the first wrong answers, as wide as the terminal
    allows.
    """
    room = width - _width(table) - 2
    if room < _SHORTEST_WRONG or not any(wrong):
        return table
    shown = [wrong_answer(one, room) if one else "" for one in wrong]
    longest = max(map(len, shown))
    rows = [
        Row([*row.cells, text.ljust(longest)])
        for row, text in zip(table.rows, shown, strict=True)
    ]
    return Table("", [*table.columns, Column("first wrong".ljust(longest))], rows)


def wrong_answer(wrong: Minimum, width: int) -> str:
    """Such as `49 * 97 = 4753, not 4653`; the question is left out if the line is too
    long.
    """
    answer = sanitize(wrong.answer or wrong.reason or "no answer", 60)
    question, expected = (
        sanitize(text or "", 60) for text in (wrong.question, wrong.expected)
    )
    not_this = f"not {answer}" if wrong.answer else answer
    for text in (
        f"{question} = {expected}, {not_this}",
        f"{question}, {not_this}",
        question,
    ):
        if len(text) <= width:
            return text
    return question[: width - 3] + "..."


def _scores(results: Sequence[ResultOfRun]) -> Table:
    """Scores: rows are models and variants, columns the mean scores by name."""
    items = [(row, one) for row in results for one in row.result.scored]
    names = list(
        dict.fromkeys(
            score_name(row.result, score) for row, one in items for score in one.scores
        )
    )
    variants = {one.variant for _, one in items}
    has_programs = any(one.programs for _, one in items)
    rows = []
    for row, one in items:
        scores = {
            score_name(row.result, score): formatting.with_interval(score.mean)
            for score in one.scores
        }
        parts = []
        if len(variants) == 1 or row.label != row.result.task:
            parts.append(row.label)
        if len(variants) > 1:
            parts.append(one.variant)
        cells = [
            ", ".join(filter(None, parts)),
            *(scores.get(name) for name in names),
            one.unsolved_count,
        ]
        rows.append(Row([*cells, one.cheat] if has_programs else cells, _terms(one)))
    title = next(iter(variants)) if len(variants) == 1 else "scores"
    columns = [Column(title or "scores", is_name=True)]
    columns += [Column(name if name == SCORE else f"score {name}") for name in names]
    columns.append(Column("unsolved"))
    return Table(
        "", [*columns, Column("lookup tables")] if has_programs else columns, rows
    )


def _terms(one: Variant) -> str:
    """Such as `terms: 60 ok, 3 wrong, 2 late`; empty if all are right."""
    statuses = one.programs.term_statuses if one.programs else {}
    counts = [f"{count:,} {status}" for status, count in statuses.items()]
    return f"terms: {', '.join(counts)}" if {*statuses} - {TermStatus.OK} else ""


def _searches(rows: Sequence[ResultOfRun], width: int) -> Table:
    """Searches for breaking points: rows are models and variants."""
    found = []
    for row in rows:
        for point in row.result.breaking_points:
            named = (
                point.variant
                if row.label == row.result.task
                else f"{row.label}, {point.variant}"
            )
            found.append(
                (named + f", repeat {point.repeat}" * bool(point.repeat), point)
            )
    used = max((len(name) for name, _ in found), default=0) + len("questions") + 4
    texts = [
        wrong_answer(point, width - used) if point.question else _nothing_found(point)
        for _, point in found
    ]
    longest = max(map(len, texts), default=0)
    table_rows = [
        Row([name, point.questions, text.ljust(longest)], _note_on_search(point, text))
        for (name, point), text in zip(found, texts, strict=True)
    ]
    columns = [
        Column("search", is_name=True),
        Column("questions"),
        Column("breaks at".ljust(longest)),
    ]
    return Table("", columns, table_rows)


def _measured(rows: Sequence[ResultOfRun]) -> Table:
    """D50 as measured by adaptive asking: rows are models and variants."""
    table_rows = []
    for row in rows:
        label = "" if row.label == row.result.task else f"{row.label}, "
        found = [one for one in row.result.thresholds if one.ended]
        table_rows += [
            Row([label + one.variant, formatting.d50_of(one), one.questions])
            for one in found
        ]
    return Table(
        "",
        [Column("adaptive", is_name=True), Column("D50"), Column("questions")],
        table_rows,
    )


def _note_on_search(point: BreakingPoint, shown: str) -> str:
    """What the row of a search does not show: the rest of its wrong answer, its class,
    and how the search ended.
    """
    count, whole = (
        point.not_reproduced,
        wrong_answer(point, _UNLIMITED) if point.question else "",
    )
    notes = (
        whole if whole != shown else "",
        point.question and point.error_class,
        "maybe not the simplest"
        * (point.question is not None and point.ended == SearchEnd.BUDGET),
        f"not reproduced: {count:,} question{'s' * (count != 1)} answered wrongly, "
        f"then rightly" * (point.ended == SearchEnd.NOT_REPRODUCED),
    )
    return "; ".join(note for note in notes if note)


def _nothing_found(point: BreakingPoint) -> str:
    digits = max((len(word) for word in (point.largest_right or "").split()), default=0)
    return "no repeatable error" + f" up to {digits} digits" * bool(digits)


def _error_classes(rows: Sequence[ResultOfRun], models: int) -> Iterator[str]:
    """A line per model and task: the most frequent classes of wrong answers, with an
    example for up to three models.

    The last line is about truncated replies, if there are any.
    """
    cut: list[str] = []
    in_tasks = len({row.result.task for row in rows}) > 1
    for row in rows:
        result, nan = row.result, row.result.outcomes.nan
        classes = result.errors.classes if result.errors else []
        counts = Counter({one.error_class: one.count for one in classes if one.count})
        most = dict(counts.most_common(_MOST_CLASSES))
        first = [one.first_wrong for one in result.variants if one.first_wrong]
        examples = {
            one.error_class: f" ({wrong_answer(one, _UNLIMITED)})"
            for one in reversed(first)
            if one.answer
        }
        shown = next(
            (
                name
                for name in most
                if name in examples and models <= _MOST_WITH_EXAMPLE
            ),
            None,
        )
        parts = [
            f"{count:,} {name}{examples[name] if name == shown else ''}"
            for name, count in most.items()
        ]
        others = counts.total() - sum(most.values())
        parts += [f"{others:,} other{'s' * (others > 1)}"] * bool(others) + [
            f"{nan:,} without an answer"
        ] * bool(nan)
        whose = f" of {sanitize_name(row.label, _LONGEST_NAME)}" * (models > 1)
        whose += f" in {sanitize_name(result.task, _LONGEST_NAME)}" * in_tasks
        if parts and not result.searched:
            yield f"errors{whose}: {', '.join(parts)}"
        cut += filter(None, [truncated(result, f" replies{whose}")])
    if cut:
        yield "; ".join(
            cut
            if len(cut) <= _MOST_WITH_EXAMPLE
            else (one.partition(":")[0] for one in cut)
        )
