"""Compares runs, models and conditions: by pairs of the same question, or as two
groups.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import hypot
from typing import Literal

from pytest_llmarith.records import (
    Part,
    Points,
    Record,
)
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
    same_words: (
        int | None
    )  # pairs that are left out because both conditions have the same prompt
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
    not_compared: list[
        str
    ]  # models that the other run lacks, such as `gpt-4o in reports/one`


@dataclass(slots=True)
class _Model:
    """The questions of one model of a run, in all conditions or in one."""

    run: str
    name: str
    questions: Collection[Question] = ()
    repeated: bool = False
    condition: str | None = None
    simulated: bool = False
    seen: dict[str, set[str]] = field(
        default_factory=lambda: defaultdict(set)
    )  # facts in its records
    searches: dict[tuple[str, str], str] = field(
        default_factory=dict
    )  # by condition and search
    thresholds: dict[tuple[str, str], Threshold] = field(
        default_factory=dict
    )  # by condition and variant
    places: dict[str, int] = field(default_factory=dict)  # of variants in the task

    def __str__(self) -> str:
        return f"{self.name}, {self.condition}" if self.condition else self.name

    @property
    def conditions(self) -> list[str]:
        labels = [question.condition for question in self.questions] + [
            label for label, _ in self.thresholds
        ]
        return sorted({label or USUAL_NAME for label in labels})

    def note(self, record: Record) -> None:
        """Collect the facts in a record about how the model was asked and graded."""
        self.simulated = self.simulated or record.simulated
        label, variant = (
            label_of(record.condition),
            record.problem.variant or record.task,
        )
        if record.search and record.search.depths is not None:
            if (found := threshold_of(record, record.search)) is not None:
                self.thresholds[label, variant] = found
                self.places[variant] = record.problem.variant_place
        elif record.search:
            repeat = f", repeat {record.repeat}" if record.repeat else ""
            search = f"{variant}{repeat}"
            wrong = record.search.minimum and record.search.minimum.question
            self.searches[label, search] = wrong or "nothing found"
        sent = record.reply and record.reply.sent
        for name, value in (
            ("served model", record.reply and record.reply.served_model),
            (
                "parameters",
                sent
                and ", ".join(
                    f"{name}={value}" for name, value in sorted(sent.params.items())
                ),
            ),
            ("graded reading", record.reading),
            ("seed", record.problem.seed),
            ("sandbox level", record.program and record.program.isolation.level),
        ):
            if value is not None:
                self.seen[name].add(str(value))


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
        comparisons += [
            _compared(*sides, unpaired) for sides in _in_conditions(chosen, conditions)
        ]
        if not models and first.keys() & second.keys():
            for side, beside in ((first, second), (second, first)):
                alone += [
                    f"{name} in {model.run}"
                    for name, model in side.items()
                    if name not in beside
                ]
    return Comparisons(1, comparisons, list(dict.fromkeys(alone)))


# --- which models and conditions ------------------------------------------------------


def _models_of(run: LoadedRun) -> _Models:
    """The models in the order of the run."""
    facts = run.facts
    systems = ((facts and facts.prompt_texts) or {}).get("systems", {})
    found: dict[str, _Model] = {}
    questions: defaultdict[str, Questions] = defaultdict(lambda: Questions(systems))
    for record in run.records():
        name = record.model
        questions[name].add(record)
        found.setdefault(name, _Model(str(run.path), name)).note(record)
    for name, asked in questions.items():
        found[name].questions, found[name].repeated = list(asked), asked.repeated
    rank = {
        model.name: place for place, model in enumerate(facts.models if facts else ())
    }
    return {
        name: found[name]
        for name in sorted(found, key=lambda name: (rank.get(name, len(rank)), name))
    }


def _chosen(
    first: _Models, second: _Models, wanted: Sequence[str], *, within: bool
) -> list[_Sides]:
    """The requested models, else those with equal names, else the only two."""
    if wanted:
        names = [_split("--model", text, first, second, within) for text in wanted]
        return [(first[one], second[other]) for one, other in names]
    if within:
        choice = "--model=A:B, where A and B are models of it, or --condition=A:B"
        raise UsageError(
            f"to compare one run with itself, add {choice}; it has {_listed(first)}"
        )
    if not first or not second:
        raise UsageError("one of the runs has no trials; name another run")
    common = [(first[model], second[model]) for model in first if model in second]
    if common or len(first) == len(second) == 1:
        return common or list(zip(first.values(), second.values(), strict=True))
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
            one, other = _split(
                "--condition",
                text,
                first.conditions,
                second.conditions,
                first is second,
            )
            yield _in_condition(first, one), _in_condition(second, other)


def _in_condition(model: _Model, condition: str) -> _Model:
    label = "" if condition == USUAL_NAME else condition
    questions = [
        replace(one, condition="") for one in model.questions if one.condition == label
    ]
    searches = {
        ("", name): found
        for (its, name), found in model.searches.items()
        if its == label
    }
    thresholds = {
        ("", name): found
        for (its, name), found in model.thresholds.items()
        if its == label
    }
    return replace(
        model,
        questions=questions,
        searches=searches,
        thresholds=thresholds,
        condition=condition,
    )


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
    parts = text.split(":")
    readings = [
        (":".join(parts[:place]), ":".join(parts[place:]))
        for place in range(1, len(parts))
    ]
    found = [
        (one, other)
        for one, other in [(text, text), *readings]
        if one in first and other in second
    ]
    if len(found) != 1:
        cause = (
            "no such name"
            if not found
            else f"the colons are ambiguous, with {len(found)} readings"
        )
        raise UsageError(
            f"{option}={text}: {cause}; write {_choice(option, first, second)}"
        )
    if within and found[0][0] == found[0][1]:
        raise UsageError(
            f"{option}={text}: only one run is named; name two of its {option[2:]}s: "
            f"{option}=A:B"
        )
    return found[0]


def _choice(option: str, first: Collection[str], second: Collection[str]) -> str:
    return (
        f"{option}=A:B, where A is one of {_listed(first)} and B one of "
        f"{_listed(second)}"
    )


def _listed(names: Collection[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return (", ".join(list(names)[:_MOST_NAMED]) or "none") + more


# --- one comparison -------------------------------------------------------------------


def _compared(first: _Model, second: _Model, unpaired: bool) -> Comparison:
    pairs, left, right = pair(
        first.questions, second.questions, any_prompt=first.condition is not None
    )
    smaller, thresholds = (
        min(len(first.questions), len(second.questions)),
        _thresholds(first, second),
    )
    has_searches = bool(first.searches.keys() & second.searches.keys())
    if not smaller and not thresholds and not has_searches:
        why = (
            "one side has only searches, and none of a variant of the other; "
            "`llmarith report` shows all of them"
        )
        raise UsageError(f"{_both(first, second)}: {why}")
    is_paired = 2 * len(pairs) >= smaller
    if is_paired:
        same: list[Pair] = []
        if first.name == second.name and first.condition != second.condition:
            pairs, same = with_other_prompts(pairs)
        if same and not pairs:
            raise UsageError(
                f"{_both(first, second)}: all {len(same):,} questions have the same "
                f"prompt in both "
                "conditions; compare questions whose prompts differ, such as larger "
                "numbers"
            )
        counts = _counts_of_pairs(pairs, same, left, right)
    elif unpaired:
        pairs = _cells(first, second)
        counts = _counts_of_cells(pairs, first, second)
    else:
        why = (
            f"only {len(pairs):,} of {smaller:,} questions are the same"
            if pairs
            else "no question is the same"
        )
        helps = "add --unpaired to compare them without pairing"
        if not set(first.conditions) & set(second.conditions):
            helps = (
                f"compare them with "
                f"{_choice('--condition', first.conditions, second.conditions)}"
            )
        raise UsageError(f"{_both(first, second)}: {why}; {helps}")
    scores = scores_of(pairs) if is_paired else []
    tested = sum(score.p is not None for score in scores)
    rows = rows_of(pairs, paired=is_paired, other_tests=tested) if pairs else []
    correct_for_tests([*rows, *scores])
    one, other = (
        Side(side.run, side.name, side.condition, side.simulated)
        for side in (first, second)
    )
    searches = [
        Differing(
            ", ".join(filter(None, key)),
            first.searches.get(key),
            second.searches.get(key),
        )
        for key in sorted({*first.searches, *second.searches})
    ]
    method: Literal["paired", "unpaired"] = "paired" if is_paired else "unpaired"
    return Comparison(
        one,
        other,
        _differing(first, second),
        searches,
        thresholds,
        method,
        counts,
        rows,
        scores,
    )


def _thresholds(first: _Model, second: _Model) -> list[DifferenceOfD50]:
    rows = []
    for key in sorted(
        first.thresholds.keys() & second.thresholds,
        key=lambda key: (key[0], first.places[key[1]], key[1]),
    ):
        name = ", ".join(filter(None, key[::-1]))
        rows.append(
            _difference_of_d50(name, first.thresholds[key], second.thresholds[key])
        )
    return rows


def _difference_of_d50(
    name: str, first: Threshold, second: Threshold
) -> DifferenceOfD50:
    """With the interval by Zou and Donner 2008, Statistics in Medicine 27,
    1693-1702.
    """
    if first.d50 is None or second.d50 is None or not (first.fits and second.fits):
        return DifferenceOfD50(name, first, second, None, None)
    difference, low, high = second.d50 - first.d50, None, None
    (first_low, first_high), (second_low, second_high) = first.interval, second.interval
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
    return Counts(
        compared=sum(min(one.answered, other.answered) for one, other in pairs),
        repeated=sum(min(one.asked, other.asked) for one, other in pairs)
        - len({one.problem for one, _ in pairs}),
        cells=None,
        unanswered=sum(max(one.unanswered, other.unanswered) for one, other in pairs),
        at_worst=at_worst(pairs, paired=True),
        same_words=sum(min(one.asked, other.asked) for one, other in same),
        first=LeftOut(
            others=sum(it.asked for it in left),
            unanswered=sum(it.unanswered for it, _ in pairs),
        ),
        second=LeftOut(
            others=sum(it.asked for it in right),
            unanswered=sum(it.unanswered for _, it in pairs),
        ),
    )


def _cells(first: _Model, second: _Model) -> list[Pair]:
    """The cells that both sides were asked, each as one question."""
    if first.repeated or second.repeated:
        raise UsageError(
            f"{_both(first, second)}: runs with --llm-repeats can only be compared by "
            f"pairs of the same "
            "question; name runs that asked the same questions, or runs without repeats"
        )
    has_conditions = not len(first.conditions) == len(second.conditions) == 1
    cells, others = (
        by_cell(side.questions, with_conditions=has_conditions)
        for side in (first, second)
    )
    found = [(one, others[cell]) for cell, one in cells.items() if cell in others]
    if not any(one.answered and other.answered for one, other in found):
        raise UsageError(
            f"{_both(first, second)}: no cell (a variant, or a variant at a depth) "
            f"has answers in "
            "both; name runs that asked the same kinds of questions"
        )
    return found


def _counts_of_cells(cells: Sequence[Pair], first: _Model, second: _Model) -> Counts:
    compared = [cell for cell in cells if all(one.answered for one in cell)]
    left_out = []
    for place, side in enumerate((first, second)):
        answered = sum(one.answered for one in side.questions)
        others = answered - sum(cell[place].answered for cell in compared)
        unanswered = sum(one.unanswered for one in side.questions)
        left_out.append(
            LeftOut(answered=answered, others=others, unanswered=unanswered)
        )
    return Counts(
        compared=None,
        repeated=None,
        cells=len(compared),
        unanswered=sum(one.unanswered for cell in cells for one in cell),
        at_worst=at_worst(cells, paired=False),
        same_words=None,
        first=left_out[0],
        second=left_out[1],
    )


def _differing(first: _Model, second: _Model) -> list[Differing]:
    facts = [
        {name: "; ".join(sorted(found)) for name, found in side.seen.items()}
        for side in (first, second)
    ]
    names = dict.fromkeys([*facts[0], *facts[1]])
    found = (Differing(name, *(side.get(name) for side in facts)) for name in names)
    return [one for one in found if one.first != one.second]


def _both(first: _Model, second: _Model) -> str:
    return (
        f"{first} and {second} in {first.run}"
        if first.run == second.run
        else f"{first.run} and {second.run}"
    )
