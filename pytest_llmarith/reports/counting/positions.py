"""Which digits are wrong, counted from both ends of the truth. It does not know why they are."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_llmarith.grading import Case, wrong_from_left, wrong_from_right

MOST_POSITIONS = 30


class Positions:
    """Counts wrong digits of answers in which digit can be held against digit: of the truth's sign and length."""

    def __init__(self) -> None:
        self._from_left, self._from_right = _End(), _End()

    def add(self, case: Case) -> None:
        self._from_left.add(wrong_from_left(case, MOST_POSITIONS))
        self._from_right.add(wrong_from_right(case, MOST_POSITIONS))

    def as_dict(self) -> dict[str, list[dict[str, int]]]:
        return {"from_left": self._from_left.as_list(), "from_right": self._from_right.as_list()}


class _End:
    """Positions from one end."""

    def __init__(self) -> None:
        self._wrong, self._digits = [0] * MOST_POSITIONS, [0] * MOST_POSITIONS

    def add(self, wrong: Sequence[bool] | None) -> None:
        for place, is_wrong in enumerate(wrong or ()):
            self._digits[place] += 1
            self._wrong[place] += is_wrong

    def as_list(self) -> list[dict[str, int]]:
        counted = enumerate(zip(self._wrong, self._digits, strict=True), start=1)
        return [{"position": place, "wrong": wrong, "digits": digits} for place, (wrong, digits) in counted if digits]
