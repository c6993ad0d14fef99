"""The part Errors: classes, wrong digits by position, carries, and the cost of a strict format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_llmarith.records import ErrorTotals, Positions, Result
from pytest_llmarith.results import formatting
from pytest_llmarith.results.formatting import sanitize
from pytest_llmarith.results.page.charts import Panel, Share, known, panel, share
from pytest_llmarith.results.series import Results, short_name
from pytest_llmarith.types import ErrorClass

_MOST_POSITIONS = 16  # from either end
_LONGEST_REASON = 80


@dataclass(frozen=True, slots=True)
class PositionRow:
    """How often a digit is wrong, by its position from the left and from the right."""

    name: str
    left: Sequence[Share | None]
    right: Sequence[Share | None]


@dataclass(frozen=True, slots=True)
class ErrorsOfModel:
    """The errors of one model at one task; `classes` are shares of its deviates."""

    label: str
    task: str
    deviates: int
    classes: Mapping[ErrorClass, Share]
    positions: Sequence[PositionRow]
    panels: Sequence[Panel]
    facts: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Errors:
    """The errors of all models, and the classes that occur in any of them."""

    classes: Sequence[ErrorClass]
    models: Sequence[ErrorsOfModel]


def errors(results: Results) -> Errors | None:
    """The errors of all models; None if no task has numbers as answers."""
    models = [_errors_of_model(label, result, result.errors) for label, result in results if result.errors]
    classes = [name for name in ErrorClass if any(name in model.classes for model in models)]
    return Errors(classes, models) if models else None


def _errors_of_model(label: str, result: Result, totals: ErrorTotals) -> ErrorsOfModel:
    deviates = result.outcomes.deviate
    rows = [_position_row("all", totals.positions)]
    if len(totals.by_variant) > 1:
        rows += [_position_row(short_name(name), variant.positions) for name, variant in totals.by_variant.items()]
    return ErrorsOfModel(
        label=label,
        task=short_name(result.task),
        deviates=deviates,
        classes={one.error_class: of for one in totals.classes if one.count and (of := share(one.count, deviates))},
        positions=[row for row in rows if row.left],
        panels=list(_panels(label, totals)),
        facts=list(_facts(result, totals)),
    )


def _position_row(name: str, positions: Positions) -> PositionRow:
    left, right = (
        [share(one["wrong"], one["digits"]) for one in end[:_MOST_POSITIONS]]
        for end in (positions["from_left"], positions["from_right"])
    )
    return PositionRow(name, left, right)


def _panels(label: str, totals: ErrorTotals) -> Iterator[Panel]:
    """Accuracy of sums and differences by carries, if there are two points or more."""
    carries = {one["carries"]: share(one["correct"], one["measured"]) for one in totals.carries}
    chains = {one["chain"]: share(one["correct"], one["measured"]) for one in totals.longest_chain}
    for title, what, strata in (
        ("Correct % by number of carries", "carries", carries),
        ("Correct % by longest chain of carries", "in a row", chains),
    ):
        if len(shares := known(strata)) > 1:
            yield panel(title, what, [(label, shares)])


def _facts(result: Result, totals: ErrorTotals) -> Iterator[tuple[str, str]]:
    """Other facts about the errors, by name."""
    if totals.digit_match is not None:
        yield "digits that match", f"{100 * totals.digit_match:.1f} % on average, over all answers"
    if totals.dlength is not None:
        yield "length", f"{totals.dlength:.2f} digits too long or too short on average"
    leading = formatting.leading_digits(result.error_sizes, result.outcomes.deviate)
    if leading != formatting.UNKNOWN:
        yield "leading digits", f"{leading} right before the first wrong one, the median of deviates"
    if result.median_relative_error is not None:
        yield "relative error", f"{formatting.short(result.median_relative_error)}, the median of deviates"
    bare, tolerant = (
        formatting.share(totals.strict[correct], totals.strict["measured"])
        for correct in ("strict_correct", "tolerant_correct")
    )
    bare_number = f"{bare} % right if only a bare number counts"
    yield "cost of a strict format", f"{bare_number}, {tolerant} % if the answer may be in a sentence"
    if reasons := result.nan_reasons:
        told = (f"{count:,} {sanitize(reason, _LONGEST_REASON)}" for reason, count in reasons.items())
        yield "no answer", ", ".join(told)
