"""How models err, as a table: the classes of their deviates, and what format discipline costs.

It does not know the classes' rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

from pytest_llmarith.reports import figures
from pytest_llmarith.reports.harmless import sanitize_name
from pytest_llmarith.reports.keys import condition_parts
from pytest_llmarith.reports.percents import percentage
from pytest_llmarith.reports.tables.drawing import folded

_LONGEST_NAME = 20  # three of them beside each other fit into 80 columns
_NONE = "."  # so that what there is catches the eye
_LEGEND = (
    "Of all deviates in % (95 %), by the rules of docs/errors.md. "
    "right: of all trials, in any words; bare: with nothing but the number."
)

Result = Mapping[str, Any]


def anatomy_table(results: Sequence[Result], width: int) -> list[str]:
    """Rows are the classes that occur, columns results; last come the answers that are right in any words, and bare.

    Only results stand in it that have deviates, or right answers with words around them.
    """
    shown = [one for one in results if one.get("anatomy") and (_deviates(one) or _strict(one)["only_tolerant"])]
    if not shown:
        return []
    counts = [{one["class"]: one["count"] for one in result["anatomy"]["classes"]} for result in shown]
    occurring = [name for name in counts[0] if any(mine[name] for mine in counts)]
    rows = [
        *(
            [name, *(_share(mine[name], sum(mine.values())) if mine[name] else _NONE for mine in counts)]
            for name in occurring
        ),
        ["deviates", *(str(_deviates(result)) for result in shown)],
        ["right", *(_right(result, "tolerant") for result in shown)],
        ["right, bare", *(_right(result, "strict") for result in shown)],
    ]
    headers = ["class\n", *map(_header, shown)]
    return ["how answers deviate", *folded(headers, rows, width), *wrap(_LEGEND, width)]


def _header(result: Result) -> str:
    """Whose column it is; of a condition each part has a line, as all together are too long to be told apart."""
    return "\n".join(
        sanitize_name(word, _LONGEST_NAME) for word in (result["model"], result["task"], *condition_parts(result))
    )


def _deviates(result: Result) -> int:
    return sum(one["count"] for one in result["anatomy"]["classes"])


def _strict(result: Result) -> Mapping[str, int]:
    found: Mapping[str, int] = result["anatomy"]["strict"]
    return found


def _share(count: int, whole: int) -> str:
    return f"{figures.share(count, whole)} ({figures.interval(percentage(count, whole))})"


def _right(result: Result, reading: str) -> str:
    strict = _strict(result)
    return _share(strict[f"{reading}_correct"], strict["measured"])
