"""Whether models spent what they were asked to spend on thinking."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import isnan
from typing import Any

from pytest_llmarith.figures.contrasts import Compared, spent
from pytest_llmarith.figures.estimates import Place
from pytest_llmarith.results.families import answered, by_model
from pytest_llmarith.results.keys import Params, neighbours
from pytest_llmarith.results.questions import AskedQuestions, pair
from pytest_llmarith.types import Model

_EFFORT = re.compile(r"effort|think|reason|budget|verbosity|max_(?:\w+_)?tokens")
_SWITCH = re.compile(r"effort|think|reasoning(?:\.enabled)?$|budget")
_OFF = {"none", "disabled", "off"}
_ON = {"low", "medium", "high", "xhigh", "max", "enabled", "on"}


def asked_to_think(params: Mapping[str, Any]) -> bool | None:
    """Whether a model is asked to think; None if its parameters leave it open."""
    for name, value in _flat(params):
        if not _SWITCH.search(name):
            continue
        if isinstance(value, bool):
            return value
        if value in _OFF or (value == 0 and "budget" in name):
            return False
        if value in _ON or ("budget" in name and isinstance(value, int) and value > 0):
            return True
    return None


def efforts(models: Sequence[Model], asked: Iterable[AskedQuestions]) -> list[Compared]:
    """The reasoning tokens of each model beside those of the last one before it that
    differs in effort, thinking or budget only, by questions of both.
    """
    of_model = by_model(asked)
    tasks = list(dict.fromkeys(task for task, _ in of_model))
    found = []
    for before, model in neighbours(models, _differ_in_effort):
        for task in tasks:
            first, second = (
                chain.from_iterable(of_model.get((task, one.name), ()))
                for one in (before, model)
            )
            pairs, _, _ = pair(first, second)
            tokens = []
            for one, other in answered(pairs):
                if not isnan(one.reasoning + other.reasoning):
                    tokens.append((other.mean_reasoning, one.mean_reasoning))
            if tokens:
                place = Place(model.name, task, None)
                found.append(spent(place, before.name, tokens))
    return found


def _differ_in_effort(before: Params, params: Params) -> bool:
    names = {name for name, _ in set(_flat(before)) ^ set(_flat(params))}
    return len(names) == 1 and bool(_EFFORT.search(names.pop()))


def _flat(params: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """The values with the names that lead to them, such as `thinking.budget_tokens`;
    lists as text.
    """
    for name, value in params.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{path}{name}.")
        else:
            yield f"{path}{name}", str(value) if isinstance(value, list) else value
