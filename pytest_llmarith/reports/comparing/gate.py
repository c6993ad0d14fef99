"""A gate on comparisons: how much worse than its baseline a run may be. Differences are compared exactly, on counts.

It does not know an exit status.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import count
from pathlib import PurePath
from typing import Any

from pytest_llmarith.reports.comparing.groups import OVER_ALL
from pytest_llmarith.reports.comparing.rows import lower_by
from pytest_llmarith.reports.comparing.wording import label_of, shown, whose
from pytest_llmarith.reports.figures import interval_of, p_of
from pytest_llmarith.reports.statistics.paired import SIGNIFICANT

_POINTS = re.compile(r"[0-9]{1,3}(\.[0-9]{1,6})?", re.ASCII)

Comparison = Mapping[str, Any]


def parse_points(text: str) -> Decimal:
    """Percentage points from 0 to 100; raises ValueError with a message for people."""
    number = text.strip()
    if not _POINTS.fullmatch(number) or Decimal(number) > 100:
        raise ValueError(f"{text!r} is no number of percentage points from 0 to 100; write 2 or 2.5")
    return Decimal(number)


def failures(comparisons: Mapping[str, Any], points: Decimal) -> list[str]:
    """A line for every row that is lower than the baseline by more than `points`, and significantly so after Holm.

    Where nothing could be compared, nobody knows; that fails too.
    """
    return [line for comparison in comparisons["comparisons"] for line in _failures(comparison, points)]


def _failures(comparison: Comparison, points: Decimal) -> Iterator[str]:
    first, second = comparison["first"], comparison["second"]
    than = whose(first) if first["run"] == second["run"] else shown(PurePath(first["run"]).name)
    who = f"{shown(PurePath(second['run']).name)}, {whose(second)}"
    for row in comparison["rows"]:
        lower = lower_by(row)
        if lower is None:
            if row["kind"] == OVER_ALL:
                yield f"{who}: nothing could be compared, {points} points lower are allowed"
        elif lower > Fraction(points) and row["p_holm"] is not None and row["p_holm"] < SIGNIFICANT:
            by = _seen_above(lower, points)
            sure = f"95 % {interval_of(row['difference'])}, p {p_of(row['p_holm'])}"
            yield f"{who}, {label_of(row)}: {by} points lower than {than} ({sure}), {points} are allowed"


def _seen_above(lower: Fraction, points: Decimal) -> Decimal:
    """The difference with as many decimals as it takes to be seen above what is allowed."""
    exact = Decimal(lower.numerator) / Decimal(lower.denominator)
    shown = (exact.quantize(Decimal(1).scaleb(-decimals)) for decimals in count(1))
    return next(rounded for rounded in shown if rounded > points)
