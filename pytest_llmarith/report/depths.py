"""Which depths results have, and how many trials are in their cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from pytest_llmarith.summaries import Result

_DIGITS_A_RANGE = 5


def usual_size(result: Result) -> int:
    """The most frequent number of trials with a reply in a cell."""
    sizes = Counter(cell.measured for cell in result.grid if cell.measured)
    most = sizes.most_common(1)
    return most[0][0] if most else 0


def depth_ranges(results: Iterable[Result]) -> dict[str, list[int]]:
    """The depths of tasks without variants in ranges of five, such as `16-19` if there
    is no 20.
    """
    ranges: dict[int, list[int]] = {}
    for digits in sorted({one.depth for result in results for one in result.depths}):
        ranges.setdefault((digits - 1) // _DIGITS_A_RANGE, []).append(digits)
    named = {}
    for one in ranges.values():
        name = f"{one[0]}-{one[-1]}" if len(one) > 1 else str(one[0])
        named[name] = one
    return named
