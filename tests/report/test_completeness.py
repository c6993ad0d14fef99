"""What is said of results that lack cells which others of their task have, and of runs
that lack answers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from msgspec.structs import replace

from pytest_llmarith.report.completeness import (
    answered_count,
    duplicates,
    missing_cells,
)
from pytest_llmarith.results.gates import is_complete
from pytest_llmarith.summaries import Result
from tests.runs_on_disk import asked, programmed, summed_up

NONE = {"correct": 0, "deviate": 0, "nan": 0, "cheat": 0, "unanswered": 3}
(USUAL,) = summed_up([asked("{}")]).results


def result(cells: Iterable[tuple[str, int]], **counts: int) -> Result:
    """A result with answers in these cells, unless the counts say otherwise."""
    outcomes: Any = NONE | (counts or {"correct": 1})
    measured = sum(outcomes.values()) - outcomes["unanswered"]
    cell = replace(USUAL.cells[0], measured=measured, **outcomes)
    return replace(
        USUAL,
        cells=[replace(cell, variant=variant, depth=depth) for variant, depth in cells],
    )


ALL = [(variant, depth) for variant in ("int_add", "int_mul") for depth in range(2, 8)]
LACKS_A = "lacks 1 of 2 cells that others have: a"


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (result(ALL), ""),
        (result(ALL, nan=1), ""),  # any answer counts
        (
            result(ALL, unanswered=3),
            "lacks 12 of 12 cells that others have: int_add, int_mul",
        ),
        (result(ALL[:6]), "lacks 6 of 12 cells that others have: int_mul"),
        (result(ALL[1:]), "lacks 1 of 12 cells that others have: int_add"),
        (
            result(ALL[1:3] + ALL[5:11]),
            "lacks 4 of 12 cells that others have: int_add, int_mul",
        ),
    ],
)
def test_missing_cells_are_named(one: Result, said: str) -> None:
    """A result is beside those of its own task, and a variant without depths is a
    cell.
    """
    sets = [
        summed_up(
            programmed("A1")
            | {"problem": programmed("A1")["problem"] | {"variant": name}}
            for name in names
        )
        for names in ("ab", "b")
    ]
    assert missing_cells([result(ALL), one, *(each.results[0] for each in sets)]) == [
        "",
        said,
        "",
        LACKS_A,
    ]


def test_questions_of_several_items_are_one() -> None:
    """A run is whole if each question is answered; a line says why it has fewer trials
    than items.
    """
    message = {"role": "user", "content": "prompt"}
    sent: dict[str, Any] = {
        "model": "m",
        "api_base": None,
        "params": {},
        "messages": [message],
    }
    records = [asked("{}", sent=sent) | {"nodeid": nodeid} for nodeid in "abc"]
    whole, half, unknown = (
        summed_up(records, {"selected": selected}) for selected in (3, 4, None)
    )
    assert [is_complete(one) for one in (whole, half, unknown)] == [True, False, False]
    assert [answered_count(one) for one in (whole, half, unknown)] == [
        "1 of 1",
        "1 of 2",
        "1",
    ]
    (line,) = duplicates(whole)
    assert line.startswith("2 items asked the same question as another item")
    assert duplicates(summed_up(records[:1])) == []
