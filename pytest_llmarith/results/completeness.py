"""How many of the selected questions are answered, and which cells of other results a result lacks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from pytest_llmarith.records import Result, RunSummary
from pytest_llmarith.results.formatting import sanitize_name
from pytest_llmarith.results.keys import variant_order
from pytest_llmarith.types import Outcome

_MOST_NAMED = 4  # variants or sets
_LONGEST_NAME = 30

_Cell = tuple[str, int | None]  # a variant at a depth, or a set of sequences


def questions_of_run(summary: RunSummary) -> int | None:
    """How many different questions a run selected; None if that is unknown."""
    return None if summary.run.selected is None else summary.run.selected - summary.duplicates


def questions_of_result(result: Result) -> int:
    """The same for one result; if it is unknown, the number of questions that it has."""
    if result.selected:
        return result.selected - result.duplicates
    return result.measured + result.outcomes.unanswered


def is_complete(summary: RunSummary) -> bool:
    """Whether all selected questions are answered."""
    return summary.unanswered == 0 and summary.answered == questions_of_run(summary)


def all_answered(count: int) -> str:
    """The remark about a complete run."""
    return "1 of 1 answered" if count == 1 else f"all {count:,} answered"


def answered_count(summary: RunSummary) -> str:
    """How many questions are answered, and of how many, if that is known."""
    answered, known = summary.answered, questions_of_run(summary)
    return f"{answered:,}" if known is None else f"{answered:,} of {known:,}"


def incomplete(result: Result) -> str:
    """The remark about a result that lacks answers, else empty."""
    measured, all_of_it = result.measured, questions_of_result(result)
    return f"incomplete, {measured:,} of {all_of_it:,}" if measured < all_of_it else ""


def bounded(result: Result) -> str:
    """The remark about a result with bounds instead of percentages, as a cell has no reply; else empty."""
    correct = result.percentages[Outcome.CORRECT]
    if correct is None or correct.percent is not None or correct.low is None or correct.high is None:
        return ""
    bounds = f"{correct.low:.1f} to {correct.high:.1f} %"
    return f"no reply for a variant at some depth: {bounds} are correct, depending on the missing replies"


def duplicates(summary: RunSummary) -> list[str]:
    """A line about items that ask the question of another item, if there are any."""
    count = summary.duplicates
    if not count:
        return []
    items = "1 item" if count == 1 else f"{count:,} items"
    return [f"{items} asked the same question as another item: they share one request and count as one trial"]


def missing_cells(results: Sequence[Result]) -> list[str]:
    """The remark about each result that lacks cells, such as `lacks 18 of 72 cells ...: int_mul 5-10`, else empty.

    Only results with the same cells can be ranked: a run of easy cells has a high percentage.
    """
    found: dict[str, set[_Cell]] = {}
    for result in results:
        found.setdefault(result.task, set()).update(_answered(result))
    return [_lacks(found[result.task], found[result.task] - set(_answered(result))) for result in results]


def _answered(result: Result) -> Iterator[_Cell]:
    yield from ((cell.variant, cell.depth) for cell in result.cells if cell.measured)
    yield from ((one.set, None) for one in result.sets if one.measured)


def _lacks(cells: set[_Cell], missing: set[_Cell]) -> str:
    if not missing:
        return ""
    names = sorted({name for name, _ in missing}, key=variant_order)
    shown = [_named(name, cells, missing) for name in names[:_MOST_NAMED]]
    more = ", ..." if len(names) > _MOST_NAMED else ""
    return f"lacks {len(missing):,} of {len(cells):,} cells that others have: {', '.join(shown)}{more}"


def _named(name: str, cells: set[_Cell], missing: set[_Cell]) -> str:
    """A variant with the depths that are missing, such as `5-10`, unless all of them are."""
    depths = sorted(depth for each, depth in cells if each == name and depth is not None)
    ranges = [list(run) for lacks, run in groupby(depths, lambda depth: (name, depth) in missing) if lacks]
    shown = sanitize_name(name, _LONGEST_NAME)
    if sum(map(len, ranges)) == len(depths):
        return shown
    return " ".join([shown, *(f"{one[0]}-{one[-1]}" if len(one) > 1 else str(one[0]) for one in ranges)])
