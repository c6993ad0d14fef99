"""Counts how numbers are wrong: error classes, wrong digits by position, carries, and the cost of strict reading."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from math import fsum
from typing import Literal

from pytest_llmarith import records
from pytest_llmarith.decimals import decimal_from
from pytest_llmarith.grading import Case, carries, grade, wrong_from_left, wrong_from_right
from pytest_llmarith.records import AdditionProblem, Answer, ArithmeticProblem, Problem, Record
from pytest_llmarith.results.statistics import median_of_floats, percentage
from pytest_llmarith.types import Dtype, ErrorClass, Op, Outcome, Reading

MOST_POSITIONS = 30  # from either end of a number
_MOST_CARRIES = 100  # and more
_DECIMALS = 4


_Asked = tuple[Op, Dtype, tuple[str, str], str]  # and the operands and the expected answer


def _asked(problem: Problem) -> _Asked | None:
    """The calculation of a number task; None for other tasks."""
    match problem:
        case ArithmeticProblem():
            return problem.op, problem.dtype, (problem.lhs, problem.rhs), problem.expected
        case AdditionProblem():
            return Op.ADD, Dtype.INT, (problem.int1, problem.int2), problem.expected
    return None


def _answer(record: Record, reading: Reading | None) -> Decimal | None:
    """The number that this reading found."""
    text = record.answer.by(reading) if isinstance(record.answer, Answer) else None
    return None if text is None else decimal_from(text)


class ErrorCounts:
    """Counts the records of one model and one task."""

    def __init__(self) -> None:
        self._has_numbers = False
        self._all, self._variants = _Errors(), dict[str, _Errors]()
        self._digit_match, self._dlength, self._leading_digits = array("d"), array("d"), array("d")
        self._carries, self._chains = Counter[tuple[int, bool]](), Counter[tuple[int, bool]]()
        self._measured = self._tolerant = self._strict = 0

    def add(self, record: Record) -> None:
        """Count one record."""
        if (asked := _asked(record.problem)) is None:
            return
        self._has_numbers = True
        if record.outcome is Outcome.UNANSWERED:
            return
        op, _, operands, expected = asked
        is_correct = record.outcome is Outcome.CORRECT
        if counted := carries(op, *map(decimal_from, operands)):
            self._carries[min(counted.number, _MOST_CARRIES), is_correct] += 1
            self._chains[min(counted.longest_chain, _MOST_CARRIES), is_correct] += 1
        is_tolerant = _is_correct(record, expected)
        self._measured += 1
        self._tolerant += is_tolerant
        self._strict += is_tolerant and _answer(record, Reading.STRICT) is not None
        if record.grade:
            self._add_grade(record, asked, record.grade)

    def _add_grade(self, record: Record, asked: _Asked, grade: records.Grade) -> None:
        self._digit_match.append(grade.digit_match)
        self._dlength.append(grade.dlength)
        answer = _answer(record, record.reading)
        if grade.error_class is None or answer is None:
            return
        self._leading_digits.append(grade.leading_digits)
        case = Case.of(*asked, answer)
        self._all.add(grade.error_class, case)
        if isinstance(record.problem, ArithmeticProblem):
            self._variants.setdefault(record.problem.variant, _Errors()).add(grade.error_class, case)

    def part(self) -> records.ErrorTotals | None:
        """The errors for a summary; None if the answers of the task are not numbers."""
        if not self._has_numbers:
            return None
        classes, deviates = self._all.classes, self._all.classes.total()
        return records.ErrorTotals(
            classes=[
                records.ClassOfErrors(one, classes[one], percentage(classes[one], deviates)) for one in ErrorClass
            ],
            digit_match=_mean(self._digit_match),
            dlength=_mean(self._dlength),
            leading_digits=median_of_floats(self._leading_digits),
            positions=self._all.positions(),
            carries=[
                {"carries": number, "correct": correct, "measured": measured}
                for number, correct, measured in _strata(self._carries)
            ],
            longest_chain=[
                {"chain": number, "correct": correct, "measured": measured}
                for number, correct, measured in _strata(self._chains)
            ],
            by_variant={
                variant: records.ErrorsOfVariant(
                    {one: errors.classes[one] for one in ErrorClass if errors.classes[one]}, errors.positions()
                )
                for variant, errors in sorted(self._variants.items())
            },
            strict={
                "tolerant_correct": self._tolerant,
                "strict_correct": self._strict,
                "measured": self._measured,
                "only_tolerant": self._tolerant - self._strict,
            },
        )


class _Errors:
    """Error classes, and wrong digits by position in answers with the sign and length of the truth."""

    def __init__(self) -> None:
        self.classes = Counter[ErrorClass]()
        self._from_left, self._from_right = Counter[tuple[int, bool]](), Counter[tuple[int, bool]]()

    def add(self, error_class: ErrorClass, case: Case) -> None:
        self.classes[error_class] += 1
        self._from_left.update(enumerate(wrong_from_left(case, MOST_POSITIONS) or (), 1))
        self._from_right.update(enumerate(wrong_from_right(case, MOST_POSITIONS) or (), 1))

    def positions(self) -> records.Positions:
        return {"from_left": _positions(self._from_left), "from_right": _positions(self._from_right)}


def _positions(counts: Counter[tuple[int, bool]]) -> list[dict[Literal["position", "wrong", "digits"], int]]:
    return [{"position": place, "wrong": wrong, "digits": digits} for place, wrong, digits in _strata(counts)]


def _strata(counts: Counter[tuple[int, bool]]) -> list[tuple[int, int, int]]:
    """Each number, how often it occurs with True, and how often in all."""
    return [(n, counts[n, True], counts[n, True] + counts[n, False]) for n in sorted({n for n, _ in counts})]


def _is_correct(record: Record, expected: str) -> bool:
    """Whether the tolerant reading is correct. Only answers that the strict reading rejected are graded again."""
    if record.outcome is not Outcome.NAN:
        return record.outcome is Outcome.CORRECT
    answer = _answer(record, Reading.TOLERANT)
    return answer is not None and grade(answer, expected).outcome is Outcome.CORRECT


def _mean(values: Sequence[float]) -> float | None:
    return round(fsum(values) / len(values), _DECIMALS) if values else None
