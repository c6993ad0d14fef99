"""Runs beside a baseline: who is compared with whom, paired or not, and what many tests do to a p value.

It does not know how a comparison is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pytest_llmarith import records
from pytest_llmarith.reports.comparing import choice
from pytest_llmarith.reports.comparing.asked import Asked, Side, sides
from pytest_llmarith.reports.comparing.differences import differences
from pytest_llmarith.reports.comparing.pairing import Pairing, pair, put_otherwise
from pytest_llmarith.reports.comparing.refusal import refusal, refusal_of_other_cells, refusal_of_same_words
from pytest_llmarith.reports.comparing.rows import Cell, cell_of, paired_rows, unpaired_rows
from pytest_llmarith.reports.comparing.scores import paired_scores, unpaired_scores
from pytest_llmarith.reports.mistake import Mistake
from pytest_llmarith.reports.statistics.paired import holm

_COMPARISON_FORMAT = 1


class Run(Protocol):
    """A run that was opened."""

    @property
    def path(self) -> Path: ...
    @property
    def facts(self) -> records.Run | None: ...
    def records(self) -> Iterator[records.Record]: ...


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked: the baseline, the runs that are compared with it, and which models and conditions (`A` or `A:B`).

    `unpaired` compares without pairing if questions are not the same.
    """

    baseline: Run
    others: Sequence[Run]
    models: Sequence[str] = ()
    conditions: Sequence[str] = ()
    unpaired: bool = False


def compare(request: Request) -> dict[str, Any]:
    """All comparisons as builtins. Raises Mistake where they are not what was asked for.

    Of each run only what was asked and what came of it is kept.
    """
    comparisons, alone = [], dict[tuple[str, str], None]()
    try:
        for chosen in _chosen(request):
            comparisons += [_corrected(_compared(first, second, request)) for first, second in chosen.pairs]
            alone |= dict.fromkeys((side.run, side.model) for side in chosen.alone)
    except RecursionError as fault:  # what could just be read may still be too deep to be looked at
        raise Mistake("one of the runs holds what is nested too deep; expected runs of llmarith") from fault
    return {
        "format": _COMPARISON_FORMAT,
        "comparisons": comparisons,
        "not_compared": [{"run": run, "model": model} for run, model in alone],
    }


def _chosen(request: Request) -> Iterator[choice.Chosen]:
    read = map(_sides, [request.baseline, *request.others])
    first, name = next(read), str(request.baseline.path)
    if not request.others:
        chosen = choice.within(name, first, request.models, with_itself=bool(request.conditions))
        yield choice.in_conditions(chosen, request.conditions)
    for other, second in zip(request.others, read, strict=True):
        chosen = choice.between(first, second, (name, str(other.path)), request.models)
        yield choice.in_conditions(chosen, request.conditions)


def _sides(run: Run) -> dict[str, Side]:
    return sides(str(run.path), run.facts, run.records())


def _compared(first: Side, second: Side, request: Request) -> dict[str, Any]:
    pairing = pair(first.trials, second.trials)
    smaller = min(len(first.trials), len(second.trials))
    is_greater_part = 2 * len(pairing.pairs) >= smaller
    head = {
        "first": _described(first),
        "second": _described(second),
        "differing": differences(first, second),
    }
    if pairing.pairs and is_greater_part:
        return head | _paired(_telling(pairing, first, second))
    if request.unpaired:
        if unpaired := _unpaired(first.trials, second.trials):
            return head | unpaired
        raise Mistake(refusal_of_other_cells(first, second))
    raise Mistake(refusal(first, second, len(pairing.pairs), smaller))


def _telling(pairing: Pairing, first: Side, second: Side) -> Pairing:
    """The pairs that tell what was asked for: of a model in two conditions those that were put in other words."""
    if first.condition == second.condition or first.model != second.model:
        return pairing
    if not (telling := put_otherwise(pairing)).pairs:
        raise Mistake(refusal_of_same_words(first, second, telling.same_words))
    return telling


def _described(side: Side) -> dict[str, Any]:
    return {
        "run": side.run,
        "model": side.model,
        "condition": side.condition,
        "simulated": side.simulated,
        "facts_known": side.facts is not None,
    }


def _paired(pairing: Pairing) -> dict[str, Any]:
    answered = [(first, second) for first, second in pairing.pairs if first.answered and second.answered]
    return {
        "method": "paired",
        "questions": {
            "compared": len(answered),
            "repeated": pairing.repeated,
            "cells": None,
            "unanswered": len(pairing.pairs) - len(answered),
            "at_worst": _points_over_all(paired_rows((_at_best(first), second) for first, second in pairing.pairs)),
            "same_words": pairing.same_words,
            "first": {
                "others": len(pairing.only_first),
                "unanswered": sum(not first.answered for first, _ in pairing.pairs),
            },
            "second": {
                "others": len(pairing.only_second),
                "unanswered": sum(not second.answered for _, second in pairing.pairs),
            },
        },
        "rows": paired_rows(answered),
        "scores": paired_scores(answered),
    }


def _unpaired(first: Sequence[Asked], second: Sequence[Asked]) -> dict[str, Any] | None:
    """Only cells that both runs answered are compared; None if there is none.

    Where each run has one condition, the runs are what differs, and are compared.
    """
    second = _in_the_only_condition(first, second)
    cells = _answered_cells(first) & _answered_cells(second)
    if not cells:
        return None
    one, other = _answered_in(first, cells), _answered_in(second, cells)
    asked_in_both = {cell_of(trial) for trial in first} & {cell_of(trial) for trial in second}
    all_first, all_second = ([trial for trial in side if cell_of(trial) in asked_in_both] for side in (first, second))
    return {
        "method": "unpaired",
        "questions": {
            "compared": None,
            "repeated": None,
            "cells": len(cells),
            "unanswered": sum(not trial.answered for trial in (*all_first, *all_second)),
            "at_worst": _points_over_all(unpaired_rows(map(_at_best, all_first), all_second)),
            "same_words": None,
            "first": _left(first, one),
            "second": _left(second, other),
        },
        "rows": unpaired_rows(one, other),
        "scores": unpaired_scores(one, other),
    }


def _at_best(trial: Asked) -> Asked:
    """An unanswered trial as if it was right."""
    return trial if trial.answered else trial._replace(correct=True)


def _points_over_all(rows: Sequence[Mapping[str, Any]]) -> float | None:
    points: float | None = rows[0]["difference"]["points"]
    return points


def _in_the_only_condition(first: Sequence[Asked], second: Sequence[Asked]) -> Sequence[Asked]:
    """The second run's trials, as if they were put in the condition of the first, where neither has another one."""
    mine, its = ({trial.condition for trial in trials} for trials in (first, second))
    if not (len(mine) == len(its) == 1):
        return second
    (condition,) = mine
    return [trial._replace(condition=condition) for trial in second]


def _answered_cells(trials: Iterable[Asked]) -> set[Cell]:
    return {cell_of(trial) for trial in trials if trial.answered}


def _answered_in(trials: Iterable[Asked], cells: set[Cell]) -> list[Asked]:
    return [trial for trial in trials if trial.answered and cell_of(trial) in cells]


def _left(trials: Sequence[Asked], compared: Sequence[Asked]) -> dict[str, int]:
    """How many trials have an answer, how many of these are not compared, and how many have none."""
    answered = sum(trial.answered for trial in trials)
    return {"answered": answered, "others": answered - len(compared), "unanswered": len(trials) - answered}


def _corrected(comparison: dict[str, Any]) -> dict[str, Any]:
    """The tests of one comparison are corrected together, and those of others beside it change nothing."""
    tested = [row for row in comparison["rows"] if row["p"] is not None]
    for row, p in zip(tested, holm([row["p"] for row in tested]), strict=True):
        row["p_holm"] = p
    return comparison | {"tests": len(tested)}
