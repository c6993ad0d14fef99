"""Which trials a bundle has, and which it lacks.

A few numbers of each trial are kept.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from pytest_llmarith.records import Record
from pytest_llmarith.results.keys import label_of

_Cell = tuple[str | None, int | None]
_Side = tuple[str, str, int]  # model, condition, repeat


class TrialGrid:
    """The places of all trials: holes in them, and trials that are there twice."""

    def __init__(self) -> None:
        self.count = self.unanswered = 0
        self._ids: set[int] = set()
        self._cells: dict[str, defaultdict[_Cell, set[int]]] = {}
        self._asked: dict[str, defaultdict[_Side, set[int]]] = {}

    def add(self, record: Record) -> bool:
        """Note a trial. Returns whether another one has its id."""
        self.count += 1
        self.unanswered += record.reply is None
        one = hash((record.model, record.nodeid or self.count))
        is_double = one in self._ids
        self._ids.add(one)
        if record.search is not None:
            return is_double
        problem, task = record.problem, record.task
        depth = problem.depth if problem.variant else None  # else it was drawn
        cells = self._cells.setdefault(task, defaultdict(set))
        cells[problem.variant, depth].add(problem.trial or 0)
        side = record.model, label_of(record.condition), record.repeat
        asked = self._asked.setdefault(task, defaultdict(set))
        asked[side].add(hash(problem.label))
        return is_double

    def holes(self) -> Iterator[str]:
        """A line for each kind of trial that is missing."""
        for task, cells in self._cells.items():
            variants = {variant for variant, _ in cells}
            depths = {depth for _, depth in cells}
            for variant, depth in sorted(
                {(one, at) for one in variants for at in depths} - set(cells), key=str
            ):
                yield f"{task}: no trial of {_name((variant, depth))}"
            trials = 1 + max(max(found) for found in cells.values())
            for cell, found in cells.items():
                if len(found) < trials:
                    yield (
                        f"{task}: {_name(cell)} lacks {trials - len(found):,} of "
                        f"{trials:,} trials"
                    )
        for task, asked in self._asked.items():
            every = set[int]().union(*asked.values())
            for side, found in asked.items():
                if len(found) < len(every):
                    model, condition, repeat = side
                    of = f"{model}, {condition or 'usual condition'}, repeat {repeat}"
                    yield (
                        f"{task}: {of} lacks {len(every) - len(found):,} of the "
                        f"{len(every):,} questions of the run"
                    )

    def shown(self) -> Iterator[str]:
        """What was asked: a line for each task."""
        for task, cells in self._cells.items():
            sides = len(self._asked[task])
            line = (
                f"{task}: {len(set().union(*self._asked[task].values())):,} questions"
            )
            variants = sorted({variant for variant, _ in cells if variant})
            if variants:
                line += f", {', '.join(variants)}"
            depths = sorted({depth for _, depth in cells if depth is not None})
            if depths:
                line += f", depths {', '.join(map(str, depths))}"
            yield f"{line}, of {sides} models, conditions and repeats"


def _name(cell: _Cell) -> str:
    variant, depth = cell
    parts = [variant or "all"]
    if depth is not None:
        parts.append(f"depth {depth}")
    return ", ".join(parts)
