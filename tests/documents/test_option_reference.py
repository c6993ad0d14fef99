"""The reference of options has what the code declares."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.reference import reference

WRITTEN = Path(__file__).parents[2] / "docs" / "options.md"


def test_the_reference_is_up_to_date() -> None:
    """docs/options.md is what `make docs` writes."""
    assert WRITTEN.read_text("utf-8") == reference(), "run make docs"


def test_every_option_is_in_it(pytester: pytest.Pytester) -> None:
    """The reference holds every option of the plugin, by its name."""
    known = {
        name.replace("_", "-") for name in vars(pytester.parseconfig().option) if name.startswith(("llm_", "oeis_"))
    }
    text = WRITTEN.read_text("utf-8")
    assert [name for name in sorted(known) if f"| `--{name}" not in text] == []
