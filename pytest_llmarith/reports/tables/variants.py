"""Variants one by one: accuracy with its interval, the depth to which it can be relied on, the size of errors.

It does not know how a summary comes about.
"""

from __future__ import annotations

from pytest_llmarith.records import Result, Variant
from pytest_llmarith.reports import figures
from pytest_llmarith.reports.harmless import sanitize_name
from pytest_llmarith.reports.tables.drawing import draw

_LONGEST_NAME = 16
_HEADERS = ("variant", "trials", "correct %", "95 %", "reliable depth", "rel err", "leading")

LEGEND = (
    "reliable depth: the deepest for which all trials up to it are at least 90 % correct by the lower end of their "
    "interval, before the first depth whose own upper end is under 90 %; unproven: the same by the percentage itself; "
    "needs: how many trials of the first depth would prove it, if all further ones are correct; none: all trials "
    "together are under 90 % by the upper end. "
    "rel err: median relative error of deviate; leading: median of its leading digits that are right, "
    "- where most have another length than the truth."
)


def variant_table(result: Result) -> list[str]:
    """A row per variant."""
    return draw(_HEADERS, [_row(variant) for variant in result.variants])


def _row(variant: Variant) -> list[str]:
    errors = variant.error_sizes
    return [
        sanitize_name(variant.variant, _LONGEST_NAME),
        str(variant.measured),
        figures.percent_of(variant.correct_percentage),
        figures.interval(variant.correct_percentage),
        figures.reliable(variant.reliable_depth) if variant.measured else figures.UNKNOWN,
        figures.short(errors.median_relative_error),
        figures.leading_digits(errors),
    ]
