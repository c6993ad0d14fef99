"""What is said of results that lack cells which others of their task have, and of runs
that lack answers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from pytest_llmarith.report.remarks import (
    answered_count,
    duplicates,
    with_missing_cells,
)
from pytest_llmarith.report.series import results_of
from pytest_llmarith.results.gates import is_complete
from pytest_llmarith.types import Op
from pytest_llmarith.views.places import Here
from tests.runs_on_disk import asked, programmed, summed_up


def result(cells: Iterable[tuple[str, int]], text: str | None = "{}") -> Here:
    """A result with this reply in these cells."""
    records = []
    for variant, depth in cells:
        records.append(asked(text, depth, op=Op(variant.removeprefix("int_"))))
    (found,) = results_of(summed_up(records))
    return found


ALL = [(variant, depth) for variant in ("int_add", "int_mul") for depth in range(2, 8)]
LACKS_A = "lacks 1 of 2 cells that others have: a"


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (result(ALL), ""),
        (result(ALL, "I would rather not."), ""),  # any answer counts
        (
            result(ALL, None),
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
def test_missing_cells_are_named(one: Here, said: str) -> None:
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
    rows = [result(ALL), one]
    for each in sets:
        rows += results_of(each)
    assert [row.missing for row in with_missing_cells(rows)] == [
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
