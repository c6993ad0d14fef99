"""D50 of a summary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_llmarith.records import Record, SearchDetails
from pytest_llmarith.statistics.shares import Depth
from pytest_llmarith.statistics.thresholds import fit
from pytest_llmarith.summaries import Threshold
from pytest_llmarith.types import Outcome, SearchEnd

_DECIMALS = 4  # in a summary


def threshold(
    variant: str,
    depths: Iterable[Depth],
    offered: Sequence[int] = (),
    ended: SearchEnd | None = None,
) -> Threshold | None:
    """D50 for a summary; None if only one depth has answers.

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
