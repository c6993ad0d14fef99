"""How models err, as a table: the classes of their deviates, and what format discipline costs.

It does not know the classes' rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from pytest_llmarith.records import Anatomy, Result
from pytest_llmarith.reports import figures
from pytest_llmarith.reports.harmless import sanitize_name
from pytest_llmarith.reports.percents import percentage
from pytest_llmarith.reports.tables.drawing import folded
from pytest_llmarith.values import ErrorClass

_LONGEST_NAME = 20  # three of them beside each other fit into 80 columns
_NONE = "."  # so that what there is catches the eye
_LEGEND = (
    "Of all deviates in % (95 %), by the rules of docs/errors.md. "
    "right: of all trials, in any words; bare: with nothing but the number."
)


def anatomy_table(results: Sequence[Result], width: int) -> list[str]:
    """Rows are the classes that occur, columns results; last come the answers that are right in any words, and bare.

    Only results stand in it that have deviates, or right answers with words around them.
    """
    shown = [(one, found) for one in results if (found := one.anatomy) and _is_worth_a_column(found)]
    if not shown:
        return []
    counts = [{one.error_class: one.count for one in found.classes} for _, found in shown]
    occurring = [name for name in ErrorClass if any(mine[name] for mine in counts)]
    rows = [
        *(
            [name, *(_share(mine[name], sum(mine.values())) if mine[name] else _NONE for mine in counts)]
            for name in occurring
        ),
        ["deviates", *(str(_deviates(found)) for _, found in shown)],
        ["right", *(_share(found.strict["tolerant_correct"], found.strict["measured"]) for _, found in shown)],
        ["right, bare", *(_share(found.strict["strict_correct"], found.strict["measured"]) for _, found in shown)],
    ]
    headers = ["class\n", *(_header(result) for result, _ in shown)]
    return ["how answers deviate", *folded(headers, rows, width), *wrap(_LEGEND, width)]


def _header(result: Result) -> str:
    """Whose column it is; of a condition each part has a line, as all together are too long to be told apart."""
    parts = result.condition.parts if result.condition else ()
    return "\n".join(sanitize_name(word, _LONGEST_NAME) for word in (result.model, result.task, *parts))


def _is_worth_a_column(found: Anatomy) -> bool:
    return bool(_deviates(found) or found.strict["only_tolerant"])


def _deviates(found: Anatomy) -> int:
    return sum(one.count for one in found.classes)


def _share(count: int, whole: int) -> str:
    return f"{figures.share(count, whole)} ({figures.interval(percentage(count, whole))})"
