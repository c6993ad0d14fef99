"""Markdown as a real parser reads it: whatever stands in names and reasons, it is code within tables of ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from pytest_llmarith.reports.formats.markdown import code, markdown
from pytest_llmarith.reports.harmless import sanitize_name
from pytest_llmarith.reports.summary import Summary
from tests.runs_on_disk import asked

PARSER = MarkdownIt("commonmark", {"html": True}).enable("table")
HOSTILE = st.one_of(
    st.text(max_size=40),
    st.text("`|\\<>[]()!*_~#\"'&;\n\r\t =-:/.@w", max_size=40),
    st.sampled_from(
        ["<script>alert(1)</script>", "`|`", "|", "\\|", "\\`|\\", "</summary>", "```\n</details>", "![](x)"]
    ),
)
OURS = ("<details><summary>", "</details>", "<sub>", "</sub>")


def tokens(lines: Sequence[str]) -> Iterator[Token]:
    """What the parser makes of the lines, within lines too."""
    for token in PARSER.parse("\n".join(lines)):
        yield token
        yield from token.children or ()


@given(title=HOSTILE, model=HOSTILE, task=HOSTILE, reason=HOSTILE, run=HOSTILE)
@settings(max_examples=40)
def test_nothing_foreign_is_obeyed(title: str, model: str, task: str, reason: str, run: str) -> None:
    """No tag, link, image, heading or cell comes of it, and the names stand there as they are."""
    summary = Summary()
    summary.add(asked("{}") | {"model": model, "task": task})
    summary.add(asked("?", trial=1) | {"model": model, "task": task, "reason": reason, "outcome": "nan"})
    results = [{"run": run, **result} for result in summary.as_dict({})["results"]]
    found = list(tokens(list(markdown(title, [reason], results, detailed=True))))
    kinds = [token.type for token in found]
    assert not {"link_open", "image", "hr", "blockquote_open", "code_block"} & set(kinds)
    assert all(token.content.strip().startswith(OURS) for token in found if token.type.startswith("html_"))
    assert (kinds.count("heading_open"), kinds.count("tr_open"), kinds.count("td_open")) == (
        1,
        2,
        kinds.count("th_open"),
    )
    shown = [token.content for token in found if token.type == "code_inline"]
    assert sanitize_name(model, 60).replace("|", r"\x7c") in [text.strip() for text in shown]
    assert kinds.count("fence") == 2


@given(HOSTILE)
def test_code_is_one_piece(text: str) -> None:
    """In a line and in the cell of a table, between other words."""
    for lines in ([f"a {code(text)} b"], ["| a | b |", "|---|---|", f"| {code(text)} | b |"]):
        pieces = [token for token in tokens(lines) if token.type == "code_inline"]
        assert len(pieces) == 1
    cells = [token.type for token in tokens(["| a | b |", "|---|---|", f"| {code(text)} | b |"])]
    assert cells.count("td_open") == 2
