"""How a model errs: the classes of its deviates and what its digits have in common, fed record by record.

It keeps counts and no digits. It does not know the classes' rules, nor how a summary is shown.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from math import fsum

from pytest_llmarith import records
from pytest_llmarith.grading import carries
from pytest_llmarith.records import ArithmeticProblem, Record
from pytest_llmarith.reports.counting.cases import Calculation, answer_of, calculation_of
from pytest_llmarith.reports.counting.positions import Positions
from pytest_llmarith.reports.counting.strata import Discipline, Strata
from pytest_llmarith.reports.percents import percentage
from pytest_llmarith.results.statistics import median_of_floats
from pytest_llmarith.values import ErrorClass, Outcome

_DECIMALS = 4


class AnatomyCounts:
    """Counts the records of one model and one task."""

    def __init__(self) -> None:
        self._is_of_numbers = False
        self._errors, self._variants = _Errors(), dict[str, _Errors]()
        self._match, self._length, self._leading = array("d"), array("d"), array("d")
        self._carries, self._chains = Strata(), Strata()
        self._discipline = Discipline()

    def add(self, record: Record) -> None:
        """Count one record."""
        if (calculation := calculation_of(record.problem)) is None:
            return
        self._is_of_numbers = True
        if record.outcome == Outcome.UNANSWERED:
            return
        self._discipline.add(record, calculation)
        self._add_carries(calculation, record.outcome == Outcome.CORRECT)
        if record.grade:
            self._add_grade(record, calculation, record.grade)

    def _add_carries(self, calculation: Calculation, is_correct: bool) -> None:
        if counted := carries(calculation.op, calculation.lhs, calculation.rhs):
            self._carries.add(counted.number, is_correct)
            self._chains.add(counted.longest_chain, is_correct)

    def _add_grade(self, record: Record, calculation: Calculation, grade: records.Grade) -> None:
        self._match.append(grade.digit_match)
        self._length.append(grade.dlength)
        answer = answer_of(record)
        if (error_class := grade.error_class) is None or answer is None:
            return
        self._leading.append(grade.leading_digits)
        case, found = calculation.case(answer), [self._errors]
        if isinstance(record.problem, ArithmeticProblem):
            found.append(self._variants.setdefault(record.problem.variant, _Errors()))
        for errors in found:
            errors.classes[error_class] += 1
            errors.positions.add(case)

    def part(self) -> records.Anatomy | None:
        """The anatomy as it stands in a result; None where the task is not about numbers."""
        if not self._is_of_numbers:
            return None
        return records.Anatomy(
            classes=self._errors.of_all(),
            digit_match=_mean(self._match),
            dlength=_mean(self._length),
            leading_digits=median_of_floats(self._leading),
            positions=self._errors.positions.part(),
            carries=[
                {"carries": n, "correct": correct, "measured": measured} for n, correct, measured in self._carries
            ],
            longest_chain=[
                {"chain": n, "correct": correct, "measured": measured} for n, correct, measured in self._chains
            ],
            by_variant={variant: self._variants[variant].of_variant() for variant in sorted(self._variants)},
            strict=self._discipline.part(),
        )


class _Errors:
    """The classes of deviates, and where their digits are wrong."""

    def __init__(self) -> None:
        self.classes, self.positions = Counter[ErrorClass](), Positions()

    def of_all(self) -> list[records.ClassOfErrors]:
        """All classes in their order, those without a deviate too."""
        total = self.classes.total()
        return [
            records.ClassOfErrors(one, self.classes[one], percentage(self.classes[one], total)) for one in ErrorClass
        ]

    def of_variant(self) -> records.ErrorsOfVariant:
        """Only the classes that occur."""
        return records.ErrorsOfVariant(
            {one: self.classes[one] for one in ErrorClass if self.classes[one]}, self.positions.part()
        )


def _mean(values: Sequence[float]) -> float | None:
    return round(fsum(values) / len(values), _DECIMALS) if values else None
