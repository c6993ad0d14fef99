"""Which digits are wrong, counted from both ends of the truth. It does not know why they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pytest_llmarith.grading import Case, wrong_from_left, wrong_from_right
from pytest_llmarith.records import Positions as PositionsPart

MOST_POSITIONS = 30


class Positions:
    """Counts wrong digits of answers in which digit can be held against digit: of the truth's sign and length."""

    def __init__(self) -> None:
        self._from_left, self._from_right = _End(), _End()

    def add(self, case: Case) -> None:
        self._from_left.add(wrong_from_left(case, MOST_POSITIONS))
        self._from_right.add(wrong_from_right(case, MOST_POSITIONS))

    def part(self) -> PositionsPart:
        return {"from_left": self._from_left.part(), "from_right": self._from_right.part()}


class _End:
    """Positions from one end."""

    def __init__(self) -> None:
        self._wrong, self._digits = [0] * MOST_POSITIONS, [0] * MOST_POSITIONS

    def add(self, wrong: Sequence[bool] | None) -> None:
        for place, is_wrong in enumerate(wrong or ()):
            self._digits[place] += 1
            self._wrong[place] += is_wrong

    def part(self) -> list[dict[Literal["position", "wrong", "digits"], int]]:
        counted = enumerate(zip(self._wrong, self._digits, strict=True), start=1)
        return [{"position": place, "wrong": wrong, "digits": digits} for place, (wrong, digits) in counted if digits]
