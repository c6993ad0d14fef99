"""What a summary keeps of many records: counts and a few numbers per record, never a reply.

It does not know how a summary is laid out or shown.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import Any

from pytest_llmarith.reports.statistics import WIDE, median_of_decimals, median_of_floats, percent, wilson
from pytest_llmarith.values import Outcome

_MEASURED = tuple(outcome for outcome in Outcome if outcome is not Outcome.UNANSWERED)
_FEW = Context(prec=6, Emax=MAX_EMAX, Emin=MIN_EMIN)


class Outcomes:
    """How many trials came to what."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def add(self, outcome: str) -> None:
        self._counts[outcome] += 1

    def count(self, outcome: Outcome) -> int:
        return self._counts[outcome]

    @property
    def measured(self) -> int:
        """Trials that say something about the model."""
        return sum(self._counts[outcome] for outcome in _MEASURED)

    def as_dict(self) -> dict[str, int]:
        return {str(outcome): self._counts[outcome] for outcome in Outcome}


class Known:
    """A sum over what is known: an unknown number is not 0."""

    def __init__(self) -> None:
        self._sum = Decimal(0)
        self.known = 0

    def add(self, number: float | None) -> None:
        if number is not None:
            self._sum = WIDE.add(self._sum, Decimal(repr(number)))
            self.known += 1

    @property
    def total(self) -> Decimal | None:
        return self._sum if self.known else None


class Seconds:
    """How long replies took."""

    def __init__(self) -> None:
        self._seconds = array("d")

    def add(self, seconds: float | None) -> None:
        if seconds is not None:
            self._seconds.append(seconds)

    @property
    def median(self) -> float | None:
        return median_of_floats(self._seconds)


class Errors:
    """How far off answers were. No float touches them: an error may have any size."""

    def __init__(self) -> None:
        self._relative: list[str] = []
        self._absolute = Decimal(0)
        self._count = 0
        self._rounded = 0

    def add(self, grade: Mapping[str, Any]) -> None:
        """Take the grade of one deviating answer."""
        self._rounded += bool(grade["rounded"])
        if (relative := grade["relative_error"]) is not None:
            self._relative.append(relative)
        if (absolute := grade["absolute_error"]) is not None:
            self._absolute = WIDE.add(self._absolute, WIDE.create_decimal(absolute))
            self._count += 1

    def as_dict(self) -> dict[str, Any]:
        average = WIDE.divide(self._absolute, Decimal(self._count)) if self._count else None
        return {
            "median_relative_error": _text(median_of_decimals([Decimal(text) for text in self._relative])),
            "average_absolute_error": _text(average),
            "rounded": self._rounded,
        }


class Reasons:
    """Why trials have no answer, by message. Messages may be all different; they are not kept without end."""

    MOST = 50
    LONGEST = 300
    OTHERS = "other reasons"

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def add(self, reason: str | None) -> None:
        message = (reason or "no reason given")[: self.LONGEST]
        known = message in self._counts or len(self._counts) < self.MOST
        self._counts[message if known else self.OTHERS] += 1

    def as_dict(self) -> dict[str, int]:
        """The most frequent first."""
        return dict(sorted(self._counts.items(), key=lambda counted: (-counted[1], counted[0])))


def _text(number: Decimal | None) -> str | None:
    """A number with few digits, such as `0.00125`, `1200` or `4.82351e+21`."""
    if number is None:
        return None
    short = number.normalize(_FEW)
    return format(short, "f" if -_FEW.prec <= short.adjusted() < _FEW.prec else "g")


def percentage(part: int, whole: int) -> dict[str, float] | None:
    """A percentage with its interval, for readers; whoever has to be exact takes the counts."""
    if (interval := wilson(part, whole)) is None:
        return None
    return {
        "percent": float(percent(part, whole, 4)),
        "low": round(100 * interval.low, 4),
        "high": round(100 * interval.high, 4),
    }
