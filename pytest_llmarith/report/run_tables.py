"""The tables of runs: a row per result, and for each result its variants, depths and
scores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from pytest_llmarith.report import formatting
from pytest_llmarith.report.completeness import bounded, incomplete, truncated
from pytest_llmarith.report.formatting import percent_of, short, with_interval
from pytest_llmarith.report.series import ResultOfRun
from pytest_llmarith.report.tables import LONGEST_NAME, Column, Row, Table, table_of
from pytest_llmarith.results.keys import Keyed, condition_name, label_of, variant_order
from pytest_llmarith.results.percentages import correct_percentage
from pytest_llmarith.safe_text import sanitize, sanitize_name
from pytest_llmarith.statistics.shares import percent
from pytest_llmarith.summaries import (
    Effect,
    Percentage,
    Result,
    SameWords,
    Scores,
    Variant,
)
from pytest_llmarith.types import ErrorClass, Level, Outcome

_INTERVALS = (
    "95 %: stratified Wilson interval over variants and depths, Wilson "
    "interval elsewhere."
)
_ERROR_SIZES = (
    "rel err, abs err: median relative and average absolute error of deviate."
)
_EFFECTS = (
    "Conditions beside the usual one, or the first one of a run without it, on the "
    "same problems. better, "
    "worse: problems that went so. p: McNemar's exact test, with repeats a t-test. 95 "
    "% and p are of each row "
    "alone. *: p is below 0.05 also after Holm's correction for all rows."
)
_REPEATS = (
    "same: problems whose repeats all have the same answer. pass@k: one of k is "
    "correct. majority: the most "
    "frequent answer is correct. The 95 % interval of pass@1 is clustered by problem, "
    "as repeats are alike."
)
_SPENDING = (
    "The median of one reply, what nine of ten replies take at most (p90), and the "
    "sum of all. "
    "prompt, completion, reasoning: tokens."
)
_VARIANTS = (
    f"{formatting.NINETY_PERCENT_TO}. rel err: median relative error of deviate; "
    f"leading: median of its leading digits "
    "that are right, - if most have another length than the truth."
)
_OF_PROGRAMS = (
    "score: mean share of right terms, 95 % by bootstrap over sequences; perfect: "
    "every term right; "
    "cheating: a lookup table, scores 0."
)
_OF_SCORES = (
    "score: the mean over problems, 0 without an answer, 95 % by Student's t, or "
    "Wilson's if all are 0 or 1; "
    "perfect: problems with the score 1."
)
_ERROR_CLASSES = (
    "In % of all deviates, with 95 % intervals. right: in % of all trials, in any "
    "words; bare: with nothing "
    "but the number."
)
_THRESHOLDS = (
    "D50: the depth (of numbers the digits) at which half of the answers are right, "
    "with its 95 % interval; "
    "< or >: it is below or above the depths that were asked; no fit: accuracy rises "
    "with the depth "
    "(p below 0.01); asked: the questions of adaptive asking."
)
_DIGITS_A_RANGE = 5
_LONGEST_HEADER = 20  # three of them beside each other fit into 80 columns
_MOST_NAMED = 5


def depth_ranges(results: Iterable[Result]) -> dict[str, list[int]]:
    """The depths of tasks without variants in ranges of five, such as `16-19` if there
    is no 20.
    """
    ranges: dict[int, list[int]] = {}
    for digits in sorted({one.depth for result in results for one in result.depths}):
        ranges.setdefault((digits - 1) // _DIGITS_A_RANGE, []).append(digits)
    return {
        f"{one[0]}-{one[-1]}" if len(one) > 1 else str(one[0]): one
        for one in ranges.values()
    }


# --- a row per result -----------------------------------------------------------------


def overview(rows: Sequence[ResultOfRun], *, only_head: bool = False) -> Table:
    """Accuracy, cost, tokens and errors of each result; with `only_head` without other
    outcomes, dates and errors.
    """
    details = not only_head
    if only_head:  # outcomes of searches are no shares of questions
        rows = [row for row in rows if not row.result.searched]
    costs = [row.result.cost_usd for row in rows if row.result.cost_usd]
    decimals = (
        (2 if min(costs) >= 0.01 else 4) if only_head and costs else None
    )  # the same in all rows
    columns = [
        Column(
            "model",
            lambda row: _simulated(row) if only_head else row.label,
            is_name=True,
        ),
        Column("task", lambda row: row.result.task, is_name=True, below=True),
        Column("trials", lambda row: row.result.measured),
        *[Column("date", lambda row: row.result.date, below=True)] * details,
        *_percentage("correct %", lambda row: row.result.percentages[Outcome.CORRECT]),
        *_percentage("nan %", lambda row: row.result.percentages[Outcome.NAN])
        * details,
        *_percentage("deviate %", lambda row: row.result.percentages[Outcome.DEVIATE])
        * details,
        Column("cost", lambda row: formatting.cost_of(row.result, decimals)),
        Column("tokens", lambda row: formatting.tokens_of(row.result), below=True),
        *[
            Column(
                "rel err",
                lambda row: short(row.result.error_sizes.median_relative_error),
            )
        ]
        * details,
        *[
            Column(
                "abs err",
                lambda row: short(row.result.average_absolute_error),
                below=True,
            )
        ]
        * details,
    ]
    title, legend = (
        "correct answers by model and task" * only_head,
        _INTERVALS + f" {_ERROR_SIZES}" * details,
    )
    return table_of(
        title,
        columns,
        rows,
        legend,
        row_notes=[note_of(row, only_head=only_head) for row in rows],
    )


def _simulated(row: ResultOfRun) -> str:
    return row.label + " (simulated)" * row.result.simulated


def note_of(row: ResultOfRun, *, only_head: bool = False) -> str:
    """The note below the row of a result; with `only_head` without its run and the
    details of other outcomes.
    """
    result, details = row.result, not only_head
    run = sanitize_name(row.run, LONGEST_NAME) if row.run else ""
    cheating = result.percentages[Outcome.CHEAT]
    cheats = (
        f"cheat: {result.outcomes.cheat:,} ({percent_of(cheating)} %, "
        f"{formatting.interval(cheating)})"
    )
    notes = (
        *(run, "simulated" * result.simulated) * details,
        *notes_of(row, details=details),
        cheats * (details and bool(result.outcomes.cheat)),
        _repeated(result),
    )
    return "; ".join(filter(None, notes))


def notes_of(row: ResultOfRun, *, details: bool = True) -> Iterator[str]:
    """What has to be known of a result; with `details` also reasons and roundings."""
    result = row.result
    nan = ", ".join(
        f"{count:,} {sanitize(reason, 40)}"
        for reason, count in result.nan_reasons.items()
    )
    notes = (
        row.unfinished,
        incomplete(result),
        row.missing,
        bounded(result),
        truncated(result),
        f"nan: {nan}" * (details and bool(nan)),
        f"deviate: {result.rounded:,} rounded" * (details and bool(result.rounded)),
        formatting.unpriced(result),
    )
    return filter(None, notes)


def _repeated(result: Result) -> str:
    """The note on repeats.

    They are correlated, so the intervals of the row itself are too narrow.
    """
    if not (repeats := result.repeats):
        return ""
    share, problems = repeats.pass_at_1, repeats.problems
    known = f": pass@1 {with_interval(share)}, clustered by problem" * bool(share)
    return (
        f"{problems} problem{'s' * (problems != 1)}, {_times(result)} times each{known}"
    )


def _times(result: Result) -> str:
    """How often the problems were asked, such as `5`, or `up to 5` if some repeats have
    no reply.
    """
    repeats = result.repeats
    return (
        f"{'up to ' * (result.measured < repeats.k * repeats.problems)}{repeats.k}"
        if repeats
        else ""
    )


def effects(found: Sequence[Effect], same_words: Sequence[SameWords]) -> Table:
    """The effects of conditions, and how many problems were left out because both
    prompts are the same.
    """
    others = any(one.beside for one in found)  # than the usual condition
    columns = [
        *[
            Column(
                "beside",
                lambda one: condition_name(one.beside),
                is_name=True,
                below=True,
            )
        ]
        * others,
        Column("problems", lambda one: one.problems),
        Column("%", lambda one: formatting.percent_text(one.percent)),
        Column(
            "% beside",
            lambda one: formatting.percent_text(one.percent_beside),
            below=True,
        ),
        Column("points", lambda one: formatting.points_of(one.difference)),
        Column("95 %", lambda one: formatting.interval_of(one.difference), below=True),
        Column("better", lambda one: one.better),
        Column("worse", lambda one: one.worse, below=True),
        Column("p", lambda one: formatting.p_of(one.p)),
        Column("*", lambda one: formatting.star(one.p_holm), below=True),
    ]
    unknown = f" {formatting.NO_INTERVAL}" * any(
        one.difference.low is None for one in found
    )
    legend, notes = (
        f"{_EFFECTS}{unknown}" * bool(found),
        [_left_out(one) for one in same_words],
    )
    return table_of(
        "what conditions do", [*_names(found), *columns], found, legend, notes=notes
    )


def _left_out(alike: SameWords) -> str:
    beside = f" beside {label_of(alike.beside)}" * bool(alike.beside)
    condition = sanitize_name(
        f"{condition_name(alike.condition)}{beside}", LONGEST_NAME
    )
    whose = sanitize_name(f"{alike.model}, {alike.task}", LONGEST_NAME)
    problems = f"{alike.problems:,} problem{'s' * (alike.problems != 1)}"
    return f"{condition} ({whose}): {problems} with the same prompt, left out"


def repeats(results: Sequence[Result]) -> Table:
    """The agreement of repeats, for results with repeats."""
    repeated = [one for one in results if one.repeats]
    columns = [
        *_names(repeated),
        Column("problems", lambda one: one.repeats.problems),
        Column("times", _times, below=True),
        *_percentage("same %", lambda one: one.repeats.consistency),
        *_percentage("pass@1 %", lambda one: one.repeats.pass_at_1),
        Column("pass@k %", lambda one: formatting.percent_text(one.repeats.pass_at_k)),
        *_percentage("majority %", lambda one: one.repeats.majority),
    ]
    return table_of("repeats", columns, repeated, _REPEATS)


def spending(results: Sequence[Result]) -> Table:
    """Cost, time and tokens of replies, for results in which any of these is known."""
    known = [one for one in results if any(one.spending.values())]
    columns = [
        *_names(known),
        *_amounts("cost", "cost_usd", formatting.price, formatting.cost_of),
        *_amounts("seconds", "latency_s", formatting.seconds),
        *_amounts("prompt", "prompt_tokens", formatting.count),
        *_amounts("completion", "completion_tokens", formatting.count),
        *_amounts("reasoning", "reasoning_tokens", formatting.count),
    ]
    return table_of("cost, seconds and tokens of replies", columns, known, _SPENDING)


def _names(items: Sequence[Keyed]) -> list[Column]:
    """The columns for model, task and, if an item has one, condition."""
    names = [
        Column("model", lambda one: one.model, is_name=True),
        Column("task", lambda one: one.task, is_name=True, below=True),
    ]
    condition = Column(
        "condition",
        lambda one: label_of(one.condition) or None,
        is_name=True,
        below=True,
    )
    return [*names, *[condition] * any(label_of(one.condition) for one in items)]


def _percentage(header: str, of: Callable[[Any], Percentage | None]) -> list[Column]:
    """A percentage and its interval; bounds are no interval, and are in the note of
    their row.
    """
    return [
        Column(header, lambda one: percent_of(of(one))),
        Column("95 %", lambda one: formatting.interval(_sampled(of(one))), below=True),
    ]


def _sampled(found: Percentage | None) -> Percentage | None:
    """The percentage, unless its ends are bounds because a cell has no reply."""
    return found if found and found.percent is not None else None


def _amounts(
    header: str,
    kind: str,
    show: Callable[[float | None], str],
    total: Callable[[Result], str] | None = None,
) -> list[Column]:
    """Median, 90th percentile and sum of one kind of amounts."""

    def shown(result: Any, figure: str) -> str:
        return show(getattr(result.spending[kind], figure, None))

    return [
        Column(header, lambda one: shown(one, "median")),
        Column("p90", lambda one: shown(one, "p90"), below=True),
        Column("sum", total or (lambda one: shown(one, "sum")), below=True),
    ]


# --- the tables of one result ---------------------------------------------------------


def tables_of(row: ResultOfRun, *, only_cells: bool = False) -> Iterator[Table]:
    """The tables of a result, depending on its task; with `only_cells` that of variants
    and depths.
    """
    result = row.result
    whose = (
        f"{sanitize_name(row.label, LONGEST_NAME)}{' (simulated)' * result.simulated}, "
    )
    whose += sanitize_name(result.task, LONGEST_NAME)
    if result.grid:
        yield _by_depth(whose, result)
    if only_cells:
        return
    if result.series:
        columns = [
            Column("variant", lambda one: one.variant, is_name=True),
            Column("trials", lambda one: one.measured),
            *_percentage("correct %", lambda one: one.correct_percentage),
            Column(
                "90 % to",
                lambda one: (
                    formatting.ninety_percent_to(one.ninety_percent_to)
                    if one.measured
                    else None
                ),
            ),
            Column("rel err", lambda one: short(one.error_sizes.median_relative_error)),
            Column(
                "leading",
                lambda one: formatting.leading_digits(one.error_sizes, one.deviate),
            ),
        ]
        yield table_of(
            "by variant, all depths together", columns, result.series, _VARIANTS
        )._replace(whose=whose)
    if result.depths:
        yield _without_variants(whose, result)
    if result.scored:
        yield scores([row])._replace(whose=whose)


def counts_by_depth(
    result: Result,
) -> tuple[int, list[int], dict[str, list[str | None]]]:
    """The most frequent size of a cell, the depths, and how many are correct at these,
    by variant.

    Cells of another size name theirs, as in `3/9`; cells without an answer are None.
    """
    measured = [cell for cell in result.grid if cell.measured]
    sizes = Counter(cell.measured for cell in measured).most_common(1)
    usual = sizes[0][0] if sizes else 0
    shown = {
        (cell.variant, cell.depth): f"{cell.correct}"
        + f"/{cell.measured}" * (cell.measured != usual)
        for cell in measured
    }
    depths = sorted({cell.depth for cell in result.grid})
    variants = dict.fromkeys(cell.variant for cell in result.grid)
    return (
        usual,
        depths,
        {one: [shown.get((one, depth)) for depth in depths] for one in variants},
    )


def _by_depth(whose: str, result: Result) -> Table:
    """Rows are variants, columns depths.

    The title has the most frequent size of a cell, other cells name theirs.
    """
    usual, depths, counts = counts_by_depth(result)
    rows = [
        Row([one.variant, *counts[one.variant], percent_of(one.correct_percentage)])
        for one in result.series
    ]
    totals = [
        correct_percentage([cell for cell in result.grid if cell.depth == depth])
        for depth in depths
    ]
    totals = [_sampled(one) for one in (*totals, result.percentages[Outcome.CORRECT])]
    rows += [
        Row(["all %", *map(percent_of, totals)]),
        # In one row they would be too wide.
        Row(
            [
                "95 % low",
                *(
                    formatting.percent_text(total.low if total else None)
                    for total in totals
                ),
            ]
        ),
        Row(
            [
                "95 % high",
                *(
                    formatting.percent_text(total.high if total else None)
                    for total in totals
                ),
            ]
        ),
    ]
    columns = [
        Column("depth", is_name=True),
        *(Column(str(depth)) for depth in depths),
        Column("all %"),
    ]
    return Table(f"correct of {usual} by variant and depth", columns, rows, whose=whose)


def thresholds(rows: Sequence[ResultOfRun]) -> Table:
    """D50 by model and variant."""
    found: dict[str, dict[str, str]] = {}
    for row in rows:
        for one in row.result.thresholds:
            text = formatting.d50_of(one) + f", {one.questions:,} asked" * bool(
                one.ended
            )
            found.setdefault(_simulated(row), {})[one.variant] = text
    variants = sorted(
        {variant for known in found.values() for variant in known}, key=variant_order
    )
    headers = [sanitize_name(variant, _LONGEST_HEADER) for variant in variants]
    columns = [Column("model", is_name=True), *map(Column, headers)]
    table_rows = [
        Row([model, *map(known.get, variants)]) for model, known in found.items()
    ]
    return Table("D50 by model and variant", columns, table_rows, _THRESHOLDS)


def _without_variants(whose: str, result: Result) -> Table:
    """Rows are outcomes, columns depths."""
    outcomes = [
        "correct",
        "deviate",
        "nan",
        *["unanswered"] * any(one.unanswered for one in result.depths),
    ]
    rows = [
        Row([name, *(getattr(one, name) or "." for one in result.depths)])
        for name in outcomes
    ]
    latencies = [one.spending["latency_s"] for one in result.depths]
    rows.append(
        Row(
            [
                "median s",
                *(formatting.seconds(one.median) if one else None for one in latencies),
            ]
        )
    )
    columns = [
        Column("depth", is_name=True),
        *(Column(str(one.depth)) for one in result.depths),
    ]
    return Table("by depth", columns, rows, whose=whose)


def scores(rows: Sequence[ResultOfRun]) -> Table:
    """Scores by variant and name, and notes below them; those of several results also
    by model.
    """
    several = len(rows) > 1
    scored = [(row, one) for row in rows for one in row.result.scored]
    items: list[tuple[ResultOfRun, str, Scores]] = []
    for row in rows:
        found = [(one.variant, one.scores) for one in row.result.scored]
        if row.result.scores and len(found) != 1:
            found.append(("all", row.result.scores))
        items += [
            (row, variant or row.result.task, score)
            for variant, some in found
            for score in some
        ]
    columns = [
        *[Column("model", lambda one: _simulated(one[0]), is_name=True)] * several,
        Column("variant", lambda one: one[1], is_name=True),
        Column("score", lambda one: score_name(one[0].result, one[2])),
        Column("problems", lambda one: one[2].problems),
        *_percentage("mean %", lambda one: one[2].mean),
        *_percentage("perfect %", lambda one: one[2].perfect_percentage),
    ]
    names = [
        f"{sanitize_name(row.label, LONGEST_NAME)}, " * several for row, _ in scored
    ]
    notes = [
        f"{name}{sanitize_name(one.variant or row.result.task, _LONGEST_HEADER)}: "
        f"{note}"
        for name, (row, one) in zip(names, scored, strict=True)
        for note in _notes(one)
    ]
    of_programs = any(one.programs for _, one in scored)
    legends = [_OF_PROGRAMS] * of_programs + [_OF_SCORES] * any(
        not one.programs for _, one in scored
    )
    return table_of(
        "scores by variant",
        columns,
        items,
        " ".join(legends) if items else "",
        notes=notes,
    )


def score_name(result: Result, score: Scores) -> str:
    """The name of a score; that of programs is a limit in seconds."""
    return (
        f"{score.name} s"
        if any(one.programs for one in result.variants)
        else score.name
    )


def _notes(one: Variant) -> Iterator[str]:
    programs = one.programs
    if programs and programs.cheating:
        yield (
            f"cheating {percent_of(programs.cheating)} % "
            f"({formatting.interval(programs.cheating)})"
        )
    elif programs and one.measured:
        yield "programs were not judged"
    if one.unsolved_count:
        named = ", ".join(
            sanitize_name(number, _LONGEST_HEADER)
            for number in one.unsolved[:_MOST_NAMED]
        )
        more = ", ..." * (one.unsolved_count > _MOST_NAMED)
        yield f"{one.unsolved_count} of {one.measured} unsolved: {named}{more}"
    if programs and (unprotected := programs.isolation.get(Level.NONE)):
        yield (
            f"{unprotected} programs ran without a sandbox, with the rights of this "
            f"user"
        )
    if one.unanswered:
        yield f"{one.unanswered} unanswered, not counted"
    if programs and (judges := programs.judges):
        kappa = "undefined" if judges.kappa is None else f"{judges.kappa:.2f}"
        yield (
            f"the judges agree on {judges.both + judges.neither} of {judges.judged} "
            f"programs, "
            f"Cohen's kappa {kappa} (cheat: both {judges.both}, only static "
            f"{judges.only_static}, "
            f"only the model {judges.only_llm})"
        )


# --- errors ---------------------------------------------------------------------------


def error_classes(rows: Sequence[ResultOfRun], *, full_names: bool = False) -> Table:
    """How answers deviate: rows are error classes, columns are results with deviates or
    with right answers in words.

    With `full_names` a header has the whole name, and whether the model is simulated.
    """
    longest = LONGEST_NAME if full_names else _LONGEST_HEADER
    found = [(row, row.result.errors) for row in rows if row.result.errors]
    # The two readings differ in answers that are right in words only.
    shown = [
        (row, one)
        for row, one in found
        if len({*one.strict.values()}) > 1 or any(each.count for each in one.classes)
    ]
    columns = [Column("class", is_name=True)]
    for row, _ in shown:
        names = [
            *row.label.split(", "),
            row.result.task,
            *["simulated"] * (full_names and row.result.simulated),
        ]
        columns.append(
            Column("\n".join(sanitize_name(name, longest) for name in names))
        )
    counts = [{one.error_class: one for one in found.classes} for _, found in shown]
    table_rows = [
        *(
            Row(
                [
                    name,
                    *(
                        with_interval(one[name].percentage) if one[name].count else "."
                        for one in counts
                    ),
                ]
            )
            for name in ErrorClass
            if any(one[name].count for one in counts)
        ),
        Row(
            ["deviates", *(sum(one.count for one in mine.values()) for mine in counts)]
        ),
        Row(
            [
                "right",
                *(
                    percent(one.strict["tolerant_correct"], row.result.measured)
                    for row, one in shown
                ),
            ]
        ),
        Row(
            [
                "right, bare",
                *(
                    percent(one.strict["strict_correct"], row.result.measured)
                    for row, one in shown
                ),
            ]
        ),
    ]
    return Table(
        "how answers deviate", columns, table_rows if shown else [], _ERROR_CLASSES
    )
