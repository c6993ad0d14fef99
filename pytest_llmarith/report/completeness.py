"""Which questions and cells of a run are answered."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Sequence

from pytest_llmarith.figures.shares import percentage
from pytest_llmarith.results.gates import questions_of_run
from pytest_llmarith.safe_text import sanitize_name
from pytest_llmarith.summaries import RunSummary
from pytest_llmarith.types import NanReason
from pytest_llmarith.views.formatting import counted, percent_of, with_interval
from pytest_llmarith.views.places import Here

_MOST_NAMED = 4  # variants
_LONGEST_NAME = 30

_Cell = tuple[str, int | None]  # a variant at a depth, or one without depths


def all_answered(count: int) -> str:
    """The remark about a complete run."""
    if count == 1:
        return "1 of 1 answered"
    return f"all {count:,} answered"


def answered_count(summary: RunSummary) -> str:
    """How many questions are answered, and of how many, if that is known."""
    answered, known = summary.answered, questions_of_run(summary)
    if known is None:
        return f"{answered:,}"
    return f"{answered:,} of {known:,}"


def questions_of(row: Here) -> int:
    """How many different questions a run selected for a result; if it is unknown, the
    number of questions that it has.
    """
    facts = row.result.facts
    if facts.selected:
        return facts.selected - facts.duplicates
    return row.measured + row.number("unanswered")


def incomplete(row: Here) -> str:
    """The remark about a result that lacks answers, else empty."""
    all_of_it = questions_of(row)
    if row.measured >= all_of_it:
        return ""
    return f"incomplete, {row.measured:,} of {all_of_it:,}"


def bounded(row: Here) -> str:
    """The remark about a result with bounds instead of percentages, as a cell has no
    reply; else empty.
    """
    correct = row.correct
    if correct is None or correct.value is not None:
        return ""
    return (
        f"no reply for a variant at some depth: {correct.low:.1f} to "
        f"{correct.high:.1f} % are correct, depending on the missing replies"
    )


def truncated(row: Here) -> str:
    """How many replies are truncated, and the percentage correct with and without them;
    empty if none is.
    """
    count = row.number("nan_reason", NanReason.TRUNCATED)
    if row.get("breaking_points") or not count:
        return ""
    line = f"{count:,} of {row.measured:,} truncated"
    rest = row.measured - count
    if not rest:
        return line
    others = with_interval(percentage(row.number("correct"), rest))
    correct = percent_of(row.correct)
    return f"{line}: {correct} % correct with them, {others} % without"


def duplicates(summary: RunSummary) -> list[str]:
    """A line about items that ask the question of another item, if there are any."""
    count = summary.duplicates
    if not count:
        return []
    return [
        f"{counted(count, 'item')} asked the same question as another item: they share one request and "
        f"count as one trial"
    ]


def missing_cells(rows: Sequence[Here]) -> list[str]:
    """The remark about each result that lacks cells, such as `lacks 18 of 72 cells ...:
    int_mul`, else empty.

    Only results with the same cells can be ranked: a run of easy cells has a high
    percentage.
    """
    cells_of: dict[str, dict[_Cell, None]] = {}  # in the order of the results
    for row in rows:
        cells_of.setdefault(row.task, {}).update(dict.fromkeys(_answered(row)))
    return [_lacks(cells_of[row.task], set(_answered(row))) for row in rows]


def _answered(row: Here) -> Iterator[_Cell]:
    """Its cells, and its variants without depths."""
    for cell in row.grid:
        if cell.measured:
            yield cell.variant or "", cell.depth
    for one in row.variants:
        if one.measured and not one.get("ninety_percent_to"):
            yield one.variant or "", None


def _lacks(cells: Collection[_Cell], answered: Container[_Cell]) -> str:
    missing = [cell for cell in cells if cell not in answered]
    if not missing:
        return ""
    names = list(dict.fromkeys(name for name, _ in missing))
    shown = [sanitize_name(name, _LONGEST_NAME) for name in names[:_MOST_NAMED]]
    if len(names) > _MOST_NAMED:
        shown.append("...")
    return (
        f"lacks {len(missing):,} of {len(cells):,} cells that others have: "
        f"{', '.join(shown)}"
    )
