"""How much of what was to be asked is answered, by what a summary or a result says. It does not know who shows it."""

from __future__ import annotations

from pytest_llmarith.records import Result, RunSummary
from pytest_llmarith.values import Outcome


def wanted(summary: RunSummary) -> int | None:
    """How many questions a run was to ask: what several of its items ask is one. None where nobody knows."""
    return None if summary.run.selected is None else summary.run.selected - summary.duplicates


def wanted_of(result: Result) -> int:
    """The same of one result; where nobody knows, those that there are."""
    if result.selected:
        return result.selected - result.duplicates
    return result.measured + result.outcomes.unanswered


def incomplete(result: Result) -> str:
    """What is said of a result that has not all that it was to have; nothing of others."""
    measured, all_of_it = result.measured, wanted_of(result)
    return f"incomplete, {measured:,} of {all_of_it:,}" if measured < all_of_it else ""


def bounded(result: Result) -> str:
    """What is said of a result that has bounds in place of percentages, as a cell has no reply; nothing of others."""
    correct = result.percentages[Outcome.CORRECT]
    if correct is None or correct.percent is not None or correct.low is None or correct.high is None:
        return ""
    bounds = f"{correct.low:.1f} to {correct.high:.1f} %"
    return f"no reply for a variant at some depth: {bounds} are correct, whatever the missing replies would be"


def is_whole(summary: RunSummary) -> bool:
    """Whether all that was selected was answered; of a partial run too, which says so elsewhere."""
    return summary.unanswered == 0 and summary.answered == wanted(summary)


def all_answered(count: int) -> str:
    """What is said of a run that is whole."""
    return "1 of 1 answered" if count == 1 else f"all {count:,} answered"


def of_wanted(summary: RunSummary) -> str:
    """How many are answered, of how many where that is known."""
    answered, known = summary.answered, wanted(summary)
    return f"{answered:,}" if known is None else f"{answered:,} of {known:,}"


def duplicates(summary: RunSummary) -> list[str]:
    """What is said of items that asked what others asked: nothing, or a line."""
    count = summary.duplicates
    if not count:
        return []
    items = "1 item" if count == 1 else f"{count:,} items"
    return [f"{items} asked what another item asks, in the same words: that is one request, and counts as one trial"]
