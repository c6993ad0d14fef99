"""Markdown as a real parser reads it: whatever stands in names and reasons, it is code within tables of ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from msgspec.structs import replace

from pytest_llmarith.reports.formats.items import incorrect_items
from pytest_llmarith.reports.formats.markdown import code, details, listed, markdown
from pytest_llmarith.reports.harmless import sanitize_name
from pytest_llmarith.reports.tables.overview import ResultOfRun
from tests.runs_on_disk import asked, record_of, summed_up

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
    records = [asked("{}"), asked("?", trial=1) | {"reason": reason, "outcome": "nan"}]
    named = [replace(result, model=model, task=task) for result in summed_up(records).results]
    rows = [ResultOfRun(result, run) for result in named]
    found = list(tokens([*markdown(title, [reason], rows), *details(rows, (), ())]))
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
    """Code stays one piece in a line and in the cell of a table, between other words."""
    for lines in ([f"a {code(text)} b"], ["| a | b |", "|---|---|", f"| {code(text)} | b |"]):
        pieces = [token for token in tokens(lines) if token.type == "code_inline"]
        assert len(pieces) == 1
    cells = [token.type for token in tokens(["| a | b |", "|---|---|", f"| {code(text)} | b |"])]
    assert cells.count("td_open") == 2


@given(nodeid=HOSTILE, reason=HOSTILE)
@settings(max_examples=40)
def test_items_are_rows_whatever_they_are_called(nodeid: str, reason: str) -> None:
    """A trial that is not correct is one row of four cells, and nothing of its names is obeyed."""
    record = asked("?") | {"nodeid": f"bench.py::{nodeid}", "reason": reason}
    found = list(tokens(list(listed(incorrect_items(map(record_of, [asked("{}"), record]))))))
    kinds = [token.type for token in found]
    assert not {"link_open", "image", "hr", "blockquote_open", "code_block", "fence", "heading_open"} & set(kinds)
    assert all(token.content.strip().startswith(OURS) for token in found if token.type.startswith("html_"))
    assert (kinds.count("tr_open"), kinds.count("td_open"), kinds.count("code_inline")) == (2, 4, 2)


def test_items_tell_outcome_class_and_cost() -> None:
    """What measured nothing stands first, a deviate has its class, all have their price."""
    items = incorrect_items(map(record_of, [wrong := asked("7"), asked(None), asked("{}")]))
    assert items.rows == [
        ("test[o4-mini-int_add-depth_3-trial_0]", "unanswered", "timeout", "-"),
        ("test[o4-mini-int_add-depth_3-trial_0]", "deviate", wrong["grade"]["error_class"], "$0.0010"),
    ]


def test_items_have_an_end() -> None:
    """A page of a run holds no more than so many of each outcome, and says how many more there are."""
    items = incorrect_items(map(record_of, [asked("?", trial=trial) for trial in range(7)] + [asked("0")]), most=5)
    assert [row[1] for row in items.rows] == ["nan"] * 5 + ["deviate"]
    assert "and 2 nan more" in list(listed(items))


def test_simulated_is_plain_in_code() -> None:
    """Stars within code are stars, and no emphasis."""
    rows = [ResultOfRun(result) for result in summed_up([asked("{}") | {"simulated": True}]).results]
    lines = list(markdown("a run", [], rows))
    assert any(line.endswith("`simulated`") for line in lines)
    assert "*simulated*" not in "\n".join(lines)
