"""Ranks models that were asked the same questions, and groups those that are not separated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from pytest_llmarith.results.differences import SIGNIFICANT, DifferenceOfShares, compare_pairs, holm
from pytest_llmarith.results.questions import Question

_Asked = Mapping[tuple[int, str], Question]  # by problem and condition


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a model, compared with the best one.

    `group` is counted from 1. A model is in the group of a better one, the best of that group, if their paired
    difference is not significant after Holm's correction. `pairs` is how many questions both have answered.
    """

    key: str  # of the model
    group: int
    pairs: int
    difference: DifferenceOfShares | None  # to the best of all; None for the best one itself
    p_holm: float | None


def rank(asked: Mapping[str, Collection[Question]]) -> tuple[list[Place], list[str]]:
    """The places of the models that were asked the same questions, best first, and all other models.

    If models were asked different questions, the most frequent set of questions counts, and of these the largest.
    """
    questions = {key: {(one.problem, one.condition): one for one in mine} for key, mine in asked.items()}
    sets = Counter(frozenset(mine) for mine in questions.values() if mine)
    same = max(sets, key=lambda one: (sets[one], len(one)), default=frozenset[tuple[int, str]]())
    order = sorted(
        (key for key, mine in questions.items() if mine and mine.keys() == same),
        key=lambda key: -_share(questions[key]),
    )
    order = [key for key in order if _have_same_prompts(questions[order[0]], questions[key])]
    others = [key for key in asked if key not in order]
    groups: dict[str, int] = {}
    while ungrouped := [key for key in order if key not in groups]:
        number, best = len(set(groups.values())) + 1, ungrouped[0]
        corrected = [p for _, _, p in _compared(questions, best, ungrouped)]
        groups[best] = number
        groups |= {key: number for key, p in zip(ungrouped[1:], corrected, strict=True) if p >= SIGNIFICANT}
    places = [Place(key, groups[key], 0, None, None) for key in order[:1]]
    for key, (pairs, difference, p) in zip(
        order[1:], _compared(questions, order[0], order) if order else (), strict=True
    ):
        places.append(Place(key, groups[key], pairs, difference, p))
    return sorted(places, key=lambda place: place.group), others


def _compared(
    questions: Mapping[str, _Asked], best: str, order: Sequence[str]
) -> list[tuple[int, DifferenceOfShares | None, float]]:
    """All others compared with the best one: pairs, the difference and Holm's p; without pairs p is 1."""
    found = []
    for key in order:
        if key != best:
            both = [(one, questions[key][place]) for place, one in questions[best].items()]
            pairs = [(one.measured, other.measured) for one, other in both if one.answered and other.answered]
            found.append((len(pairs), compare_pairs(pairs) if pairs else None))
    corrected = holm([difference.p if difference else 1.0 for _, difference in found])
    return [(pairs, difference, p) for (pairs, difference), p in zip(found, corrected, strict=True)]


def _share(questions: _Asked) -> float:
    answered = [one for one in questions.values() if one.answered]
    return fsum(one.measured.share for one in answered) / max(1, len(answered))


def _have_same_prompts(first: _Asked, second: _Asked) -> bool:
    """Whether no prompt differs; an unknown one may be the same."""
    return all(
        None in (one.prompt, second[place].prompt) or one.prompt == second[place].prompt for place, one in first.items()
    )
