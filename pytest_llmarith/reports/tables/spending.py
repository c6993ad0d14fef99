"""What replies cost, how long they took, how many tokens they are, as a table.

It does not know how the figures come about.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_llmarith.records import Result
from pytest_llmarith.reports import figures
from pytest_llmarith.reports.harmless import sanitize_name
from pytest_llmarith.reports.keys import label_of
from pytest_llmarith.reports.tables.drawing import LONGEST_NAME, SHORTEST_NAME, draw

_ROOM_OF_FIGURES = 60  # with what stands between columns
_FIGURES = ("median", "p90", "sum")
_HEADERS = ("model\ntask", "\n", "cost\n", "seconds\n", "prompt\ntokens", "completion\ntokens", "reasoning\ntokens")


def spending_table(results: Sequence[Result], width: int) -> list[str]:
    """Three lines per result: the median of its replies, what nine of ten stay below, and all together."""
    longest_name = min(LONGEST_NAME, max(SHORTEST_NAME, width - _ROOM_OF_FIGURES))
    told = [result for result in results if any(result.spending.values())]
    if not told:
        return []
    lines = draw(_HEADERS, [row for result in told for row in _rows(result, longest_name)], words=2)
    head = len(lines) - len(_FIGURES) * len(told)
    rows = (lines[start : start + len(_FIGURES)] for start in range(head, len(lines), len(_FIGURES)))
    return lines[:head] + [line for row in rows for line in ("", *row)][1:]


def _rows(result: Result, longest_name: int) -> list[list[str]]:
    condition = label_of(result.condition)  # none is no name, which would be shown as one that is missing
    names = [sanitize_name(name, longest_name) for name in (result.model, result.task)]
    names.append(sanitize_name(condition, longest_name) if condition else "")
    return [[name, figure, *_figures(result, figure)] for name, figure in zip(names, _FIGURES, strict=True)]


def _figures(result: Result, figure: str) -> list[str]:
    known = {kind: getattr(amounts, figure) for kind, amounts in result.spending.items() if amounts}
    cost = known.get("cost_usd")
    return [
        figures.dollars(cost, result.unpriced) if figure == "sum" else figures.price(cost),
        figures.seconds(known.get("latency_s")),
        *map(
            figures.count, (known.get("prompt_tokens"), known.get("completion_tokens"), known.get("reasoning_tokens"))
        ),
    ]
