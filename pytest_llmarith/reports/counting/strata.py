"""How often answers are correct where something differs: carries of a sum, readings of a reply."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pytest_llmarith.grading import grade
from pytest_llmarith.records import Record, Strictness
from pytest_llmarith.reports.counting.cases import Calculation, answer_of
from pytest_llmarith.values import Outcome, Reading

_HIGHEST = 100  # the last stratum is for as many and for more


class Strata:
    """Correct of measured trials by a whole number."""

    def __init__(self) -> None:
        self._correct, self._measured = Counter[int](), Counter[int]()

    def add(self, number: int, is_correct: bool) -> None:
        stratum = min(number, _HIGHEST)
        self._measured[stratum] += 1
        self._correct[stratum] += is_correct

    def __iter__(self) -> Iterator[tuple[int, int, int]]:
        """Each number, how many of its trials were correct, and how many were measured."""
        return ((number, self._correct[number], measured) for number, measured in sorted(self._measured.items()))


class Discipline:
    """What it costs to read replies as bare numbers only: correct by either reading, whichever counts."""

    def __init__(self) -> None:
        self._measured = self._tolerant = self._strict = 0

    def add(self, record: Record, calculation: Calculation) -> None:
        """Take one measured record of a number task."""
        is_correct = _is_correct(record, calculation)
        self._measured += 1
        self._tolerant += is_correct
        self._strict += is_correct and answer_of(record, Reading.STRICT) is not None

    def part(self) -> dict[Strictness, int]:
        return {
            "tolerant_correct": self._tolerant,
            "strict_correct": self._strict,
            "measured": self._measured,
            "only_tolerant": self._tolerant - self._strict,
        }


def _is_correct(record: Record, calculation: Calculation) -> bool:
    """By the tolerant reading. Both read a bare number alike, so that only answers in words may need to be graded."""
    if record.outcome is not Outcome.NAN:
        return record.outcome is Outcome.CORRECT
    answer = answer_of(record, Reading.TOLERANT)
    if answer is None:
        return False
    return grade(answer, format(calculation.truth, "f")).outcome is Outcome.CORRECT
