"""Numbers: how large errors are, of which class, and at which digits."""

from __future__ import annotations

import collections
from array import array
from collections.abc import Iterator, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from math import fsum
from statistics import median
from typing import Any

from pytest_llmarith.figures.estimates import Figure, Leaf, MakeFigures, Measure, Trial
from pytest_llmarith.figures.replies import WIDE
from pytest_llmarith.figures.shares import DECIMALS, percentages
from pytest_llmarith.records import NumberDetails
from pytest_llmarith.types import ErrorClass, Outcome, Reading

MOST_POSITIONS = 30  # from either end of a number
_FEW = Context(prec=6, Emax=MAX_EMAX, Emin=MIN_EMIN)


_Positions = collections.Counter[tuple[int, bool]]  # and whether the digit is wrong


class NumberCounter:
    def __init__(self) -> None:
        self.has_numbers = False
        self.deviates = self.other_length = self.rounded = 0
        self.error, self.errors = Decimal(0), 0  # the sum, and of how many
        self.relative_errors: list[str] = []
        self.leading_digits = array("d")
        self.classes = collections.Counter[ErrorClass]()
        self.from_left, self.from_right = _Positions(), _Positions()
        self.digit_match, self.dlength = array("d"), array("d")
        self.tolerant = self.strict = self.bare = self.read = 0

    def add(self, trial: Trial) -> None:
        record = trial.record
        details = record.number
        if record.outcome is Outcome.DEVIATE and details:
            self._add_deviate(details)
        if record.reading is None or record.grade is None or trial.search is not None:
            return
        self.has_numbers = True
        self.read += 1
        self.bare += record.answers.get(Reading.STRICT) is not None
        scores = record.grade.scores
        self.tolerant += scores.get(Reading.TOLERANT) == 1
        self.strict += scores.get(Reading.STRICT) == 1
        if details is not None:
            self.digit_match.append(details.digit_match)
            self.dlength.append(details.dlength)

    def _add_deviate(self, one: NumberDetails) -> None:
        self.deviates += 1
        self.other_length += one.has_other_length
        self.rounded += bool(one.rounded)
        if one.absolute_error is not None:
            self.error = WIDE.add(self.error, Decimal(one.absolute_error))
            self.errors += 1
        if one.relative_error is not None:
            self.relative_errors.append(one.relative_error)
        self.leading_digits.append(one.leading_digits)
        if one.error_class is not None:
            self.classes[one.error_class] += 1
        wrong = [digit == "1" for digit in one.wrong_digits or ""]
        self.from_left.update(enumerate(wrong[:MOST_POSITIONS], 1))
        self.from_right.update(enumerate(wrong[::-1][:MOST_POSITIONS], 1))


def _sum(leaves: Sequence[Leaf], name: str) -> int:
    total: int = sum(getattr(leaf.counted, name) for leaf in leaves)
    return total


def _all(leaves: Sequence[Leaf], name: str) -> list[Any]:
    return [one for leaf in leaves for one in getattr(leaf.counted, name)]


def _bare(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    return percentages([Figure(_sum(leaves, "bare"), n=_sum(leaves, "read"))])


def _average_error(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    known = _sum(leaves, "errors")
    if known:
        with localcontext(WIDE):
            total = sum((leaf.counted.error for leaf in leaves), Decimal(0))
            yield Figure(_text(total / known), n=known)


def _median_error(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    known = list(map(Decimal, _all(leaves, "relative_errors")))
    if known:
        with localcontext(WIDE):
            yield Figure(_text(median(known)), n=len(known))


def _leading_digits(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    known = _all(leaves, "leading_digits")
    if known:
        yield Figure(median(known), n=len(known))


def _of_deviates(name: str) -> MakeFigures:
    def figures(leaves: Sequence[Leaf]) -> Iterator[Figure]:
        yield Figure(_sum(leaves, name), n=_sum(leaves, "deviates"))

    return figures


def _text(number: Decimal) -> str:
    """A number with few digits, such as `0.00125`, `1200` or `4.82351e+21`."""
    short = number.normalize(_FEW)
    if -_FEW.prec <= short.adjusted() < _FEW.prec:
        return f"{short:f}"
    return f"{short:g}"


# --- classes and digits ---------------------------------------------------------------


def _has_numbers(leaves: Sequence[Leaf]) -> bool:
    return any(leaf.counted.has_numbers for leaf in leaves)


def _classes(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    if _has_numbers(leaves):
        counted = collections.Counter[ErrorClass]()
        for leaf in leaves:
            counted.update(leaf.counted.classes)
        for name in ErrorClass:
            if counted[name]:
                yield Figure(counted[name], n=counted.total(), by="class", at=name)


def _wrong_digits(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    """Wrong digits by position, in answers with the sign and length of the truth."""
    for by in ("from_left", "from_right"):
        counts = _Positions()
        for leaf in leaves:
            counts.update(getattr(leaf.counted, by))
        for position in sorted({position for position, _ in counts}):
            wrong_ones = counts[position, True]
            digits = wrong_ones + counts[position, False]
            yield Figure(wrong_ones, n=digits, by=by, at=str(position))


def _mean_of(name: str) -> MakeFigures:
    def figures(leaves: Sequence[Leaf]) -> Iterator[Figure]:
        values = _all(leaves, name)
        if values:
            mean = round(fsum(values) / len(values), DECIMALS)
            yield Figure(mean, n=len(values))

    return figures


def _correct_in(reading: Reading) -> MakeFigures:
    def figures(leaves: Sequence[Leaf]) -> Iterator[Figure]:
        if _has_numbers(leaves):
            yield Figure(_sum(leaves, reading))

    return figures


# --- measures -------------------------------------------------------------------------


MEASURES = (
    Measure(
        "average_absolute_error",
        "mean error",
        "",
        "mean absolute error of deviating answers",
        NumberCounter,
        _average_error,
    ),
    Measure(
        "median_relative_error",
        "relative error",
        "",
        "median relative error of deviating answers",
        NumberCounter,
        _median_error,
    ),
    Measure(
        "median_leading_digits",
        "leading digits",
        "digits",
        "median of the right digits of deviating answers, from the left",
        NumberCounter,
        _leading_digits,
    ),
    Measure(
        "other_length",
        "other length",
        "answers",
        "of n deviating answers, those whose length is wrong, without a right digit "
        "from the left",
        NumberCounter,
        _of_deviates("other_length"),
    ),
    Measure(
        "rounded",
        "rounded",
        "answers",
        "of n deviating answers, those that only rounding makes other numbers than the "
        "expected ones",
        NumberCounter,
        _of_deviates("rounded"),
    ),
    Measure(
        "error_class",
        "errors",
        "answers",
        "of n deviating answers, those of an error class",
        NumberCounter,
        _classes,
    ),
    Measure(
        "error_class_percentage",
        "errors %",
        "%",
        "of n deviating answers, those of an error class",
        NumberCounter,
        lambda leaves: percentages(_classes(leaves)),
    ),
    Measure(
        "wrong_digits",
        "wrong digits",
        "digits",
        "wrong ones of n digits, by their position from either end of the expected "
        f"value, at most {MOST_POSITIONS}",
        NumberCounter,
        _wrong_digits,
    ),
    Measure(
        "digit_match",
        "digit match",
        "",
        "mean over all answers of the share of right digits",
        NumberCounter,
        _mean_of("digit_match"),
    ),
    Measure(
        "dlength",
        "length difference",
        "digits",
        "mean over all answers of the difference in length",
        NumberCounter,
        _mean_of("dlength"),
    ),
    Measure(
        "tolerant_correct",
        "tolerant",
        "trials",
        "correct answers in the tolerant reading",
        NumberCounter,
        _correct_in(Reading.TOLERANT),
    ),
    Measure(
        "strict_correct",
        "strict",
        "trials",
        "correct answers in the strict reading",
        NumberCounter,
        _correct_in(Reading.STRICT),
    ),
    Measure(
        "bare_number",
        "bare %",
        "%",
        "replies that are nothing but a number",
        NumberCounter,
        _bare,
    ),
)
