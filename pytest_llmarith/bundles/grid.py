"""What the trials of a bundle have to be together: all are there, and their costs fit.

A few numbers of each trial are kept.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence

from pytest_llmarith.records import Record, RecordedProblem
from pytest_llmarith.results.keys import key_of, label_of
from pytest_llmarith.summaries import Run
from pytest_llmarith.tasks.task import RESERVED, Problem, Tasks

_EXACT = 1e-6
# Caches, batches, service tiers, and more or less of the dearer completion tokens
# explain less.
_FACTOR = 30

_Place = tuple[str, int, int]  # variant, depth, trial
_Side = tuple[str, str, int]  # model, condition, repeat


class TrialGrid:
    """The places of all trials: holes in them, and trials that are there twice."""

    def __init__(self) -> None:
        self._count = self._unanswered = 0
        self._ids: set[int] = set()  # of items, and of their questions
        self._places: defaultdict[str, set[_Place]] = defaultdict(set)
        self._asked: defaultdict[str, defaultdict[_Side, set[int]]] = defaultdict(
            lambda: defaultdict(set)
        )

    def add(self, record: Record, *, is_counted: bool) -> Iterator[str]:
        """Note a trial, and whether it is in the figures. Yields what another one has
        of it.
        """
        self._count += 1
        self._unanswered += record.reply is None
        label = record.problem.label
        if record.nodeid is None:
            yield "has no id of a test"
        elif self._is_double(record.model, record.nodeid):
            yield "another trial has this id"
        if self._is_double(*key_of(record), label, record.repeat) and is_counted:
            yield f"{label}: another trial asks this question"
        if record.search is None:
            place = *_cell(record.problem), record.problem.trial or 0
            self._places[record.task].add(place)
            side = record.model, label_of(record.condition), record.repeat
            self._asked[record.task][side].add(hash(label))

    def _is_double(self, *named: str | int) -> bool:
        one = hash(named)
        is_double = one in self._ids
        self._ids.add(one)
        return is_double

    def holes(self, tasks: Tasks, selected: int | None) -> Iterator[str]:
        """A line for each task, model, condition and repeat that lacks trials, also of
        those that a task lists; and what lacks of those that were selected.
        """
        if self._unanswered:
            yield f"{self._unanswered:,} trials are unanswered, and in no percentage"
        if self._count != selected:
            yield f"{self._count:,} trials, and {selected} were selected"
        for task, places in self._places.items():
            owner = tasks.get(task)
            variants, depths, trials = _axes(places)
            lacking = len(variants) * len(depths) * (1 + trials[-1]) - len(places)
            is_grid = task in RESERVED or (owner and owner.grid)
            if lacking and is_grid:
                yield f"{task}: the grid of its problems lacks {lacking:,} of them"
            asked = self._asked[task]
            every = set[int]().union(*asked.values())
            listed = owner.problems if owner else ()
            if isinstance(listed, Sequence):
                for one in listed:  # others were not selected, such as by -k
                    variant, depth = _cell(one)
                    if one.label and variant in variants and depth in depths:
                        every.add(hash(one.label))
            for side, found in asked.items():
                if len(found) < len(every):
                    yield (
                        f"{task}: {_name(side)} lacks {len(every) - len(found):,} "
                        f"questions of the task, or of others in the run"
                    )

    def shown(self) -> Iterator[str]:
        """What was asked: a line for each task."""
        for task, places in self._places.items():
            variants, depths, _ = _axes(places)
            asked = self._asked[task]
            questions = set[int]().union(*asked.values())
            words = [*filter(None, variants), f"{len(questions):,} questions"]
            if depths != [0]:  # which stands for none
                words.insert(-1, f"at depths {depths[0]} to {depths[-1]},")
            yield f"{task}: {' '.join(words)}: {'; '.join(map(_name, asked))}"


def _cell(problem: Problem | RecordedProblem) -> tuple[str, int]:
    """Variant and depth; the depth of a problem without a variant was drawn."""
    depth = problem.depth or 0 if problem.variant else 0
    return problem.variant or "", depth


def _axes(places: set[_Place]) -> tuple[list[str], list[int], list[int]]:
    """The variants, depths and trials of places, in order."""
    variants, depths, trials = zip(*places, strict=True)
    return sorted(set(variants)), sorted(set(depths)), sorted(set(trials))


def _name(side: _Side) -> str:
    model, condition, repeat = side
    return f"{model}, {condition or 'usual condition'}, repeat {repeat}"


# --- costs ----------------------------------------------------------------------------


class CostChecks:
    """The costs of replies by model. Two numbers of each reply are kept."""

    def __init__(self, run: Run) -> None:
        self._usual = run.limits.price if run.limits else None
        models = [model for model in run.models if not model.simulated]
        self._own = {model.name: model.price or self._usual for model in models}
        self._wrong: defaultdict[str, int] = defaultdict(int)
        self._replies: defaultdict[str, array[float]] = defaultdict(lambda: array("d"))

    def add(self, record: Record) -> None:
        """Note the replies of a trial."""
        price = self._own.get(record.model)
        for reply in record.replies:
            paid, tokens = reply.cost_usd, reply.tokens
            if price is None and not reply.own_price:
                if tokens and paid is not None:
                    self._replies[record.model].extend((tokens, paid))
                continue
            if reply.prompt_tokens is None or reply.completion_tokens is None:
                continue  # without them no cost is computed
            cost = -1.0  # of a price that the summary does not have
            if price is not None:
                cost = price.of(reply.prompt_tokens, reply.completion_tokens)
            # That of --llm-price is for models without a listed price.
            is_exact = reply.own_price or price is not self._usual
            factor = 1 + _EXACT if is_exact else _FACTOR
            is_right = paid is not None and cost / factor <= paid <= cost * factor
            self._wrong[record.model] += not is_right

    def contradictions(self) -> Iterator[str]:
        """A line for each model whose costs do not fit the tokens."""
        for model, numbers in self._replies.items():
            mean = sum(numbers[1::2]) / sum(numbers[::2])
            for tokens, cost in zip(numbers[::2], numbers[1::2], strict=True):
                usual = mean * tokens
                self._wrong[model] += not usual / _FACTOR <= cost <= usual * _FACTOR
        for model, wrong in self._wrong.items():
            if wrong:
                yield f"{model}: {wrong:,} costs do not fit their tokens"
