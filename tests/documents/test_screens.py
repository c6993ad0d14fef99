"""docs/screens.md and docs/tutorial.md show what runs print."""

from __future__ import annotations

import pytest

from docs.screens import SHOWN, printed, screen
from tests.documents.blocks import blocks, is_in

CHEAP = ("No key", 80)
BLOCKS = {block.text for block in blocks() if block.document == "screens.md"}


@pytest.mark.parametrize(
    ("title", "columns"),
    [
        pytest.param(
            title, columns, marks=[] if (title, columns) == CHEAP else pytest.mark.proof
        )
        for title, columns in SHOWN
    ],
)
def test_a_screen_is_as_shown(title: str, columns: int) -> None:
    assert screen(title, columns) in BLOCKS, "run make docs"


@pytest.mark.proof
def test_the_first_run_of_the_tutorial() -> None:
    """Every line that it shows is printed."""
    (shown,) = (
        block for block in blocks() if is_in(block, "tutorial.md", ": results =")
    )
    assert {*shown.text.splitlines()} <= {*printed(shown.commands[0], 80).splitlines()}
