"""The tables of the page: overview, errors, scores, and provenance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from pytest_llmarith.records import (
    as_dict,
    as_text,
)
from pytest_llmarith.report import formatting
from pytest_llmarith.report.completeness import all_answered, answered_count, duplicates
from pytest_llmarith.report.page import charts
from pytest_llmarith.report.page.charts import Panel, Share
from pytest_llmarith.report.run_tables import notes_of
from pytest_llmarith.report.series import PageRun, ResultOfRun, short_name
from pytest_llmarith.results.keys import condition_name
from pytest_llmarith.safe_text import sanitize
from pytest_llmarith.summaries import (
    ErrorTotals,
    Positions,
    Result,
    RunSummary,
    Scores,
    Variant,
)
from pytest_llmarith.types import ErrorClass, Op, Outcome

_LONGEST_FACT = 2_000
_MOST_POSITIONS = 16  # from either end
_LONGEST_REASON = 60
_MOST_REASONS = 4


# --- overview -------------------------------------------------------------------------


class Figure(NamedTuple):
    """The text of a table cell, the value by which it is sorted, if that is known, and
    its interval.
    """

    text: str
    sort: float | str | None = None
    interval: str = ""


class OverviewRow(NamedTuple):
    """One result, its figures by column, and notes."""

    row: ResultOfRun
    correct: Share | None
    figures: Mapping[str, Figure]
    notes: Sequence[str]


class Overview(NamedTuple):
    """All results by task, the best first and those that lack cells last, and the
    titles of the shown columns.
    """

    columns: Mapping[str, str]
    rows: Sequence[OverviewRow]
    has_tasks: bool  # more than one


def _outcome(outcome: Outcome, result: Result) -> Figure:
    if (found := charts.overall_share(result, outcome)) is None:
        return Figure(formatting.UNKNOWN)
    return Figure(
        formatting.percent_of(found), found.percent, formatting.interval(found)
    )


def _ninety_percent_to(result: Result) -> Figure:
    """Such as `int + 10, \N{MINUS SIGN} 10, * 3, / none`, a line per dtype; for
    additions a number.
    """
    if result.whole and result.whole.ninety_percent_to:
        return Figure(formatting.ninety_percent_to(result.whole.ninety_percent_to))
    of_dtype: dict[str, list[str]] = {}
    for one in result.series:
        dtype, _, op = one.variant.partition("_")
        if one.ninety_percent_to and op in set(Op):
            sign = Op(op).sign.replace("-", "\N{MINUS SIGN}")
            shown = formatting.ninety_percent_to(one.ninety_percent_to).replace(
                formatting.UNKNOWN, "none"
            )
            of_dtype.setdefault(dtype, []).append(f"{sign} {shown}")
    return Figure(
        "\n".join(f"{dtype} {', '.join(each)}" for dtype, each in of_dtype.items())
    )


def _most_errors(result: Result) -> Figure:
    classes = result.errors.classes if result.errors else []
    most = max(classes, key=lambda one: one.count, default=None)
    return Figure(
        f"{most.error_class}\n{formatting.percent_of(most.percentage)} %"
        if most and most.count
        else ""
    )


def _latency(result: Result) -> Figure:
    known = formatting.median_latency(result)
    return Figure(
        formatting.UNKNOWN if known is None else f"{formatting.seconds(known)} s", known
    )


# The title of each column, and its figure.
_COLUMNS: Mapping[str, tuple[str, Callable[[Result], Figure]]] = {
    "90 % to": (formatting.NINETY_PERCENT_TO, _ninety_percent_to),
    "cost": (
        "US dollars; a plus means that some replies have no known price",
        lambda one: Figure(formatting.cost_of(one), one.cost_usd),
    ),
    "most errors": (
        "The most frequent class of wrong answers, and its share of them",
        _most_errors,
    ),
    "deviate %": (
        "Another answer than the expected one",
        partial(_outcome, Outcome.DEVIATE),
    ),
    "nan %": ("A reply without an answer", partial(_outcome, Outcome.NAN)),
    "cheat %": ("A program that is a lookup table", partial(_outcome, Outcome.CHEAT)),
    "trials": (
        "Trials with a reply",
        lambda one: Figure(f"{one.measured:,}", one.measured),
    ),
    "tokens": (
        "Tokens of prompts and replies",
        lambda one: Figure(
            formatting.tokens_of(one), formatting.prompt_and_completion(one)
        ),
    ),
    "latency": ("Median seconds of a reply", _latency),
    "date": (
        "When the run began",
        lambda one: Figure(one.date or formatting.UNKNOWN, one.date),
    ),
}


def overview(results: Sequence[ResultOfRun]) -> Overview:
    """A row per model and task.

    The date is a column if there are several; one date is in Provenance.
    """
    rows = [
        OverviewRow(
            row=row,
            correct=charts.overall_share(row.result, Outcome.CORRECT),
            figures={
                name: figure(row.result) for name, (_, figure) in _COLUMNS.items()
            },
            notes=list(_notes(row)),
        )
        for row in results
    ]
    tasks = list(dict.fromkeys(one.row.result.task for one in rows))
    rows.sort(key=lambda one: -one.correct.percent if one.correct else 1)
    rows.sort(key=lambda one: (tasks.index(one.row.result.task), bool(one.row.missing)))
    texts = {
        name: {one.figures[name].text for one in rows} - {"", "0.0", formatting.UNKNOWN}
        for name in _COLUMNS
    }
    columns = {
        name: title
        for name, (title, _) in _COLUMNS.items()
        if len(texts[name]) > (name == "date")
    }
    return Overview(columns, rows, len(tasks) > 1)


def _notes(row: ResultOfRun) -> Iterator[str]:
    result = row.result
    if searches := result.breaking_points:
        yield (
            f"wrong in {sum(one.question is not None for one in searches)} of "
            f"{len(searches)} searches"
        )
    for one in result.scored:
        last = one.scores[-1]
        score = formatting.percent_of(last.mean)
        within = f" within {last.name} s" if one.programs else ""
        yield f"{short_name(one.variant or result.task)}: score {score} %{within}"
    yield from notes_of(row)
    if reasons := result.unanswered_reasons:
        shown = [
            f"{count:,} {sanitize(reason, _LONGEST_REASON)}"
            for reason, count in reasons.items()
        ]
        yield f"unanswered: {', '.join(shown[:_MOST_REASONS])}" + ", ..." * (
            len(shown) > _MOST_REASONS
        )
    if result.stored:
        yield f"{result.stored:,} from the store"
    if result.batched:
        yield f"{result.batched:,} from batches"


# --- errors ---------------------------------------------------------------------------


class PositionRow(NamedTuple):
    """How often a digit is wrong, by its position from the left and from the right."""

    name: str
    left: Sequence[Share | None]
    right: Sequence[Share | None]


class ErrorsOfModel(NamedTuple):
    """The errors of one model at one task; `classes` are shares of its deviates."""

    label: str
    task: str
    deviates: int
    classes: Mapping[ErrorClass, Share]
    positions: Sequence[PositionRow]
    panels: Sequence[Panel]
    facts: Sequence[tuple[str, str]]


class Errors(NamedTuple):
    """The errors of all models, and the classes that occur in any of them."""

    classes: Sequence[ErrorClass]
    models: Sequence[ErrorsOfModel]


def errors(rows: Iterable[ResultOfRun]) -> Errors | None:
    """The errors of all models; None if no task has numbers as answers."""
    models = [
        _errors_of_model(row.label, row.result, row.result.errors)
        for row in rows
        if row.result.errors
    ]
    classes = [
        name for name in ErrorClass if any(name in model.classes for model in models)
    ]
    return Errors(classes, models) if models else None


def _errors_of_model(label: str, result: Result, totals: ErrorTotals) -> ErrorsOfModel:
    deviates = result.outcomes.deviate
    shares = {
        one.error_class: charts.share(one.count, deviates)
        for one in totals.classes
        if one.count
    }
    classes = {name: share for name, share in shares.items() if share}
    rows = [_position_row("all", totals.positions)]
    if len(totals.by_variant) > 1:
        rows += [
            _position_row(short_name(name), one.positions)
            for name, one in totals.by_variant.items()
        ]
    return ErrorsOfModel(
        label=label,
        task=short_name(result.task),
        deviates=deviates,
        classes=classes,
        positions=[row for row in rows if row.left],
        panels=list(_panels(label, result)),
        facts=list(_facts(result, totals)),
    )


def _position_row(name: str, positions: Positions) -> PositionRow:
    ends = positions["from_left"], positions["from_right"]
    shares = (
        [charts.share(one["wrong"], one["digits"]) for one in end[:_MOST_POSITIONS]]
        for end in ends
    )
    return PositionRow(name, *shares)


def _panels(label: str, result: Result) -> Iterator[Panel]:
    """Accuracy by the strata of problems, if there are two points or more."""
    for name, strata in result.strata.items():
        shares = charts.known(
            {
                one["value"]: charts.share(one["correct"], one["measured"])
                for one in strata
            }
        )
        if len(shares) > 1:
            yield charts.panel(f"Correct % by {name}", name, [(label, shares)])


def _facts(result: Result, totals: ErrorTotals) -> Iterator[tuple[str, str]]:
    """Other facts about the errors, by name."""
    if totals.digit_match is not None:
        yield (
            "digits that match",
            f"{100 * totals.digit_match:.1f} % on average, over all answers",
        )
    if totals.dlength is not None:
        yield "length", f"{totals.dlength:.2f} digits too long or too short on average"
    leading = formatting.leading_digits(result.error_sizes, result.outcomes.deviate)
    if leading != formatting.UNKNOWN:
        yield (
            "leading digits",
            f"{leading} right before the first wrong one, the median of deviates",
        )
    if (relative := result.error_sizes.median_relative_error) is not None:
        yield "relative error", f"{formatting.short(relative)}, the median of deviates"
    bare = formatting.share(totals.strict["strict_correct"], result.measured)
    tolerant = formatting.share(totals.strict["tolerant_correct"], result.measured)
    bare_number = f"{bare} % right if only a bare number counts"
    yield (
        "cost of a strict format",
        f"{bare_number}, {tolerant} % if the answer may be in a sentence",
    )
    if reasons := result.nan_reasons:
        told = (
            f"{count:,} {sanitize(reason, _LONGEST_REASON)}"
            for reason, count in reasons.items()
        )
        yield "no answer", ", ".join(told)


# --- scores ---------------------------------------------------------------------------


class ScoredVariant(NamedTuple):
    """One variant: a row per model and score, plots, and the problems that no model
    solved.
    """

    name: str
    rows: Sequence[tuple[str, Variant, Scores]]
    legend: Sequence[str]
    panels: Sequence[Panel]
    unsolved: Sequence[str]
    has_programs: bool


def scored_variants(rows: Iterable[ResultOfRun]) -> list[ScoredVariant]:
    """All variants with scores, by name."""
    found: dict[str, list[tuple[str, Variant]]] = {}
    for row in rows:
        for counted in row.result.scored:
            found.setdefault(counted.variant or row.result.task, []).append(
                (row.label, counted)
            )
    return [_scored_variant(short_name(name), found[name]) for name in sorted(found)]


def _scored_variant(name: str, models: Sequence[tuple[str, Variant]]) -> ScoredVariant:
    curves = [(label, counted.scores[-1].curve) for label, counted in models]
    together = len(curves) <= charts.MOST_TOGETHER
    title = "Scores from best to worst"
    panels = (
        [(title, curves)]
        if together
        else [(f"{title}, {one[0]}", [one]) for one in curves]
    )
    unsolved = [set(counted.unsolved) for _, counted in models if counted.measured]
    return ScoredVariant(
        name=name,
        rows=[
            (label, counted, score)
            for label, counted in models
            for score in counted.scores
        ],
        legend=[label for label, _ in curves] if together and len(curves) > 1 else (),
        panels=[charts.score_panel(*one) for one in panels if one[1]],
        unsolved=sorted(set.intersection(*unsolved)) if unsolved else (),
        has_programs=any(counted.programs for _, counted in models),
    )


# --- provenance -----------------------------------------------------------------------


class Provenance(NamedTuple):
    """The facts of a run by name.

    `complete` is None if the number of selected trials is unknown.
    """

    name: str
    status: str
    complete: bool | None
    facts: Sequence[tuple[str, str]]


def provenance(run: PageRun) -> Provenance:
    """How much of a run is answered, its models, and all other facts."""
    summary = run.summary
    if summary.complete:
        status = all_answered(summary.answered)
    else:
        unanswered = (
            f", {summary.unanswered:,} unanswered" if summary.unanswered else ""
        )
        status = f"{answered_count(summary)} answered{unanswered}"
    status = "; ".join(filter(None, (run.unfinished, status)))
    complete: bool | None = summary.complete and not run.unfinished
    if not run.unfinished and summary.unanswered == 0 and summary.run.selected is None:
        complete = None
    facts = [
        (name, text)
        for name, value in _facts_of_run(summary, status)
        if (text := _text(value))
    ]
    return Provenance(sanitize(run.name, 200), status, complete, facts)


def _facts_of_run(summary: RunSummary, status: str) -> Iterator[tuple[str, Any]]:
    """How much is answered, and the fields of `run` in summary.json; unknown ones are
    None.
    """
    run = summary.run
    yield "trials", status
    yield from (("duplicates", line) for line in duplicates(summary))
    yield (
        "from the store",
        f"{sum(result.stored for result in summary.results):,} replies",
    )
    fields = as_dict(run) | {
        "conditions": [condition_name(one) for one in run.conditions or ()]
    }
    fields["asking"] = {
        name: count for name, count in (fields["asking"] or {}).items() if count
    }
    yield from (
        (name.replace("_", " "), fields[name])
        for name in fields
        if name not in ("id", "selected", "models")
    )
    yield from ((f"model {_text(model.name)}", as_dict(model)) for model in run.models)
    programs = [
        one.programs
        for each in summary.results
        for one in each.variants
        if one.programs
    ]
    isolation = sum((Counter(one.isolation) for one in programs), Counter[str]())
    yield (
        "sandbox",
        [f"{count:,} programs {level}" for level, count in sorted(isolation.items())],
    )


def _text(value: Any) -> str:
    """A value in one printable line, a nested one as names and values; an unknown one
    is empty.
    """
    match value:
        case None | False:
            return ""
        case dict():
            texts = {key: text for key, item in value.items() if (text := _text(item))}
            shown = ", ".join(
                f"{key.replace('_', ' ')} {text}" for key, text in texts.items()
            )
        case list():
            shown = ", ".join(map(_text, value))
        case _:
            shown = as_text(value) or ""
    return sanitize(shown, _LONGEST_FACT)
