"""What is said of results that lack cells which others of their task have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pytest_llmarith.records import Result
from pytest_llmarith.reports.missing import missing_cells
from tests.runs_on_disk import asked, programmed, summed_up

NONE = {"correct": 0, "deviate": 0, "nan": 0, "cheat": 0, "unanswered": 3}
CELLS = st.sets(st.tuples(st.sampled_from(["int_add", "int_mul", "own"]), st.integers(2, 6)))


def result(cells: Iterable[tuple[str, int]], **counts: int) -> Result:
    """A result with answers in these cells, unless the counts say otherwise."""
    outcomes: Any = NONE | (counts or {"correct": 1})
    (usual,) = summed_up([asked("{}")]).results
    measured = sum(outcomes.values()) - outcomes["unanswered"]
    return replace(
        usual,
        cells=[
            replace(usual.cells[0], variant=variant, depth=depth, measured=measured, **outcomes)
            for variant, depth in cells
        ],
    )


ALL = [(variant, depth) for variant in ("int_add", "int_mul") for depth in range(2, 8)]


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (ALL, ""),
        (ALL[:6], "lacks 6 of 12 cells that others have: int_mul"),
        (ALL[1:], "lacks 1 of 12 cells that others have: int_add 2"),
        (ALL[1:3] + ALL[5:11], "lacks 4 of 12 cells that others have: int_add 2 5-6, int_mul 7"),
        ([], "lacks 12 of 12 cells that others have: int_add, int_mul"),
    ],
)
def test_what_is_missing_is_named(cells: list[tuple[str, int]], said: str) -> None:
    """By variant, with the depths unless all are missing."""
    assert missing_cells([result(ALL), result(cells)]) == ["", said]


def test_a_cell_without_an_answer_is_missing() -> None:
    """Any answer counts, a wrong one too; what is unanswered is none."""
    found = missing_cells([result(ALL), result(ALL, unanswered=3), result(ALL, nan=1), result(ALL, cheat=1)])
    assert [bool(said) for said in found] == [False, True, False, False]


def test_other_tasks_have_other_cells() -> None:
    """A result is beside those of its own task; a set of sequences is a cell."""
    sets = [
        summed_up(
            programmed("A1") | {"problem": programmed("A1")["problem"] | {"set": name}} for name in names
        ).results[0]
        for names in (["a", "b"], ["b"])
    ]
    assert missing_cells([result(ALL), *sets]) == ["", "", "lacks 1 of 2 cells that others have: a"]


@given(st.lists(CELLS, min_size=1, max_size=5))
def test_only_who_has_all_cells_lacks_none(cells: list[set[tuple[str, int]]]) -> None:
    """All cells are those that any result of the task has."""
    together = set().union(*cells)
    assert [not said for said in missing_cells([result(some) for some in cells])] == [
        some == together for some in cells
    ]
