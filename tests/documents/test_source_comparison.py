"""docs/paper.md compares rule by rule: every row is complete, and every difference has a reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[2] / "docs" / "paper.md").read_text("utf-8")
ROWS = [
    pytest.param([cell.strip() for cell in line.strip("|").split("|")], id=line.split("|")[1].strip())
    for line in TEXT.replace(r"\|", "/").splitlines()
    if line.startswith("| ") and not line.startswith("| point")
]


@pytest.mark.parametrize("cells", ROWS)
def test_a_row_is_whole(cells: list[str]) -> None:
    """Point, source, here, why and restored by; a difference that no option restores has a reason."""
    assert len(cells) == 5
    point, source, here, why, restored_by = cells
    assert point
    assert source
    assert here
    assert why or not restored_by.startswith("*none*")


def test_every_source_has_a_table() -> None:
    """The document compares three texts, each in a table of its own."""
    assert len(re.findall(r"^\| point \|", TEXT, re.MULTILINE)) == 3
