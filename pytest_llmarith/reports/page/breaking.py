"""Where models break, as rows of the page. It does not know how that was found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_llmarith.reports.harmless import sanitize_name
from pytest_llmarith.reports.page.runs import Series
from pytest_llmarith.reports.tables.breaking import breaking_words
from pytest_llmarith.values import BreakingProblem

_LONGEST_NAME = 60


def breaking_points(series: Sequence[Series]) -> list[dict[str, Any]]:
    """A row for each search, model by model."""
    return [
        {"label": one.label, "variant": sanitize_name(point["variant"], _LONGEST_NAME), "told": breaking_words(point)}
        for one in series
        for point in (one.of(BreakingProblem.task) or {}).get("breaking_points") or ()
    ]
