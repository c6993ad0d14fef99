"""Compares runs, models and conditions: by pairs of the same question, or as two
groups.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import hypot
from typing import Any, Literal, TypeVar

from pytest_llmarith.records import Part, Points, Record, SearchDetails
from pytest_llmarith.results.compare_rows import (
    DifferenceOfScores,
    Row,
    at_worst,
    correct_for_tests,
    rows_of,
    scores_of,
)
from pytest_llmarith.results.files import UsageError
from pytest_llmarith.results.keys import USUAL_NAME, label_of
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.results.questions import (
    Pair,
    Question,
    Questions,
    by_cell,
    pair,
    with_other_prompts,
)
from pytest_llmarith.results.thresholds import threshold_of
from pytest_llmarith.summaries import Threshold

_MOST_NAMED = 5

_Found = TypeVar("_Found")


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


class DifferenceOfD50(Part):
    """Adaptive D50 on both sides, and B - A in depths; null if one is outside of its
    depths or does not fit.

    An end of the interval is null if an end of a side's interval on which it depends is
    outside of the depths.
    """

    name: str  # the variant, with the condition if it is not the usual one
    first: Threshold
    second: Threshold
    difference: float | None
    interval: tuple[float | None, float | None] | None  # 95 %


class Comparison(Part):
    """Two sides.

    `searches` say which breaking points were found. There are no `rows` if only D50 is
    compared.
    """

    first: Side
    second: Side
    differing: list[Differing]
    searches: list[Differing]
    thresholds: list[DifferenceOfD50]
    method: Literal["paired", "unpaired"]
    questions: Counts
    rows: list[Row]
    scores: list[DifferenceOfScores]  # of tasks with scores between 0 and 1, if paired


class Comparisons(Part):
    """All comparisons of one command."""

    format: Literal[1]
    comparisons: list[Comparison]
    # models that the other run lacks, such as `gpt-4o in reports/one`
    not_compared: list[str]


@dataclass(slots=True)
class _Model:
    """The questions of one model of a run, in all conditions or in one."""

    run: str
    name: str
    questions: Collection[Question] = ()
    repeated: bool = False
    condition: str | None = None
    simulated: bool = False
    # facts in its records
    seen: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    # by condition and search
    searches: dict[tuple[str, str], str] = field(default_factory=dict)
    # by condition and variant
    thresholds: dict[tuple[str, str], Threshold] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)  # of variants in the task

    def __str__(self) -> str:
        if self.condition:
            return f"{self.name}, {self.condition}"
        return self.name

    @property
    def conditions(self) -> list[str]:
        labels = {question.condition for question in self.questions}
        labels.update(label for label, _ in self.thresholds)
        return sorted(label or USUAL_NAME for label in labels)

    def note(self, record: Record) -> None:
        """Collect the facts in a record about how the model was asked and graded."""
        self.simulated = self.simulated or record.simulated
        if record.search is not None:
            self._note_search(record, record.search)
        reply, program = record.reply, record.program
        # They are shown in this order.
        if reply and reply.served_model is not None:
            self.seen["served model"].add(reply.served_model)
        if reply and reply.sent:
            self.seen["parameters"].add(_text_of(reply.sent.params))
        if record.reading is not None:
            self.seen["graded reading"].add(str(record.reading))
        if record.problem.seed is not None:
            self.seen["seed"].add(str(record.problem.seed))
        if program:
            self.seen["sandbox level"].add(str(program.isolation.level))

    def _note_search(self, record: Record, search: SearchDetails) -> None:
        label = label_of(record.condition)
        variant = record.problem.variant or record.task
        if search.depths is not None:
            found = threshold_of(record, search)
            if found is not None:
                self.thresholds[label, variant] = found
                self.places[variant] = record.problem.variant_place
            return
        name = variant
        if record.repeat:
            name += f", repeat {record.repeat}"
        wrong = search.minimum.question if search.minimum else None
        self.searches[label, name] = wrong or "nothing found"


def _text_of(parameters: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in sorted(parameters.items()))


_Models = Mapping[str, _Model]
_Sides = tuple[_Model, _Model]


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
    first = _models_of(baseline)
    comparisons: list[Comparison] = []
    alone: list[str] = []
    for other in others or [baseline]:
        second = _models_of(other) if others else first
        chosen = _chosen(first, second, models, within=not others and not conditions)
        for one_side, other_side in _in_conditions(chosen, conditions):
            comparisons.append(_compared(one_side, other_side, unpaired))
        if not models and first.keys() & second.keys():
            alone += _only_in(first, second)
            alone += _only_in(second, first)
    return Comparisons(1, comparisons, list(dict.fromkeys(alone)))


def _only_in(side: _Models, beside: _Models) -> Iterator[str]:
    for name, model in side.items():
        if name not in beside:
            yield f"{name} in {model.run}"


# --- which models and conditions ------------------------------------------------------


def _models_of(run: LoadedRun) -> _Models:
    """The models in the order of the run."""
    found: dict[str, _Model] = {}
    questions: dict[str, Questions] = {}
    for record in run.records():
        name = record.model
        if name not in found:
            found[name] = _Model(str(run.path), name)
            questions[name] = Questions(run.systems)
        found[name].note(record)
        questions[name].add(record)
    for name, asked in questions.items():
        found[name].questions = list(asked)
        found[name].repeated = asked.repeated
    named = [model.name for model in run.facts.models] if run.facts else []
    others = sorted(found.keys() - named)
    return {name: found[name] for name in [*named, *others] if name in found}


def _chosen(
    first: _Models, second: _Models, wanted: Sequence[str], *, within: bool
) -> list[_Sides]:
    """The requested models, else those with equal names, else the only two."""
    if wanted:
        chosen = []
        for text in wanted:
            one, other = _split("--model", text, first, second, within)
            chosen.append((first[one], second[other]))
        return chosen
    if within:
        choice = "--model=A:B, where A and B are models of it, or --condition=A:B"
        raise UsageError(
            f"to compare one run with itself, add {choice}; it has {_listed(first)}"
        )
    if not first or not second:
        raise UsageError("one of the runs has no trials; name another run")
    common = [(first[model], second[model]) for model in first if model in second]
    if common:
        return common
    if len(first) == len(second) == 1:
        [only_first], [only_second] = first.values(), second.values()
        return [(only_first, only_second)]
    why = "the runs have no model of the same name; select models with"
    raise UsageError(f"{why} {_choice('--model', first, second)}")


def _in_conditions(chosen: Iterable[_Sides], wanted: Sequence[str]) -> Iterator[_Sides]:
    """The models in all conditions, or the first in condition A and the second in
    condition B.
    """
    if not wanted:
        yield from chosen
    for text in wanted:
        for first, second in chosen:
            is_one_side = first is second
            one, other = _split(
                "--condition", text, first.conditions, second.conditions, is_one_side
            )
            yield _in_condition(first, one), _in_condition(second, other)


def _in_condition(model: _Model, condition: str) -> _Model:
    """The part of a model in one condition, without the label of the condition."""
    label = "" if condition == USUAL_NAME else condition
    questions = []
    for question in model.questions:
        if question.condition == label:
            questions.append(replace(question, condition=""))
    return replace(
        model,
        questions=questions,
        searches=_of_label(label, model.searches),
        thresholds=_of_label(label, model.thresholds),
        condition=condition,
    )


def _of_label(
    label: str, found: Mapping[tuple[str, str], _Found]
) -> dict[tuple[str, str], _Found]:
    return {("", name): one for (its, name), one in found.items() if its == label}


def _split(
    option: str,
    text: str,
    first: Collection[str],
    second: Collection[str],
    within: bool,
) -> tuple[str, str]:
    """The names in `A` or `A:B`, which may contain colons; `within` one run they must
    differ.
    """
    readings = [(text, text)]
    parts = text.split(":")
    for place in range(1, len(parts)):
        readings.append((":".join(parts[:place]), ":".join(parts[place:])))
    found = [
        (one, other) for one, other in readings if one in first and other in second
    ]
    if len(found) != 1:
        cause = "no such name"
        if found:
            cause = f"the colons are ambiguous, with {len(found)} readings"
        raise UsageError(
            f"{option}={text}: {cause}; write {_choice(option, first, second)}"
        )
    [(one, other)] = found
    if within and one == other:
        raise UsageError(
            f"{option}={text}: only one run is named; name two of its {option[2:]}s: "
            f"{option}=A:B"
        )
    return one, other


def _choice(option: str, first: Collection[str], second: Collection[str]) -> str:
    return (
        f"{option}=A:B, where A is one of {_listed(first)} and B one of "
        f"{_listed(second)}"
    )


def _listed(names: Collection[str]) -> str:
    if not names:
        return "none"
    shown = ", ".join(list(names)[:_MOST_NAMED])
    if len(names) > _MOST_NAMED:
        shown += f" and {len(names) - _MOST_NAMED} more"
    return shown


# --- one comparison -------------------------------------------------------------------


def _compared(first: _Model, second: _Model, unpaired: bool) -> Comparison:
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
        raise UsageError(f"{_both(first, second)}: {why}")
    is_paired = 2 * len(pairs) >= smaller
    method: Literal["paired", "unpaired"] = "paired"
    scores: list[DifferenceOfScores] = []
    if is_paired:
        same: list[Pair] = []
        if first.name == second.name and first.condition != second.condition:
            pairs, same = with_other_prompts(pairs)
        if same and not pairs:
            raise UsageError(
                f"{_both(first, second)}: all {len(same):,} questions have the same "
                f"prompt in both conditions; compare questions whose prompts differ, "
                f"such as larger numbers"
            )
        counts = _counts_of_pairs(pairs, same, left, right)
        scores = scores_of(pairs)
    elif unpaired:
        method = "unpaired"
        pairs = _cells(first, second)
        counts = _counts_of_cells(pairs, first, second)
    else:
        raise _not_the_same(first, second, len(pairs), smaller)
    tested = sum(score.p is not None for score in scores)
    rows = rows_of(pairs, paired=is_paired, other_tests=tested) if pairs else []
    correct_for_tests([*rows, *scores])
    return Comparison(
        _side(first),
        _side(second),
        _differing(first, second),
        _searches(first, second),
        thresholds,
        method,
        counts,
        rows,
        scores,
    )


def _not_the_same(
    first: _Model, second: _Model, common: int, smaller: int
) -> UsageError:
    """The error for sides with too few questions in common, of those of the smaller
    side.
    """
    why = "no question is the same"
    if common:
        why = f"only {common:,} of {smaller:,} questions are the same"
    helps = "add --unpaired to compare them without pairing"
    if not set(first.conditions) & set(second.conditions):
        choice = _choice("--condition", first.conditions, second.conditions)
        helps = f"compare them with {choice}"
    return UsageError(f"{_both(first, second)}: {why}; {helps}")


def _side(model: _Model) -> Side:
    return Side(model.run, model.name, model.condition, model.simulated)


def _searches(first: _Model, second: _Model) -> list[Differing]:
    """What the searches of both sides found."""
    found = []
    for key in sorted({*first.searches, *second.searches}):
        label, search = key
        name = f"{label}, {search}" if label else search
        on_first, on_second = first.searches.get(key), second.searches.get(key)
        found.append(Differing(name, on_first, on_second))
    return found


def _thresholds(first: _Model, second: _Model) -> list[DifferenceOfD50]:
    common = []
    for label, variant in first.thresholds.keys() & second.thresholds:
        common.append((label, first.places[variant], variant))
    rows = []
    for label, _, variant in sorted(common):
        one = first.thresholds[label, variant]
        other = second.thresholds[label, variant]
        name = f"{variant}, {label}" if label else variant
        rows.append(_difference_of_d50(name, one, other))
    return rows


def _difference_of_d50(
    name: str, first: Threshold, second: Threshold
) -> DifferenceOfD50:
    """With the interval by Zou and Donner 2008, Statistics in Medicine 27,
    1693-1702.
    """
    if first.d50 is None or second.d50 is None or not (first.fits and second.fits):
        return DifferenceOfD50(name, first, second, None, None)
    difference = second.d50 - first.d50
    low = high = None
    first_low, first_high = first.interval
    second_low, second_high = second.interval
    if first_high is not None and second_low is not None:
        low = difference - hypot(second.d50 - second_low, first_high - first.d50)
    if first_low is not None and second_high is not None:
        high = difference + hypot(second_high - second.d50, first.d50 - first_low)
    return DifferenceOfD50(name, first, second, difference, (low, high))


def _counts_of_pairs(
    pairs: Sequence[Pair],
    same: Sequence[Pair],
    left: Sequence[Question],
    right: Sequence[Question],
) -> Counts:
    compared = unanswered = first_unanswered = second_unanswered = 0
    problems = set()
    for one, other in pairs:
        compared += min(one.answered, other.answered)
        unanswered += max(one.unanswered, other.unanswered)
        first_unanswered += one.unanswered
        second_unanswered += other.unanswered
        problems.add(one.problem)
    first_others = sum(question.asked for question in left)
    second_others = sum(question.asked for question in right)
    return Counts(
        compared=compared,
        repeated=_asked(pairs) - len(problems),
        cells=None,
        unanswered=unanswered,
        at_worst=at_worst(pairs, paired=True),
        same_words=_asked(same),
        first=LeftOut(others=first_others, unanswered=first_unanswered),
        second=LeftOut(others=second_others, unanswered=second_unanswered),
    )


def _asked(pairs: Iterable[Pair]) -> int:
    """How many trials of the pairs were asked on both sides."""
    return sum(min(one.asked, other.asked) for one, other in pairs)


def _cells(first: _Model, second: _Model) -> list[Pair]:
    """The cells that both sides were asked, each as one question."""
    if first.repeated or second.repeated:
        raise UsageError(
            f"{_both(first, second)}: runs with --llm-repeats can only be compared by "
            f"pairs of the same question; name runs that asked the same questions, or "
            f"runs without repeats"
        )
    has_conditions = len(first.conditions) != 1 or len(second.conditions) != 1
    cells = by_cell(first.questions, with_conditions=has_conditions)
    others = by_cell(second.questions, with_conditions=has_conditions)
    found = [(one, others[cell]) for cell, one in cells.items() if cell in others]
    if not any(one.answered and other.answered for one, other in found):
        raise UsageError(
            f"{_both(first, second)}: no cell (a variant, or a variant at a depth) "
            f"has answers in both; name runs that asked the same kinds of questions"
        )
    return found


def _counts_of_cells(cells: Sequence[Pair], first: _Model, second: _Model) -> Counts:
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


def _left_out(model: _Model, compared: int) -> LeftOut:
    """What is left out if so many answered trials are compared."""
    answered = sum(one.answered for one in model.questions)
    unanswered = sum(one.unanswered for one in model.questions)
    others = answered - compared
    return LeftOut(answered=answered, others=others, unanswered=unanswered)


def _differing(first: _Model, second: _Model) -> list[Differing]:
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


def _both(first: _Model, second: _Model) -> str:
    if first.run == second.run:
        return f"{first} and {second} in {first.run}"
    return f"{first.run} and {second.run}"
