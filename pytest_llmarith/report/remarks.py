"""What has to be known of a run and of its results besides their figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterator, Mapping, Sequence

from pytest_llmarith.figures.own_measures import FAILED
from pytest_llmarith.report.definitions.results import first_wrong, threshold
from pytest_llmarith.results.gates import questions_of_run
from pytest_llmarith.safe_text import sanitize, sanitize_name
from pytest_llmarith.summaries import RunSummary
from pytest_llmarith.types import NanReason
from pytest_llmarith.views import kinds
from pytest_llmarith.views.formatting import (
    MOST_NAMED,
    counted,
    named,
    percent_of,
    with_interval,
    wrong_answer,
)
from pytest_llmarith.views.places import LONGEST_LABEL, Here, short_name
from pytest_llmarith.views.table import Level

_LONGEST_REASON = 60

_Cell = tuple[str, int | None]  # a variant at a depth, or one without depths


# --- runs -----------------------------------------------------------------------------


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


def when_asked(summary: RunSummary) -> str:
    """The days on which stored replies were asked, such as `, asked 2026-11-21 to
    2026-11-23`.
    """
    if not summary.stored_days:
        return ""
    return f", asked {' to '.join(dict.fromkeys(summary.stored_days))}"


def duplicates(summary: RunSummary) -> list[str]:
    """A line about items that ask the question of another item, if there are any."""
    count = summary.duplicates
    if not count:
        return []
    return [
        f"{counted(count, 'item')} asked the same question as another item: they share "
        f"one request and count as one trial"
    ]


# --- results --------------------------------------------------------------------------


def remarks(row: Here, level: Level) -> list[str]:
    """What has to be known of a result.

    Below tables of classes and reasons stand only those that no table has.
    """
    found = [_incomplete(row), row.missing, _bounded(row), wrong_searches(row)]
    repeats = row.get("repeats")
    if repeats:
        problems = counted(repeats.n or 0, "problem")
        found.append(f"{problems}, asked {repeats.value} times each")
    found.append(_truncated(row))
    found.append(_without_logprobs(row))
    found += _failed_measures(row)
    if level is Level.BRIEF:
        found += [_errors(row), _of("nan", row)]
        if row.depths:  # a task without variants has no table
            found += _of_depths(row._replace(variant=""))
    else:
        found.append(_named("nan", row.by_name("nan_reason")))
        found.append(_of("rounded", row))
        if row.get("cost_usd", "sum"):
            found.append(_of("unpriced", row))
        if row.run and level is Level.FULL:
            found.append(sanitize_name(row.run, LONGEST_LABEL))
    if level >= Level.PAGE:
        found.append(_named("unanswered", row.by_name("unanswered_reason")))
        found.append(_of("stored", row, "from the store"))
        found.append(_of("batched", row, "from batches"))
    return [one for one in found if one]


def _without_logprobs(row: Here) -> str:
    """That no answer came with the log probabilities that were asked for."""
    confident = row.get("confident")
    if confident is None or confident.value or not confident.n:
        return ""
    return f"no log probabilities with {counted(confident.n, 'answer')}"


def _failed_measures(row: Here) -> Iterator[str]:
    """Why measures of the user's own task have no figure."""
    for key in row.result.own:
        for figure in row.all(key).values():
            if figure.method == FAILED:
                yield f"measure {short_name(key)}: {figure.at}"


def _of(key: str, row: Here, text: str = "") -> str:
    count = row.number(key)
    return f"{count:,} {text or key}" if count else ""


def _named(title: str, counts: Mapping[str, int]) -> str:
    """The most frequent names with their counts."""
    if not counts:
        return ""
    texts = []
    others = Counter(counts)
    for name, count in others.most_common(MOST_NAMED):
        texts.append(f"{count:,} {sanitize(name, _LONGEST_REASON)}")
        del others[name]
    if others:
        texts.append(counted(others.total(), "other"))
    return f"{title}: {', '.join(texts)}"


def _errors(row: Here) -> str:
    """The most frequent classes of wrong answers, or how many are wrong."""
    classes, deviate = row.by_name("error_class"), row.number("deviate")
    if classes or not deviate or row.scored or row.searched:
        return _named("errors", classes)
    return f"{deviate:,} with another answer"


def _of_depths(whole: Here) -> Iterator[str]:
    """D50, and the wrong answer to the smallest question."""
    d50, wrong = threshold(whole), first_wrong(whole)
    if d50:
        shown = kinds.D50.shown(d50)
        yield f"D50: {shown.as_figure(shown.text)}"
    if wrong:
        yield f"first wrong: {wrong_answer(wrong)}"


def _incomplete(row: Here) -> str:
    """Whether a result lacks answers to different questions of its run."""
    facts, known = row.result.facts, row.measured + row.number("unanswered")
    if facts.selected:
        known = facts.selected - facts.duplicates
    if row.measured >= known:
        return ""
    return f"incomplete, {row.measured:,} of {known:,}"


def _bounded(row: Here) -> str:
    """Whether a result has bounds instead of percentages, as a cell has no reply."""
    correct = row.correct
    if row.missing or correct is None or correct.value is not None:
        return ""
    return (
        f"no reply for a variant at some depth: {correct.low:.1f} to "
        f"{correct.high:.1f} % are correct, depending on the missing replies"
    )


def _truncated(row: Here) -> str:
    """How many replies are truncated, and the percentage correct with and without
    them.
    """
    count = row.number("nan_reason", NanReason.TRUNCATED)
    if row.searched or not count:
        return ""
    line = f"{count:,} of {row.measured:,} truncated"
    rest = row.get("correct_without_truncated")
    if rest is None:
        return line
    correct = percent_of(row.correct)
    return f"{line}: {correct} % correct with them, {with_interval(rest)} % without"


def wrong_searches(row: Here) -> str:
    """In how many searches a wrong answer was found; empty without searches."""
    searches = row.examples("breaking_points")
    if not searches:
        return ""
    wrong = sum(one.question is not None for one in searches)
    return f"wrong in {wrong} of {len(searches)} searches"


# --- cells ----------------------------------------------------------------------------


def with_missing_cells(rows: Sequence[Here]) -> list[Here]:
    """The results, with a remark on each that lacks cells, such as `lacks 18 of 72
    cells ...: int_mul`.

    Only results with the same cells can be ranked: a run of easy cells has a high
    percentage.
    """
    cells_of: dict[str, dict[_Cell, None]] = {}  # in the order of the results
    for row in rows:
        cells_of.setdefault(row.task, {}).update(dict.fromkeys(_answered(row)))
    found = []
    for row in rows:
        lacks = _lacks(cells_of[row.task], set(_answered(row)))
        found.append(row._replace(missing=lacks))
    return found


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
    return (
        f"lacks {len(missing):,} of {len(cells):,} cells that others have: "
        f"{named(dict.fromkeys(name for name, _ in missing))}"
    )
