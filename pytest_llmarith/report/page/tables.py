"""Errors and scores on the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pytest_llmarith.report import formatting
from pytest_llmarith.report.page import charts
from pytest_llmarith.report.page.charts import Panel, Share
from pytest_llmarith.report.series import ResultOfRun, short_name
from pytest_llmarith.safe_text import sanitize
from pytest_llmarith.summaries import (
    ErrorTotals,
    Positions,
    Result,
    Scores,
    Variant,
)
from pytest_llmarith.types import ErrorClass

_MOST_POSITIONS = 16  # from either end
_LONGEST_REASON = 60


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
