"""A gate on comparisons: how much worse than its baseline a run may be, and how much of it may be unanswered.

It does not know an exit status.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from itertools import count
from pathlib import PurePath
from typing import Any

from pytest_llmarith.records import Difference
from pytest_llmarith.reports.comparing.wording import label_of, shown, whose
from pytest_llmarith.reports.figures import interval_of, p_of, signed
from pytest_llmarith.reports.statistics.paired import SIGNIFICANT

_COUNT = re.compile(r"[0-9]{1,9}", re.ASCII)
_POINTS = re.compile(r"[0-9]{1,3}(\.[0-9]{1,6})?", re.ASCII)

Comparison = Mapping[str, Any]


def parse_points(text: str) -> Decimal:
    """Percentage points from 0 to 100; raises ValueError with a message for people."""
    number = text.strip()
    if not _POINTS.fullmatch(number) or Decimal(number) > 100:
        raise ValueError(f"{text!r} is no number of percentage points from 0 to 100; write 2 or 2.5")
    return Decimal(number)


def parse_count(text: str) -> int:
    """A number of questions, 0 or more; raises ValueError with a message for people."""
    if not _COUNT.fullmatch(text.strip()):
        raise ValueError(f"{text!r} is no number of questions; write 0 or more, such as 5")
    return int(text)


def failures(comparisons: Mapping[str, Any], points: Decimal, allow_unanswered: int = 0) -> list[str]:
    """A line for every row that is lower than the baseline by more than `points`, and significantly so after Holm's
    correction, and one for every comparison with more unanswered questions than are allowed.
    """
    return [line for one in comparisons["comparisons"] for line in _failures(one, points, allow_unanswered)]


def _failures(comparison: Comparison, points: Decimal, allow_unanswered: int) -> Iterator[str]:
    first, second = comparison["first"], comparison["second"]
    than = whose(first) if first["run"] == second["run"] else shown(PurePath(first["run"]).name)
    who = f"{shown(PurePath(second['run']).name)}, {whose(second)}"
    yield from (f"{who}: {why}" for why in _unanswered(comparison, allow_unanswered))
    for row in comparison["rows"]:
        if row["difference"] is None or row["p_holm"] is None or row["p_holm"] >= SIGNIFICANT:
            continue
        lower = -Decimal(str(row["difference"]["points"]))
        if lower > points:
            interval = interval_of(Difference(**row["difference"]))
            sure = f"95 % {interval}, p {p_of(row['p'])}, Holm-corrected {p_of(row['p_holm'])}"
            yield (
                f"{who}, {label_of(row)}: {_seen_above(lower, points)} points lower than {than} ({sure}), "
                f"{points} are allowed"
            )


def _unanswered(comparison: Comparison, allowed: int) -> Iterator[str]:
    """An outage says nothing of the model, and so it cannot show that the model is as good as before."""
    questions = comparison["questions"]
    if comparison["rows"][0]["difference"] is None:
        yield "nothing could be compared, as no question has an answer in both"
    elif questions["unanswered"] > allowed:
        yield (
            f"{questions['unanswered']:,} unanswered, {allowed:,} are allowed (--allow-unanswered); if all of these "
            f"were right in A and wrong in B, B - A would be {signed(questions['at_worst'])} points"
        )
    if comparison["method"] == "paired" and (missing := questions["first"]["others"]) > allowed:
        yield f"{missing:,} questions of A have no pair in B, {allowed:,} are allowed (--allow-unanswered)"


def _seen_above(lower: Decimal, points: Decimal) -> Decimal:
    """The difference with as many decimals as it takes to be seen above what is allowed."""
    shown = (lower.quantize(Decimal(1).scaleb(-decimals)) for decimals in count(1))
    return next(rounded for rounded in shown if rounded > points)
