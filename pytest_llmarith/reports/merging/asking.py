"""What several runs asked, added up. It does not know what is asked, nor who counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import fields
from decimal import Decimal

from pytest_llmarith.values import AskingTotals, Throttled

_PARTS = ("retries", "throttled")


def added_up(askings: Sequence[AskingTotals | None]) -> AskingTotals | None:
    """Sums of what is known; what no run knows is null."""
    known = [asking for asking in askings if asking is not None]
    if not known:
        return None
    retries = Counter[str]()
    for asking in known:
        retries.update(asking.retries)
    names = [field.name for field in fields(AskingTotals) if field.name not in _PARTS]
    sums = {name: _sum([getattr(asking, name) for asking in known]) for name in names}
    throttled = _throttled([model for asking in known for model in asking.throttled])
    return AskingTotals(**sums, retries=dict(retries), throttled=throttled)  # type: ignore[arg-type]  # as they were


def _throttled(models: Iterable[Throttled]) -> tuple[Throttled, ...]:
    """A model that several runs found throttled is named once: how often in all, and how low at worst."""
    found: dict[str, Throttled] = {}
    for model in models:
        one = found.get(model.target, Throttled(model.target, 0, model.lowest, model.most))
        lowest, most = min(one.lowest, model.lowest), max(one.most, model.most)
        found[model.target] = Throttled(model.target, one.halved + model.halved, lowest, most)
    return tuple(found.values())


def _sum(values: Iterable[int | float | None]) -> int | float | None:
    """Cents add up: ten times ten of them are a dollar."""
    numbers = [value for value in values if value is not None]
    if all(isinstance(number, int) for number in numbers):
        return sum(numbers) if numbers else None
    return float(sum(Decimal(repr(number)) for number in numbers))
