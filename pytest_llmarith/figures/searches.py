"""Depths: D50, the depth up to which 90 % are correct, and what searches found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Annotated, Literal

from msgspec import Meta
from msgspec.structs import asdict

from pytest_llmarith import records
from pytest_llmarith.figures.estimates import (
    Examples,
    Figure,
    Leaf,
    MakeFigures,
    Measure,
    Trial,
)
from pytest_llmarith.figures.outcomes import OutcomeCounter
from pytest_llmarith.records import (
    Amount,
    Count,
    Minimum,
    Name,
    Part,
    Record,
    SearchDetails,
    Share,
)
from pytest_llmarith.statistics.proportions import Depth, ninety_percent_to
from pytest_llmarith.statistics.thresholds import fit
from pytest_llmarith.types import Outcome, SearchEnd

_DECIMALS = 4
ADAPTIVE = "adaptive"  # how D50 was measured, if not by the answers of a grid


class BreakingPoint(Minimum):
    """The result of one search."""

    variant: str
    repeat: Count
    not_reproduced: Count
    questions: Count
    budget: Count
    ended: SearchEnd
    largest_right: str | None
    depth_right: Count | None = None  # the largest depth of a right answer


class Threshold(Part):
    """D50, the depth at which half of the answers are right: of first repeats, `nan`
    counts as wrong.

    `variant`: or the task, if it has none
    `d50`: null if it is outside of the depths, or unknown
    `place`: of D50, beside the depths
    `first`: the smallest depth with an answer, or of adaptive asking
    `last`: the largest one
    `interval`: 95 %; ends outside of them are null
    `p`: of the goodness of fit
    `questions`: with an answer
    `ended`: why adaptive asking ended; null for the answers of a grid
    """

    variant: Name
    d50: Amount | None
    place: Literal["below", "within", "above", "unknown"]
    first: Count
    last: Count
    interval: Annotated[list[Amount | None], Meta(min_length=2, max_length=2)]
    p: Share
    questions: Count
    ended: SearchEnd | None = None

    @property
    def fits(self) -> bool:
        """Whether accuracy falls with the depth; if it rises again, D50 says little."""
        return self.p >= 0.01


class SearchCounter:
    def __init__(self) -> None:
        self.breaking_points: list[tuple[int, BreakingPoint]] = []
        # With the place of the variant, and the repeat.
        self.thresholds: list[tuple[int, int, Threshold]] = []

    def add(self, trial: Trial) -> None:
        record = trial.record
        search = trial.search
        if search is None or record.outcome is Outcome.UNANSWERED:
            return
        place = record.problem.variant_place
        if search.depths is None:
            self.breaking_points.append((place, _breaking_point(record, search)))
            return
        found = threshold_of(record, search)
        if found is not None:
            self.thresholds.append((place, record.repeat, found))


def _breaking_point(record: Record, search: SearchDetails) -> BreakingPoint:
    minimum = search.minimum
    if minimum is None:
        minimum = records.Minimum(None, None, record.outcome, None, None, None)
    depths = []
    for step in search.trail:
        if step.depth is not None and step.outcome is Outcome.CORRECT:
            depths.append(step.depth)
    return BreakingPoint(
        **asdict(minimum),
        variant=record.problem.variant or "",
        repeat=record.repeat,
        not_reproduced=search.not_reproduced,
        questions=search.questions,
        budget=search.budget,
        ended=search.ended,
        largest_right=search.largest_right,
        depth_right=max(depths, default=None),
    )


def _breaking_points(leaves: Sequence[Leaf]) -> list[BreakingPoint]:
    found = []
    for leaf in leaves:
        found += leaf.counted.breaking_points
    found.sort(key=lambda one: (one[0], one[1].variant, one[1].repeat))
    return [one for _, one in found]


def _count_breaking_points(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    found = _breaking_points(leaves)
    if found:
        yield Figure(len(found))


# --- D50 ------------------------------------------------------------------------------


def threshold(
    variant: str,
    depths: Iterable[Depth],
    offered: Sequence[int] = (),
    ended: SearchEnd | None = None,
) -> Threshold | None:
    """D50; None if only one depth has answers.

    `offered` are the depths of adaptive asking, which `ended`.
    """
    measured = tuple(sorted(depth for depth in depths if depth.measured))
    ends = (min(offered), max(offered)) if offered else None
    found = fit(measured, ends)
    if found is None:
        return None
    first, last = ends or (measured[0].depth, measured[-1].depth)
    return Threshold(
        variant=variant,
        d50=_rounded(found.d50),
        place=found.place,
        first=first,
        last=last,
        interval=[_rounded(found.low), _rounded(found.high)],
        p=round(found.p, _DECIMALS),
        questions=sum(depth.measured for depth in measured),
        ended=ended,
    )


def _rounded(digits: float | None) -> float | None:
    return None if digits is None else round(digits, _DECIMALS)


def threshold_of(record: Record, search: SearchDetails) -> Threshold | None:
    """D50 as adaptive asking measured it; None if it is unanswered."""
    if search.depths is None or record.outcome is Outcome.UNANSWERED:
        return None
    answers: dict[int, Depth] = {}
    for step in search.trail:
        depth = step.depth or 0
        _, correct, measured = answers.get(depth, Depth(depth, 0, 0))
        is_correct = step.outcome is Outcome.CORRECT
        answers[depth] = Depth(depth, correct + is_correct, measured + 1)
    variant = record.problem.variant or record.task
    return threshold(variant, answers.values(), search.depths, search.ended)


def _depths(leaves: Sequence[Leaf]) -> list[Depth]:
    """The first repeats of one variant by depth; none for several variants."""
    if len({leaf.variant for leaf in leaves if leaf.depth is not None}) != 1:
        return []
    depths = []
    for leaf in leaves:
        first = leaf.counted.first
        if leaf.depth is not None and first:
            depths.append(Depth(leaf.depth, first[Outcome.CORRECT], first.measured))
    return depths


def _reach(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    depths = _depths(leaves)
    if depths:
        shown, possible = ninety_percent_to(depths)
        yield Figure(shown, shown, possible)


def _of_grid(
    figure: Callable[[Threshold], Figure],
) -> MakeFigures:
    def figures(leaves: Sequence[Leaf]) -> Iterator[Figure]:
        found = threshold("", _depths(leaves))
        if found is not None:
            yield figure(found)

    return figures


def _of_searches(
    figure: Callable[[Threshold], Figure],
) -> MakeFigures:
    def figures(leaves: Sequence[Leaf]) -> Iterator[Figure]:
        found: list[tuple[int, int, Threshold]] = []
        for leaf in leaves:
            found += leaf.counted.thresholds
        found.sort(key=lambda each: (each[0], each[2].variant, each[1]))
        for _, repeat, one in found:
            at = f"{one.variant}, repeat {repeat}" if repeat else one.variant
            yield figure(one)._replace(by=ADAPTIVE, at=at)

    return figures


# The rest of the key, unit, meaning, and the figure.
_OF_D50: Sequence[tuple[str, str, str, Callable[[Threshold], Figure]]] = (
    (
        "",
        "depth",
        "the depth at which half of the answers are right: of first repeats, `nan` "
        "counts as wrong; none if it is outside of the depths",
        lambda one: Figure(one.d50, one.interval[0], one.interval[1], one.questions),
    ),
    (
        "_place",
        "",
        "where D50 is beside the depths: below, within, above, unknown",
        lambda one: Figure(one.place),
    ),
    (
        "_first",
        "depth",
        "the smallest depth with an answer, or of adaptive asking",
        lambda one: Figure(one.first),
    ),
    (
        "_last",
        "depth",
        "the largest depth with an answer, or of adaptive asking",
        lambda one: Figure(one.last),
    ),
    (
        "_fit",
        "p",
        "p of the goodness of fit; below 0.01 accuracy does not fall with the depth, "
        "and D50 says little",
        lambda one: Figure(one.p),
    ),
)


def _measures() -> Iterator[Measure]:
    yield Measure(
        "ninety_percent_to",
        "90 % to",
        "depth",
        "the depth up to which at least 90 % of the answers are shown to be correct "
        "(value and low), or may be (high)",
        OutcomeCounter,
        _reach,
        in_cells=False,
    )
    for rest, unit, meaning, figure in _OF_D50:
        yield Measure(
            f"d50{rest}", "D50", unit, meaning, OutcomeCounter, _of_grid(figure)
        )
        yield Measure(
            f"adaptive_d50{rest}",
            "D50 by adaptive asking",
            unit,
            f"by adaptive asking, {meaning}",
            SearchCounter,
            _of_searches(figure),
        )
    yield Measure(
        "adaptive_d50_ended",
        "D50 by adaptive asking",
        "",
        "why adaptive asking ended",
        SearchCounter,
        _of_searches(lambda one: Figure(one.ended)),
    )
    yield Measure(
        "breaking_points",
        "breaking points",
        "searches",
        "searches for the simplest question that is answered wrongly",
        SearchCounter,
        _count_breaking_points,
    )


MEASURES = tuple(_measures())
EXAMPLES = (
    Examples(
        "breaking_points",
        "the simplest question that was answered wrongly every time it was asked",
        SearchCounter,
        _breaking_points,
    ),
)
