"""Counts records into results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pytest_llmarith import records
from pytest_llmarith.figures import (
    confidence,
    no_answers,
    numbers,
    outcomes,
    replies,
    scores,
    searches,
)
from pytest_llmarith.figures.estimates import (
    Counter,
    Estimate,
    Examples,
    Facts,
    FiguresAt,
    Leaf,
    Measure,
    Result,
    Trial,
    figures_of,
    text_of,
)
from pytest_llmarith.records import Record
from pytest_llmarith.types import DEFAULT_CONDITION, Condition, Outcome


class WrongCounter:
    """The wrong answer at the lowest depth and trial; of problems without a depth that
    have names, the first one by its name.
    """

    def __init__(self) -> None:
        self.first: tuple[tuple[int, int, int, str], records.Minimum] | None = None

    def add(self, trial: Trial) -> None:
        record = trial.record
        problem, name_of = record.problem, trial.of_task.name_of
        if record.outcome not in (Outcome.DEVIATE, Outcome.NAN) or trial.search:
            return
        if problem.depth is None and name_of is None:
            return
        name = name_of(record) if name_of else ""
        place = problem.depth or 0, problem.trial or 0, record.repeat, name
        if self.first is not None and self.first[0] <= place:
            return
        wrong = records.Minimum(
            problem.short,
            records.as_text(problem.expected),
            record.outcome,
            record.reason,
            record.answer_text,
            record.error_class,
        )
        self.first = place, wrong


def _first_wrong(leaves: Sequence[Leaf]) -> list[records.Minimum]:
    found = [leaf.counted.first for leaf in leaves if leaf.counted.first]
    found.sort(key=lambda one: one[0])
    return [wrong for _, wrong in found[:1]]


MEASURES: Mapping[str, Measure] = {
    measure.key: measure
    for module in (outcomes, replies, numbers, confidence, scores, searches)
    for measure in module.MEASURES
}
EXAMPLES: Mapping[str, Examples] = {
    each.key: each
    for each in (
        Examples(
            "first_wrong",
            "the wrong answer at the lowest depth and trial",
            WrongCounter,
            _first_wrong,
        ),
        *scores.EXAMPLES,
        *searches.EXAMPLES,
        *no_answers.EXAMPLES,
    )
}
_COUNTERS = dict.fromkeys(
    [one.counter for one in MEASURES.values()]
    + [one.counter for one in EXAMPLES.values()]
)
_Leaf = tuple[str, int | None]  # variant (empty if there is none) and depth


class ResultCounter:
    """Counts the records of one model, task and condition, each question once."""

    def __init__(self, first: Record) -> None:
        self.model, self.task = first.model, first.task
        self.condition: Condition | None = first.condition
        if first.condition == DEFAULT_CONDITION:
            self.condition = None
        self.duplicates = 0  # records of items that ask the question of another item
        self._simulated = first.simulated
        self._asked: set[int] = set()  # questions
        self._readings: set[str] = set()
        self._places: dict[str, int] = {}  # of variants in the task
        self._own = figures_of(first.task).measures
        self._kinds = dict.fromkeys([*_COUNTERS, *(one.counter for one in self._own)])
        # Each trial is in exactly one of these.
        self._leaves: dict[_Leaf, dict[Any, Counter]] = {}

    def add(self, trial: Trial) -> bool:
        """Count one trial, unless the same question of another item was counted."""
        if self._is_duplicate(trial):
            self.duplicates += 1
            return False
        record = trial.record
        problem = record.problem
        if problem.variant is not None:
            place = self._places.get(problem.variant, problem.variant_place)
            self._places[problem.variant] = min(place, problem.variant_place)
        if record.reading is not None:
            self._readings.add(record.reading)
        leaf: _Leaf = problem.variant or "", problem.depth
        if trial.search is not None:
            leaf = "", None
        if leaf not in self._leaves:
            self._leaves[leaf] = {counter: counter() for counter in self._kinds}
        for counter in self._leaves[leaf].values():
            counter.add(trial)
        return True

    def _is_duplicate(self, trial: Trial) -> bool:
        """Whether another item asked this question, so that both have the reply of one
        request.

        What was sent must be the same, too, as a user's `model` fixture may ask
        differently. Unanswered records are only compared with each other, so that the
        order of the records does not matter.
        """
        record = trial.record
        if record.nodeid is None:
            return False
        sent: str | bytes = ""
        if record.outcome is not Outcome.UNANSWERED:
            if record.reply is None or record.reply.sent is None:
                return False
            sent = text_of(record.reply.sent)
        one = record.problem
        named = one.label, one.seed, one.variant, one.depth, one.question
        question = hash((trial.problem, named, record.repeat, sent))
        if question in self._asked:
            return True
        self._asked.add(question)
        return False

    def result(self, date: str | None = None, selected: int | None = None) -> Result:
        """What was counted until now."""
        counted = sorted(self._leaves, key=self._order)
        facts = Facts(
            model=self.model,
            task=self.task,
            condition=self.condition,
            date=date,
            selected=selected,
            simulated=self._simulated,
            duplicates=self.duplicates,
            readings=sorted(self._readings),
            variants=list(dict.fromkeys(name for name, _ in counted if name)),
            depths=sorted({depth for _, depth in counted if depth is not None}),
            cells=[(name, depth) for name, depth in counted if depth is not None],
            searched=any(
                leaf[outcomes.OutcomeCounter].searched  # type: ignore[attr-defined]
                for leaf in self._leaves.values()
            ),
            views=figures_of(self.task).views,
        )
        return CountedResult(facts, self._leaves, self._own)

    def _order(self, leaf: _Leaf) -> tuple[int, str, int]:
        """Variants in the order of their task, or by name."""
        variant, depth = leaf
        return self._places.get(variant, 0), variant, -1 if depth is None else depth


class CountedResult(Result):
    """A result with its counters; figures are made when they are asked for."""

    def __init__(
        self,
        facts: Facts,
        leaves: Mapping[_Leaf, Mapping[Any, Counter]],
        own: Sequence[Measure],
    ) -> None:
        super().__init__(facts, {one.key: one.described for one in own})
        self._measures = {**MEASURES, **{one.key: one for one in own}}
        self._leaves = leaves
        self._found: dict[tuple[str | None, int | None], list[_Leaf]] = {}
        self._made: dict[tuple[str, str | None, int | None], FiguresAt] = {}

    def _below(
        self, counter: Any, variant: str | None, depth: int | None
    ) -> list[Leaf]:
        place = variant, depth
        if place not in self._found:  # many measures ask for the same places
            self._found[place] = [
                (of_variant, at_depth)
                for of_variant, at_depth in self._leaves
                if variant in (None, of_variant) and depth in (None, at_depth)
            ]
        leaves = []
        for leaf in self._found[place]:
            leaves.append(Leaf(*leaf, self._leaves[leaf][counter]))
        return leaves

    def all(
        self, key: str, variant: str | None = None, depth: int | None = None
    ) -> FiguresAt:
        place = key, variant, depth
        if place not in self._made:
            measure = self._measures.get(key)
            leaves = self._below(measure.counter, variant, depth) if measure else []
            figures = measure.figures(leaves) if measure and leaves else ()
            self._made[place] = {(one.by, one.at): one for one in figures}
        return self._made[place]

    def examples(self, key: str, variant: str | None = None) -> Sequence[Any]:
        each = EXAMPLES[key]
        return each.chosen(self._below(each.counter, variant, None))

    def estimates(self) -> Iterator[Estimate]:
        for place in self.places():
            is_cell = place.variant is not None and place.depth is not None
            for measure in self._measures.values():
                if is_cell and not measure.in_cells:
                    continue
                # Not kept: of a large run these are many.
                leaves = self._below(measure.counter, place.variant, place.depth)
                for figure in measure.figures(leaves):
                    yield Estimate(measure.key, place, figure)


def count(found: Iterable[Record]) -> list[Result]:
    """The results of records: one for each model, task and condition, in the order in
    which they were seen.
    """
    counters: dict[tuple[str, str, Condition], ResultCounter] = {}
    for record in found:
        key = record.model, record.task, record.condition
        if key not in counters:
            counters[key] = ResultCounter(record)
        counters[key].add(Trial(record))
    return [counter.result() for counter in counters.values()]
