"""How answers err: classes, wrong digits by position, carries, and what format discipline costs.

It does not know how an error comes into its class, nor how a picture is laid out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_llmarith import records
from pytest_llmarith.records import Result, Strictness
from pytest_llmarith.reports import figures
from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.reports.page.curves import Panel, panel
from pytest_llmarith.reports.page.percentages import Share, share
from pytest_llmarith.reports.page.runs import Series, word
from pytest_llmarith.values import ErrorClass

MOST_POSITIONS = 16  # from either end
_LONGEST_REASON = 80


@dataclass(frozen=True, slots=True)
class ShareOfClass:
    """A class of errors, and its share of the deviates."""

    name: str
    share: Share


@dataclass(frozen=True, slots=True)
class PositionRow:
    """How often a digit is wrong, by its position from the left and from the right; None where there is none."""

    name: str
    left: Sequence[Share | None]
    right: Sequence[Share | None]


@dataclass(frozen=True, slots=True)
class Anatomy:
    """The errors of one model at one task."""

    series: Series
    task: str
    deviates: int
    classes: Sequence[ShareOfClass]
    positions: Sequence[PositionRow]
    carries: Sequence[Panel]
    facts: Sequence[tuple[str, str]]

    @property
    def most_positions(self) -> int:
        """How many positions the widest row has."""
        return max((len(row.left) for row in self.positions), default=0)

    def share_of(self, name: str) -> Share | None:
        """What one class has of the deviates; None where it does not occur."""
        return next((found.share for found in self.classes if found.name == name), None)


@dataclass(frozen=True, slots=True)
class Errors:
    """All anatomies, and the classes that occur in any of them."""

    classes: Sequence[str]
    anatomies: Sequence[Anatomy]

    @property
    def erring(self) -> list[Anatomy]:
        """Those in which any answer deviates."""
        return [anatomy for anatomy in self.anatomies if anatomy.deviates]


def errors(series: Sequence[Series]) -> Errors | None:
    """None where no number was asked for."""
    anatomies = [
        _anatomy(one, task, result, result.anatomy)
        for one in series
        for task, result in one.results.items()
        if result.anatomy
    ]
    if not anatomies:
        return None
    occurring = {found.name for anatomy in anatomies for found in anatomy.classes}
    return Errors([name for name in ErrorClass if name in occurring], anatomies)


def _anatomy(series: Series, task: str, result: Result, found: records.Anatomy) -> Anatomy:
    deviates = result.outcomes.deviate
    of_variants = [_position_row(word(name), one.positions) for name, one in found.by_variant.items()]
    rows = [_position_row("all", found.positions), *(of_variants if len(of_variants) > 1 else ())]
    return Anatomy(
        series=series,
        task=word(task),
        deviates=deviates,
        classes=[
            ShareOfClass(one.error_class, of_deviates)
            for one in found.classes
            if one.count and (of_deviates := share(one.count, deviates))
        ],
        positions=[row for row in rows if row.left],
        carries=list(_strata(series.label, found)),
        facts=list(_facts(result, found)),
    )


def _position_row(name: str, positions: records.Positions) -> PositionRow:
    left, right = (
        [share(one["wrong"], one["digits"]) for one in of_end[:MOST_POSITIONS]]
        for of_end in (positions["from_left"], positions["from_right"])
    )
    return PositionRow(name, left, right)


def _strata(label: str, found: records.Anatomy) -> Iterable[Panel]:
    """Sums and differences by how much is carried in them."""
    carries = {one["carries"]: share(one["correct"], one["measured"]) for one in found.carries}
    chains = {one["chain"]: share(one["correct"], one["measured"]) for one in found.longest_chain}
    for title, what, strata in (
        ("Correct % by number of carries", "carries", carries),
        ("Correct % by longest chain of carries", "in a row", chains),
    ):
        shares = {number: of for number, of in strata.items() if of}
        if len(shares) > 1:
            yield panel(title, what, [(label, shares)])


def _facts(result: Result, found: records.Anatomy) -> Iterable[tuple[str, str]]:
    """What one number says."""
    if found.digit_match is not None:
        yield "digits that match", f"{100 * found.digit_match:.1f} % on average, over all answers"
    if found.dlength is not None:
        yield "length", f"{found.dlength:.2f} digits too long or too short on average"
    if found.leading_digits is not None and figures.leading_digits(result.error_sizes) != figures.UNKNOWN:
        yield "leading digits", f"{found.leading_digits:g} right before the first wrong one, the median of deviates"
    if result.median_relative_error is not None:
        yield "relative error", f"{figures.short(result.median_relative_error)}, the median of deviates"
    yield "format discipline", _strict(found.strict)
    if reasons := result.nan_reasons:
        told = (f"{count:,} {sanitize(reason, _LONGEST_REASON)}" for reason, count in reasons.items())
        yield "no answer", ", ".join(told)


def _strict(strict: Mapping[Strictness, int]) -> str:
    """What it costs to take nothing but a bare number."""
    whole = strict["measured"]
    tolerant, bare = figures.share(strict["tolerant_correct"], whole), figures.share(strict["strict_correct"], whole)
    return f"{bare} % right where only a bare number counts, {tolerant} % where the answer may stand in words"
