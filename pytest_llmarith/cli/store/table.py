"""What a store holds, as text: a row per model. It does not know how replies are kept, nor why they are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_llmarith.cli.parser import harmless

if TYPE_CHECKING:
    from pytest_llmarith.models.keeping.housekeeping import Inventory

_LONGEST_NAME = 60
_HEADERS = ("model", "base URL", "first", "last", "replies", "cost", "tokens")


def table(held: Inventory) -> list[str]:
    """The lines of the table; none for an empty store."""
    from pytest_llmarith.reports.figures import UNKNOWN, dollars, thousands
    from pytest_llmarith.reports.harmless import sanitize_name
    from pytest_llmarith.reports.tables.drawing import draw

    rows = [
        [
            sanitize_name(holding.model, _LONGEST_NAME),
            UNKNOWN if holding.api_base is None else sanitize_name(str(holding.api_base), _LONGEST_NAME),
            _day(holding.first),
            _day(holding.last),
            f"{holding.replies:,}",
            dollars(holding.cost_usd, holding.unpriced),
            thousands(holding.tokens),
        ]
        for holding in held.holdings
    ]
    lines = draw(_HEADERS, rows, words=4) if rows else []
    return [*lines, *([f"{held.damaged:,} damaged replies are in no row"] if held.damaged else [])]


def _day(moment: str | None) -> str:
    from pytest_llmarith.reports.figures import UNKNOWN

    return UNKNOWN if moment is None else harmless(moment[: len("2026-11-22")])
