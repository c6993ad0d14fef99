"""The end of a run on one screen: a row per model and task, the first wrong answers, error classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from textwrap import wrap

from pytest_llmarith.records import BreakingPoint, Difference, Minimum, ModelDifference, Percentage, Result, RunSummary
from pytest_llmarith.results import formatting
from pytest_llmarith.results.cell_tables import counts_by_depth
from pytest_llmarith.results.completeness import bounded, incomplete, missing_cells
from pytest_llmarith.results.formatting import sanitize, sanitize_name
from pytest_llmarith.results.keys import label_of
from pytest_llmarith.results.statistics import Depth, reliable_depth
from pytest_llmarith.results.tables import Column, Row, Table, as_text
from pytest_llmarith.types import Outcome, SearchEnd

_DIGITS_A_COLUMN = 5  # of additions
_LONGEST_BASELINE = 20
_LONGEST_NAME = 40
_MOST_CLASSES = 4
_SHORTEST_NAME = 10
_SHORTEST_WRONG = 20  # characters of a first wrong answer
_CLASS_OF_NAN = "no answer"
_UNLIMITED = 10_000

_Named = tuple[str, Result]  # with the name of its row


def screen(summary: RunSummary, width: int, *, only_head: bool = False) -> list[str]:
    """The results of a run in lines of at most `width` characters; with `only_head` one row per model and task."""
    return results_screen([(name_of(one), one) for one in summary.results], summary.differences, width, only_head)


def results_screen(
    results: Sequence[_Named], differences: Sequence[ModelDifference], width: int, only_head: bool = False
) -> list[str]:
    """The same for any results with their names; `differences` are between these names."""
    measured = [(name, one) for name, one in results if one.measured]
    names = list(dict.fromkeys(name for name, _ in measured))
    tables: list[Table] = []
    if len(names) == 1:  # outcomes of searches are no shares of questions
        tables = _head(names[0], [(one.task, one) for _, one in measured if not one.breaking_points], [], width)
    for task in dict.fromkeys(one.task for _, one in measured):
        mine = [(name, one) for name, one in measured if one.task == task]
        if len(names) == 1:
            mine = [(task, one) for _, one in mine]
        elif not mine[0][1].breaking_points:
            tables += _head(task, mine, [one for one in differences if one.task == task], width)
        if not only_head:
            tables += _details(mine, width)
    tables = [table for table in tables if table.rows]
    if tables:
        tables[-1] = tables[-1]._replace(legend=_legends(measured, differences, only_head))
    lines = [line for table in tables for line in ("", *as_text(table, width))]
    errors = [] if only_head else list(_error_classes(measured, len(names) > 1))
    return [*lines, *[""] * bool(errors), *(line for error in errors for line in wrap(error, width))]


def name_of(result: Result) -> str:
    """The model of a result, and its condition."""
    return ", ".join(filter(None, (result.model, label_of(result.condition))))


def _head(first: str, results: Sequence[_Named], differences: Sequence[ModelDifference], width: int) -> list[Table]:
    """Accuracy, cost, tokens and latency, and the differences to the baseline; as two tables if one is too wide."""
    first = sanitize_name(first, _LONGEST_NAME)
    columns = [
        Column(first, is_name=True),
        Column("trials", "{:,}".format),
        Column("correct %", _percentage),
        Column("cost", lambda one: formatting.dollars(one.cost_usd, one.unpriced)),
        Column("tokens", formatting.thousands),
        Column("s/reply", formatting.seconds),
    ]
    rows = []
    for (name, one), lacks in zip(results, missing_cells([one for _, one in results]), strict=True):
        correct, tokens = one.percentages[Outcome.CORRECT], formatting.prompt_and_completion(one.tokens)
        note = "; ".join(filter(None, (incomplete(one), lacks or bounded(one))))
        rows.append(Row([name, one.measured, correct, one, tokens, one.median_latency_s], note))
    head = Table("", columns, rows)
    if not differences:
        return [head]
    columns = [
        Column("difference", _difference),
        Column("p", formatting.p_of),
        Column("pairs", "{:,}".format),
        Column("detectable", "{:.1f}".format),
    ]
    of_model = {one.model: one for one in differences}
    found = [of_model.get(name) for name, _ in results]
    cells = [[one.difference, one.p, one.pairs, one.shown] if one else [None] * 4 for one in found]
    whole = Table(
        "", [*head.columns, *columns], [Row([*row.cells, *its], row.note) for row, its in zip(rows, cells, strict=True)]
    )
    if max(map(len, as_text(whole, _UNLIMITED))) <= width:
        return [whole]
    apart = [Row([row.cells[0], *its]) for row, its, one in zip(rows, cells, found, strict=True) if one]
    return [
        head,
        Table(
            "",
            [Column(f"against {sanitize_name(differences[0].baseline, _LONGEST_BASELINE)}", is_name=True), *columns],
            apart,
        ),
    ]


def _percentage(percentage: Percentage) -> str:
    return f"{formatting.percent_of(percentage)} ({formatting.interval(percentage)})"


def _difference(difference: Difference) -> str:
    return f"{formatting.points_of(difference)} ({formatting.interval_of(difference)})"


def _details(results: Sequence[_Named], width: int) -> list[Table]:
    grids = [(name, one) for name, one in results if one.cells]
    tables = (
        [_models_by_variant(grids, width)] if len(grids) > 1 else [_variants_by_depth(one, width) for _, one in grids]
    )
    tables.append(_lengths([(name, one) for name, one in results if one.lengths], width))
    tables.append(_sets([(name, one) for name, one in results if one.sets]))
    tables.append(_searches([(name, one) for name, one in results if one.breaking_points], width))
    return tables


def _legends(results: Sequence[_Named], differences: Sequence[ModelDifference], only_head: bool) -> str:
    """What is simulated, and what the columns mean."""
    found = []
    if simulated := list(dict.fromkeys(one.model for _, one in results if one.simulated)):
        found.append(f"simulated, free: {', '.join(sanitize_name(name, _LONGEST_NAME) for name in simulated)}")
    of_repeats = ", as if repeats were independent; -v has those clustered by problem"
    found.append("in brackets: 95 % intervals" + of_repeats * any(one.repeats for _, one in results))
    if differences:
        found.append(f"difference: in points, to {sanitize_name(differences[0].baseline, _LONGEST_NAME)}")
        found.append("detectable: the smallest difference that the pairs show with 80 % power")
    if only_head:
        return ". ".join(found)
    if sum(bool(one.cells) for _, one in results) > 1:
        found.append("variants: correct %, and the digits up to which at least 90 % are correct, ? if not proven")
    elif any(one.cells or one.lengths for _, one in results):
        found.append("columns: digits. holds to: the digits up to which at least 90 % are correct, ? if not proven")
    return ". ".join(found)


# --- where answers go wrong ------------------------------------------------------------------------------------------


def _variants_by_depth(result: Result, width: int) -> Table:
    """Rows are variants, columns depths, with what each variant holds to and its first wrong answer."""
    size, depths, counts = counts_by_depth(result)
    columns = [Column(f"of {size} correct", is_name=True), *(Column(str(depth)) for depth in depths)]
    columns.append(Column("holds to", formatting.holds_to))
    rows = [[one.variant, *counts[one.variant], one.reliable_depth] for one in result.variants]
    return _with_wrong(columns, rows, [one.first_wrong for one in result.variants], width)


def _models_by_variant(results: Sequence[_Named], width: int) -> Table:
    """The percentage of correct answers of each variant and model, and what it holds to.

    Columns are models; if their names do not fit, they are variants.
    """
    shown = {(name, one.variant): formatting.percent_and_depth(one) for name, each in results for one in each.variants}
    names, variants = [name for name, _ in results], list(dict.fromkeys(variant for _, variant in shown))
    longest = max(_SHORTEST_NAME, (width - len("variant")) // len(names) - 3)
    headers = [sanitize_name(name, longest) for name in names]
    columns = [Column("variant", is_name=True), *map(Column, headers)]
    table = Table("", columns, [Row([one, *(shown.get((name, one)) for name in names)]) for one in variants])
    if len(set(headers)) == len(names) and max(map(len, as_text(table, _UNLIMITED))) <= width:
        return table
    columns = [Column("model", is_name=True), *map(Column, variants)]
    return Table("", columns, [Row([name, *(shown.get((name, one)) for one in variants)]) for name in names])


def _lengths(results: Sequence[_Named], width: int) -> Table:
    """Additions: rows are models, columns ranges of digits."""
    digits = sorted({one.digits for _, result in results for one in result.lengths})
    ranges: dict[int, list[int]] = {}
    for each in digits:
        ranges.setdefault((each - 1) // _DIGITS_A_COLUMN, []).append(each)
    columns = [Column("digits", is_name=True)]
    columns += [Column(f"{one[0]}-{one[-1]}" if len(one) > 1 else str(one[0])) for one in ranges.values()]
    columns.append(Column("holds to", formatting.holds_to))
    rows = []
    for name, result in results:
        counted = []
        for some in ranges.values():
            mine = [one for one in result.lengths if one.digits in some and one.measured]
            counted.append(f"{sum(one.correct for one in mine)}/{sum(one.measured for one in mine)}" if mine else None)
        depth = reliable_depth(Depth(one.digits, one.correct, one.measured) for one in result.lengths)
        rows.append([name, *counted, depth])
    return _with_wrong(columns, rows, [result.first_wrong for _, result in results], width)


def _with_wrong(
    columns: Sequence[Column], rows: Sequence[Sequence[object]], wrong: Sequence[Minimum | None], width: int
) -> Table:
    """The table with a last column for the first wrong answers, as wide as the terminal allows."""
    table = Table("", columns, [Row(row) for row in rows])
    used = max(len(line) for line in as_text(table, _UNLIMITED)) if rows else 0
    room = width - used - 2
    if room < _SHORTEST_WRONG or not any(wrong):
        return table
    shown = [wrong_answer(one, room) if one else "" for one in wrong]
    column = Column("first wrong".ljust(max(map(len, shown))), lambda text: text.ljust(max(map(len, shown))))
    return Table("", [*columns, column], [Row([*row, text]) for row, text in zip(rows, shown, strict=True)])


def wrong_answer(wrong: Minimum, width: int) -> str:
    """Such as `49 * 97 = 4753, not 4653`; the question is left out if the line is too long."""
    answer = sanitize(wrong.answer or wrong.reason or _CLASS_OF_NAN, 60)
    question, expected = (sanitize(text or "", 60) for text in (wrong.question, wrong.expected))
    not_this = f"not {answer}" if wrong.answer else answer
    for text in (f"{question} = {expected}, {not_this}", f"{question}, {not_this}", question):
        if len(text) <= width:
            return text
    return question[: width - 3] + "..."


def _sets(results: Sequence[_Named]) -> Table:
    """Sequences: rows are models and sets, columns the mean scores by limit."""
    limits = sorted({limit.seconds for _, result in results for one in result.sets for limit in one.limits})
    sets = {one.set for _, result in results for one in result.sets}
    columns = [Column(next(iter(sets)) if len(sets) == 1 else "sequences", is_name=True)]
    for seconds in limits:
        columns.append(Column(f"score {seconds:g} s", _percentage))
    columns += [Column("unsolved"), Column("lookup tables")]
    rows = []
    for name, result in results:
        for one in result.sets:
            scores = {limit.seconds: limit.score for limit in one.limits}
            shown = [scores.get(seconds) for seconds in limits]
            named = name if len(sets) == 1 else one.set if name == result.task else f"{name}, {one.set}"
            rows.append(Row([named, *shown, one.unsolved_count, one.cheat]))
    return Table("", columns, rows)


def _searches(results: Sequence[_Named], width: int) -> Table:
    """Searches for breaking points: rows are models and variants."""
    found = []
    for name, result in results:
        for point in result.breaking_points:
            named = point.variant if name == result.task else f"{name}, {point.variant}"
            found.append((named + f", repeat {point.repeat}" * bool(point.repeat), point))
    used = max((len(name) for name, _ in found), default=0) + len("questions") + 4
    texts = [wrong_answer(point, width - used) if point.question else _nothing_found(point) for _, point in found]
    longest = max(map(len, texts), default=0)
    rows = [
        Row([name, point.questions, text.ljust(longest)], _note_on_search(point, text))
        for (name, point), text in zip(found, texts, strict=True)
    ]
    columns = [Column("search", is_name=True), Column("questions"), Column("breaks at".ljust(longest))]
    return Table("", columns, rows)


def _note_on_search(point: BreakingPoint, shown: str) -> str:
    """What the row of a search does not show: the rest of its wrong answer, its class, and how the search ended."""
    count, whole = point.not_reproduced, wrong_answer(point, _UNLIMITED) if point.question else ""
    notes = (
        whole if whole != shown else "",
        point.question and point.error_class,
        "maybe not the simplest" * (point.question is not None and point.ended == SearchEnd.BUDGET),
        f"not reproduced: {count:,} question{'s' * (count != 1)} answered wrongly, then rightly"
        * (point.ended == SearchEnd.NOT_REPRODUCED),
    )
    return "; ".join(note for note in notes if note)


def _nothing_found(point: BreakingPoint) -> str:
    digits = max((len(word) for word in (point.largest_right or "").split()), default=0)
    return "nothing found" + f" up to {digits} digits" * bool(digits)


def _error_classes(results: Sequence[_Named], several: bool) -> Iterator[str]:
    """A line per model with wrong answers: the most frequent classes over all tasks."""
    counted: dict[str, Counter[str]] = {}
    for name, result in results:
        classes = counted.setdefault(name, Counter())
        for each in result.errors.classes if result.errors else ():
            classes[each.error_class] += each.count
        for reason, count in result.nan_reasons.items():
            classes[f"no answer ({reason})"] += count
    for name, classes in counted.items():
        classes = +classes
        if classes:
            named = ", ".join(f"{count:,} {sanitize(what, 40)}" for what, count in classes.most_common(_MOST_CLASSES))
            others = classes.total() - sum(count for _, count in classes.most_common(_MOST_CLASSES))
            line = f"errors{f' of {sanitize_name(name, _LONGEST_NAME)}' * several}: {named}"
            yield line + f", {others:,} others" * bool(others)
