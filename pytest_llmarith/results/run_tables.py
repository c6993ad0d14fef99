"""Tables with a row per result of a run: overview, effects of conditions, repeats, cost of replies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pytest_llmarith.records import Effect, Result, SameWords
from pytest_llmarith.results import formatting
from pytest_llmarith.results.completeness import bounded, incomplete
from pytest_llmarith.results.keys import USUAL_NAME, Keyed, label_of
from pytest_llmarith.results.tables import LONGEST_NAME, Column, Row, Table
from pytest_llmarith.types import Outcome

_INTERVALS = "95 %: stratified Wilson interval over variants and depths, Wilson interval elsewhere."
_ERROR_SIZES = "rel err, abs err: median relative and average absolute error of deviate."
_EFFECTS = (
    "Conditions beside the usual one, or the first one of a run without it, on the same problems. better, worse: "
    "problems that went so. p: McNemar's exact test. 95 % and p are of each row alone. *: p is below 0.05 also after "
    "Holm's correction for all rows."
)
_REPEATS = (
    "same: problems whose repeats all have the same answer. pass@k: one of k is correct. majority: the most "
    "frequent answer is correct. The 95 % interval of pass@1 is clustered by problem, as repeats are alike."
)
_SPENDING = (
    "The median of one reply, what nine of ten replies take at most (p90), and the sum of all. "
    "prompt, completion, reasoning: tokens."
)
_NAMES = (Column("model", is_name=True), Column("task", is_name=True, below=True))
_SHOWN = (Outcome.CORRECT, Outcome.NAN, Outcome.DEVIATE)


@dataclass(frozen=True, slots=True)
class ResultOfRun:
    """A result with the label of its model, which is unique among those shown beside it.

    `unfinished` says that its run has not ended, and `missing` names the cells that it lacks and others have.
    """

    result: Result
    label: str
    run: str = ""
    unfinished: str = ""
    missing: str = ""


def overview(rows: Sequence[ResultOfRun], *, only_head: bool = False) -> Table:
    """Accuracy, cost, tokens and errors of each result; with `only_head` without other outcomes, dates and errors."""
    outcomes = _SHOWN[:1] if only_head else _SHOWN
    columns = [
        Column("trials"),
        *[Column("date", below=True)] * (not only_head),
        *(column for outcome in outcomes for column in _share(f"{outcome} %")),
        Column("cost", _dollars),
        Column("tokens", formatting.thousands, below=True),
        *[Column("rel err", formatting.short), Column("abs err", formatting.short, below=True)] * (not only_head),
    ]
    table_rows = []
    for row in rows:
        one = row.result
        if only_head and one.breaking_points:
            continue  # outcomes of searches are no shares of questions
        cells = [
            *(row.label + " (simulated)" * (only_head and one.simulated), one.task, one.measured),
            *[one.date] * (not only_head),
            *(one.percentages[outcome] for outcome in outcomes for _ in range(2)),
            *((one.cost_usd, one.unpriced), formatting.prompt_and_completion(one.tokens)),
            *[one.median_relative_error, one.average_absolute_error] * (not only_head),
        ]
        table_rows.append(Row(cells, note_of(row, only_head=only_head)))
    return Table("", [*_NAMES, *columns], table_rows, _INTERVALS + f" {_ERROR_SIZES}" * (not only_head))


def note_of(row: ResultOfRun, *, only_head: bool = False) -> str:
    """The note below the row of a result; with `only_head` without its run and the details of other outcomes."""
    result, cheats = row.result, row.result.outcomes.cheat
    nan = ", ".join(f"{count} {formatting.sanitize(reason, 40)}" for reason, count in result.nan_reasons.items())
    cheating = result.percentages[Outcome.CHEAT]
    details = (
        nan and f"nan: {nan}",
        result.rounded and f"deviate: {result.rounded} rounded",
        cheats and f"cheat: {cheats} ({formatting.percent_of(cheating)} %, {formatting.interval(cheating)})",
    )
    notes = (
        row.run and not only_head and formatting.sanitize_name(row.run, LONGEST_NAME),
        row.unfinished,
        "simulated" * (result.simulated and not only_head),
        incomplete(result),
        row.missing or bounded(result),
        *(() if only_head else details),
        formatting.unpriced(result),
        _repeated(result),
    )
    return "; ".join(str(note) for note in notes if note)


def _repeated(result: Result) -> str:
    """The note on repeats. They are correlated, so the intervals of the row itself are too narrow."""
    if not (repeats := result.repeats):
        return ""
    share, problems = repeats.pass_at_1, repeats.problems
    known = f": pass@1 {formatting.percent_of(share)} ({formatting.interval(share)}), clustered by problem" * bool(
        share
    )
    return f"{problems} problem{'s' * (problems != 1)}, {formatting.times(result, repeats)} times each{known}"


def effects(found: Sequence[Effect], same_words: Sequence[SameWords]) -> Table:
    """The effects of conditions, and how many problems were left out because both prompts are the same."""
    others = any(one.beside for one in found)  # than the usual condition
    columns = [
        *[Column("beside", is_name=True, below=True)] * others,
        Column("problems"),
        Column("%", formatting.percent_text),
        Column("% beside", formatting.percent_text, below=True),
        Column("points", formatting.points_of),
        Column("95 %", formatting.interval_of, below=True),
        Column("better"),
        Column("worse", below=True),
        Column("p", formatting.p_of),
        Column("*", formatting.star, below=True),
    ]
    cells = [
        [
            *[label_of(one.beside) or USUAL_NAME] * others,
            one.problems,
            *(one.percent, one.percent_beside),
            *(one.difference, one.difference),
            *(one.better, one.worse, one.p, one.p_holm),
        ]
        for one in found
    ]
    unknown = f" {formatting.NO_INTERVAL}" * any(one.difference.low is None for one in found)
    notes = [_left_out(one) for one in same_words]
    table = _per_result("what conditions do", found, columns, cells, bool(found) * f"{_EFFECTS}{unknown}")
    return table._replace(notes=notes)


def _left_out(alike: SameWords) -> str:
    beside = f" beside {label_of(alike.beside)}" * bool(alike.beside)
    names = [f"{label_of(alike.condition) or USUAL_NAME}{beside}", f"{alike.model}, {alike.task}"]
    condition, whose = (formatting.sanitize_name(name, LONGEST_NAME) for name in names)
    return (
        f"{condition} ({whose}): {alike.problems:,} problem{'s' * (alike.problems != 1)} with the same prompt, left out"
    )


def repeats(results: Sequence[Result]) -> Table:
    """The agreement of repeats, for results with repeats."""
    columns = [
        Column("problems"),
        Column("times", below=True),
        *_share("same %"),
        *_share("pass@1 %"),
        Column("pass@k %", formatting.percent_text),
        *_share("majority %"),
    ]
    found = [(one, one.repeats) for one in results if one.repeats]
    cells = [
        [
            *(repeated.problems, formatting.times(one, repeated)),
            *(repeated.consistency, repeated.consistency, repeated.pass_at_1, repeated.pass_at_1),
            *(repeated.pass_at_k, repeated.majority, repeated.majority),
        ]
        for one, repeated in found
    ]
    return _per_result("repeats", [one for one, _ in found], columns, cells, _REPEATS)


def spending(results: Sequence[Result]) -> Table:
    """Cost, time and tokens of replies, for results in which any of these is known."""
    kinds: list[tuple[str, str, Callable[[float | None], str]]] = [
        ("cost_usd", "cost", formatting.price),
        ("latency_s", "seconds", formatting.seconds),
        ("prompt_tokens", "prompt", formatting.count),
        ("completion_tokens", "completion", formatting.count),
        ("reasoning_tokens", "reasoning", formatting.count),
    ]
    columns = []
    for kind, header, show in kinds:
        total = _dollars if kind == "cost_usd" else show
        columns += [Column(header, show), Column("p90", show, below=True), Column("sum", total, below=True)]
    known = [one for one in results if any(one.spending.values())]
    cells = []
    for one in known:
        row: list[object] = []
        spent = {str(kind): amounts for kind, amounts in one.spending.items()}
        for kind, _, _ in kinds:
            amounts = spent[kind]
            row += [amounts.median, amounts.p90, amounts.sum] if amounts else [None] * 3
        row[2] = (row[2], one.unpriced)
        cells.append(row)
    return _per_result("cost, seconds and tokens of replies", known, columns, cells, _SPENDING)


def _per_result(
    title: str,
    whose: Sequence[Keyed],
    columns: Sequence[Column],
    cells: Sequence[Sequence[object]],
    legend: str,
) -> Table:
    """A table whose rows begin with model, task and, if a result has one, condition."""
    labels = [label_of(one.condition) or None for one in whose]
    names = [*_NAMES, *[Column("condition", is_name=True, below=True)] * any(labels)]
    rows = [
        Row([*(one.model, one.task, label)[: len(names)], *row])
        for one, label, row in zip(whose, labels, cells, strict=True)
    ]
    return Table(title, [*names, *columns], rows, legend)


def _share(header: str) -> list[Column]:
    """A percentage and its interval."""
    return [Column(header, formatting.percent_of), Column("95 %", formatting.interval, below=True)]


def _dollars(cost: tuple[float | None, int]) -> str:
    return formatting.dollars(*cost)
