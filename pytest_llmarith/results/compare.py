"""Compares runs, models and conditions: by pairs of the same question, or as two
groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import inf, isfinite
from typing import Literal, NamedTuple

from pytest_llmarith.figures.contrasts import D50, Compared, rows
from pytest_llmarith.figures.estimates import Estimate, Figure, Place
from pytest_llmarith.figures.searches import Threshold
from pytest_llmarith.figures.shares import (
    noise_of,
    percentage,
    percentage_of_clusters,
)
from pytest_llmarith.records import Part, Points
from pytest_llmarith.results.compare_sides import (
    ModelOfRun,
    Models,
    chosen_sides,
    how_to_choose,
    in_conditions,
    models_of,
    names_of_sides,
)
from pytest_llmarith.results.families import answered, at_worst, parts_of, scores_of
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.results.questions import (
    CountedQuestion,
    Pair,
    by_cell,
    pair,
    with_other_prompts,
)
from pytest_llmarith.results.run_files import UsageError
from pytest_llmarith.statistics.intervals import Interval
from pytest_llmarith.statistics.pairs import mover
from pytest_llmarith.statistics.proportions import Cluster


class Side(Part):
    """One side of a comparison."""

    run: str
    model: str
    condition: str | None  # the selected one
    simulated: bool


class Differing(Part):
    """A fact in the records in which the sides may differ; null if it is unknown."""

    what: str
    first: str | None
    second: str | None


class LeftOut(Part, kw_only=True):
    """The trials of a side that are not compared; `others` have no counterpart."""

    answered: int | None = None  # all that are answered; only without pairing
    others: int
    unanswered: int


class Counts(Part, kw_only=True):
    """What is compared, in trials."""

    compared: int | None  # pairs
    repeated: int | None  # pairs whose question is also in another pair
    cells: int | None  # only without pairing
    unanswered: int  # on either side
    # the difference if unanswered ones are right in the first and wrong in the second
    at_worst: Points
    # pairs that are left out because both conditions have the same prompt
    same_words: int | None
    first: LeftOut
    second: LeftOut


class DifferenceOfD50(NamedTuple):
    """Adaptive D50 on both sides, and B - A in depths; unknown if one is outside of its
    depths or does not fit.

    An end of the interval is unknown if an end of a side's interval on which it depends
    is outside of the depths.
    """

    name: str  # the variant, with the condition if it is not the usual one
    first: Threshold
    second: Threshold
    compared: Compared


class Comparison(NamedTuple):
    """Two sides.

    `searches` say which breaking points were found. There are no `rows` if only D50 is
    compared; the first one is over all, the others are of parts and of mean scores.
    """

    first: Side
    second: Side
    differing: list[Differing]
    searches: list[Differing]
    thresholds: list[DifferenceOfD50]
    method: Literal["paired", "unpaired"]
    questions: Counts
    rows: list[Compared]

    def estimates(self) -> Iterator[Estimate]:
        for one in self.rows:
            yield from one.estimates()
        for each in self.thresholds:
            yield from each.compared.estimates()


class Comparisons(NamedTuple):
    """All comparisons of one command."""

    comparisons: list[Comparison]
    # models that the other run lacks, such as `gpt-4o in reports/one`
    not_compared: list[str]


def compare(
    baseline: LoadedRun,
    others: Sequence[LoadedRun],
    models: Sequence[str] = (),
    conditions: Sequence[str] = (),
    *,
    unpaired: bool = False,
) -> Comparisons:
    """Compare other runs with the baseline or, if there are none, the baseline with
    itself.

    `models` and `conditions` select sides, as `A` or `A:B`. With `unpaired`, runs
    without common questions are compared, too. Raises UsageError if runs cannot be
    compared.
    """
    first = models_of(baseline)
    comparisons = []
    alone: list[str] = []
    for other in others or [baseline]:
        second = models_of(other) if others else first
        chosen = chosen_sides(
            first, second, models, within=not others and not conditions
        )
        for one_side, other_side in in_conditions(chosen, conditions):
            comparisons.append(_compared(one_side, other_side, unpaired))
        if not models and first.keys() & second.keys():
            alone += _only_in(first, second)
            alone += _only_in(second, first)
    return Comparisons(comparisons, list(dict.fromkeys(alone)))


def _only_in(side: Models, beside: Models) -> Iterator[str]:
    for name, model in side.items():
        if name not in beside:
            yield _named(model)


# --- one comparison -------------------------------------------------------------------


def _compared(first: ModelOfRun, second: ModelOfRun, unpaired: bool) -> Comparison:
    pairs, left, right = pair(
        first.questions, second.questions, any_prompt=first.condition is not None
    )
    smaller = min(len(first.questions), len(second.questions))
    thresholds = _thresholds(first, second)
    has_searches = bool(first.searches.keys() & second.searches.keys())
    if not smaller and not thresholds and not has_searches:
        why = (
            "one side has only searches, and none of a variant of the other; "
            "`llmarith report` shows all of them"
        )
        raise UsageError(f"{names_of_sides(first, second)}: {why}")
    is_paired = 2 * len(pairs) >= smaller
    method: Literal["paired", "unpaired"] = "paired"
    names = str(second), _named(first)
    if is_paired:
        same: list[Pair] = []
        if first.name == second.name and first.condition != second.condition:
            pairs, same = with_other_prompts(pairs)
        if same and not pairs:
            raise UsageError(
                f"{names_of_sides(first, second)}: all {len(same):,} questions have "
                f"the same prompt in both conditions; compare questions whose prompts "
                f"differ, such as larger numbers"
            )
        counts = _counts_of_pairs(pairs, same, left, right)
    elif unpaired:
        method = "unpaired"
        pairs = _cells(first, second)
        counts = _counts_of_cells(pairs, first, second)
    else:
        raise _not_the_same(first, second, len(pairs), smaller)
    family = parts_of(pairs, *names) if pairs else []
    if is_paired:
        family += scores_of(pairs, *names)
    compared = rows(family, paired=is_paired)
    if is_paired and compared and _is_the_same(first, second):
        _add_noise(compared[0], pairs)
    return Comparison(
        _side(first),
        _side(second),
        _differing(first, second),
        _searches(first, second),
        thresholds,
        method,
        counts,
        compared,
    )


def _is_the_same(first: ModelOfRun, second: ModelOfRun) -> bool:
    """Whether one model was asked twice, in the same way."""
    ways = [
        (one.name, one.condition, one.seen.get("served model"), one.seen["parameters"])
        for one in (first, second)
    ]
    return first.run != second.run and ways[0] == ways[1]


def _add_noise(row: Compared, pairs: Iterable[Pair]) -> None:
    """How far the model agrees with itself: in all repeats of a question, and by the
    noise in each of them.
    """
    n = replies = outcomes = tries = 0
    alike = []
    for one, other in answered(pairs):
        if one.answered == other.answered:
            n += 1
            replies += one.replies == other.replies
            outcomes += one.outcomes == other.outcomes
            tries += one.answered
            wrong = (one.answered - one.correct) * (other.answered - other.correct)
            right = one.correct * other.correct
            alike.append(Cluster(right + wrong, one.answered**2))
    for part, same in (("same_replies", replies), ("same_outcomes", outcomes)):
        share = percentage(same, n)
        if share is not None:
            row.put(part, share)
    if tries > n:
        found = percentage_of_clusters(alike)
    else:
        found = percentage(*Cluster.of(alike))
    if found is not None:
        row.put("noise", noise_of(found, tries))


def _not_the_same(
    first: ModelOfRun, second: ModelOfRun, common: int, smaller: int
) -> UsageError:
    """The error for sides with too few questions in common, of those of the smaller
    side.
    """
    why = "no question is the same"
    if common:
        why = f"only {common:,} of {smaller:,} questions are the same"
    helps = "add --unpaired to compare them without pairing"
    if not set(first.conditions) & set(second.conditions):
        choice = how_to_choose("--condition", first.conditions, second.conditions)
        helps = f"compare them with {choice}"
    return UsageError(f"{names_of_sides(first, second)}: {why}; {helps}")


def _named(model: ModelOfRun) -> str:
    return f"{model} in {model.run}"


def _side(model: ModelOfRun) -> Side:
    return Side(model.run, model.name, model.condition, model.simulated)


def _searches(first: ModelOfRun, second: ModelOfRun) -> list[Differing]:
    """What the searches of both sides found."""
    found = []
    for key in sorted({*first.searches, *second.searches}):
        label, search = key
        name = f"{label}, {search}" if label else search
        on_first, on_second = first.searches.get(key), second.searches.get(key)
        found.append(Differing(name, on_first, on_second))
    return found


def _thresholds(first: ModelOfRun, second: ModelOfRun) -> list[DifferenceOfD50]:
    common = []
    for label, variant in first.thresholds.keys() & second.thresholds:
        common.append((label, first.places[variant], variant))
    rows = []
    for label, _, variant in sorted(common):
        one = first.thresholds[label, variant]
        other = second.thresholds[label, variant]
        name = f"{variant}, {label}" if label else variant
        place = Place(str(second), None, label, variant)
        figures = _figures_of_d50(one, other, _named(first))
        compared = Compared(D50, place, "side", _named(first), figures)
        rows.append(DifferenceOfD50(name, one, other, compared))
    return rows


def _figures_of_d50(
    first: Threshold, second: Threshold, beside: str
) -> dict[str, Figure]:
    difference = low = high = None
    if first.d50 is not None and second.d50 is not None and first.fits and second.fits:
        difference, ends = mover(first.d50, _ends(first), second.d50, _ends(second))
        low, high = (end if isfinite(end) else None for end in ends)
    figures = {D50: Figure(difference, low, high, by="side", at=beside)}
    for part, side in (("here", second), ("beside", first)):
        start, end = side.interval
        figures[f"{D50}_{part}"] = Figure(side.d50, start, end, by="side", at=beside)
    return figures


def _ends(one: Threshold) -> Interval:
    low, high = one.interval
    return Interval(-inf if low is None else low, inf if high is None else high)


def _counts_of_pairs(
    pairs: Sequence[Pair],
    same: Sequence[Pair],
    left: Sequence[CountedQuestion],
    right: Sequence[CountedQuestion],
) -> Counts:
    compared = unanswered = 0
    of_first = LeftOut(others=0, unanswered=0)
    of_second = LeftOut(others=0, unanswered=0)
    problems = set()
    for one, other in pairs:
        compared += min(one.answered, other.answered)
        unanswered += max(one.unanswered, other.unanswered)
        of_first.unanswered += one.unanswered
        of_second.unanswered += other.unanswered
        problems.add(one.problem)
    for question in left:
        of_first.others += question.asked
    for question in right:
        of_second.others += question.asked
    return Counts(
        compared=compared,
        repeated=_asked(pairs) - len(problems),
        cells=None,
        unanswered=unanswered,
        at_worst=at_worst(pairs, paired=True),
        same_words=_asked(same),
        first=of_first,
        second=of_second,
    )


def _asked(pairs: Iterable[Pair]) -> int:
    """How many trials of the pairs were asked on both sides."""
    return sum(min(one.asked, other.asked) for one, other in pairs)


def _cells(first: ModelOfRun, second: ModelOfRun) -> list[Pair]:
    """The cells that both sides were asked, each as one question."""
    if first.repeated or second.repeated:
        raise UsageError(
            f"{names_of_sides(first, second)}: runs with --llm-repeats can only be "
            f"compared by pairs of the same question; name runs that asked the same "
            f"questions, or runs without repeats"
        )
    labels = {question.condition for question in first.questions}
    other_labels = {question.condition for question in second.questions}
    has_conditions = len(labels) != 1 or len(other_labels) != 1
    cells = by_cell(first.questions, with_conditions=has_conditions)
    others = by_cell(second.questions, with_conditions=has_conditions)
    found = [(one, others[cell]) for cell, one in cells.items() if cell in others]
    if not any(one.answered and other.answered for one, other in found):
        raise UsageError(
            f"{names_of_sides(first, second)}: no cell (a variant, or a variant at a "
            f"depth) has answers in both; name runs that asked the same kinds of "
            f"questions"
        )
    return found


def _counts_of_cells(
    cells: Sequence[Pair], first: ModelOfRun, second: ModelOfRun
) -> Counts:
    compared = first_answered = second_answered = unanswered = 0
    for one, other in cells:
        unanswered += one.unanswered + other.unanswered
        if one.answered and other.answered:
            compared += 1
            first_answered += one.answered
            second_answered += other.answered
    return Counts(
        compared=None,
        repeated=None,
        cells=compared,
        unanswered=unanswered,
        at_worst=at_worst(cells, paired=False),
        same_words=None,
        first=_left_out(first, first_answered),
        second=_left_out(second, second_answered),
    )


def _left_out(model: ModelOfRun, compared: int) -> LeftOut:
    """What is left out if so many answered trials are compared."""
    answered = unanswered = 0
    for question in model.questions:
        answered += question.answered
        unanswered += question.unanswered
    others = answered - compared
    return LeftOut(answered=answered, others=others, unanswered=unanswered)


def _differing(first: ModelOfRun, second: ModelOfRun) -> list[Differing]:
    """The facts in which the records of both sides differ."""
    found = []
    for name in dict.fromkeys([*first.seen, *second.seen]):
        on_first = _values(first.seen.get(name))
        on_second = _values(second.seen.get(name))
        if on_first != on_second:
            found.append(Differing(name, on_first, on_second))
    return found


def _values(found: set[str] | None) -> str | None:
    if found is None:
        return None
    return "; ".join(sorted(found))
