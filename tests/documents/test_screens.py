"""docs/screens.md and docs/tutorial.md show what runs print."""

from __future__ import annotations

import pytest

from docs.screens import SCREENS, SHOWN, printed, screen
from tests.documents.blocks import blocks, is_in

BLOCKS = {block.text for block in blocks() if block.document == "screens.md"}


@pytest.mark.parametrize(
    "title",
    [
        pytest.param(title, marks=[] if title == "No key" else pytest.mark.proof)
        for title in SCREENS
    ],
)
def test_a_screen_is_as_shown(title: str) -> None:
    assert screen(title, SHOWN[title]) in BLOCKS, "run make docs"


@pytest.mark.proof
def test_the_first_run_of_the_tutorial() -> None:
    """Every line that it shows is printed."""
    (shown,) = (
        block for block in blocks() if is_in(block, "tutorial.md", ": results =")
    )
    assert {*shown.text.splitlines()} <= {*printed(shown.commands[0], 80).splitlines()}
