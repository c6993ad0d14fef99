"""The styles of thoughts in `docs/grading.md` are those of the code."""

from __future__ import annotations

from pathlib import Path

from pytest_llmarith.exact import thoughts

GRADING = Path(__file__).parents[2] / "docs" / "grading.md"


def test_the_document_names_every_marker_and_no_other() -> None:
    text = GRADING.read_text("utf-8")
    _, _, section = text.partition("\n## Thoughts and turns\n")
    section, _, _ = section.partition("\n## ")
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    said = {row.replace("\\|", "|") for row in rows}
    known = {
        f"| {_cell(style.opening)} | {_cell(style.closing)} | {style.writers} | "
        f"{style.source} |"
        for style in (*thoughts.STYLES, thoughts.BARE_STYLE, *thoughts.ANSWER_STYLES)
    }
    assert said == known
    for writers, ends in thoughts.TURN_ENDS.items():
        row = f"| {writers} | {' '.join(map(_cell, ends))} |"
        assert row in section.replace("\\|", "|")


def _cell(marker: str) -> str:
    return f"`` {marker} ``" if "`" in marker else f"`{marker.strip()}`"
