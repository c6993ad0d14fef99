"""A selection dealt to several machines: which items are this shard's. It does not know who runs the others.

The problems of each model and task are put in their natural order and dealt like cards, the first to shard 1, the
second to shard 2 and so on, each in all its conditions and with all its repeats. So no shard has more than one problem
more than another, whatever `-k` left over; every cell and every set is spread as evenly; models that are asked the same
questions are asked them in the same shard; and what two conditions put in the same words is asked once. A hash of each
problem would not care about the selection, but leave one machine with far more to do than another. Neither the order of
collection nor the number of workers matters.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

import pytest

from pytest_llmarith.items.marks import problem_of
from pytest_llmarith.items.parametrize import MODEL_FIXTURE
from pytest_llmarith.values import Problem, Shard

# A model's name, None where the user's own `model` fixture replies, and a task.
_Hand = tuple[str | None, str]
_Coordinates = tuple[str | int, ...]


class Dealt(NamedTuple):
    """The items of this shard and those of the others, both in the order in which they came."""

    mine: list[pytest.Item]
    others: list[pytest.Item]


class _Card(NamedTuple):
    """The problem that an item puts, and its place in the natural order."""

    hand: _Hand
    problem: _Coordinates
    order: _Coordinates

    @property
    def task(self) -> str:
        return self.hand[1]


def deal(items: Iterable[pytest.Item], shard: Shard, before: Collection[str] = ()) -> Dealt:
    """Deal the items that put a problem of ours; all others are every shard's, and those that were dealt `before`."""
    dealt = Dealt([], [])
    cards = {item: None if item.nodeid in before else _card(item) for item in items}
    numbers = _numbers(filter(None, cards.values()))
    for item, card in cards.items():
        is_mine = card is None or numbers[card.hand, card.problem] % shard.count == shard.index - 1
        (dealt.mine if is_mine else dealt.others).append(item)
    return dealt


def _card(item: pytest.Item) -> _Card | None:
    problem: Problem | None = problem_of(item)
    if problem is None:
        return None
    model = item.callspec.params.get(MODEL_FIXTURE)  # type: ignore[attr-defined]  # it was parametrized
    coordinates = problem.coordinates()
    # A sequence that is in two sets is one problem: it is asked once, so it stays in one shard.
    itself = tuple(value for name, value in coordinates.items() if name != "set")
    return _Card((model and model.name, problem.task), itself, tuple(coordinates.values()))


def _numbers(cards: Iterable[_Card]) -> dict[tuple[_Hand, _Coordinates], int]:
    """The number of each problem; several items that put the same one to the same model share it.

    A task goes on where the one before ended, or the first shards would get what is left over of every task.
    """
    numbers: dict[tuple[_Hand, _Coordinates], int] = {}
    first = 0
    for hands in _by_task(cards):
        for hand, problems in hands.items():
            numbers |= {(hand, problem): number for number, problem in enumerate(problems, first)}
        first += max(map(len, hands.values()))
    return numbers


def _by_task(cards: Iterable[_Card]) -> Iterator[dict[_Hand, dict[_Coordinates, None]]]:
    """The problems of each task in their natural order, each once, by the hand that they are dealt to."""
    for _, of_task in groupby(sorted(cards, key=lambda card: (card.task, card.order)), key=lambda card: card.task):
        hands = defaultdict[_Hand, dict[_Coordinates, None]](dict)
        for card in of_task:
            hands[card.hand].setdefault(card.problem)
        yield hands
