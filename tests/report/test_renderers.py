"""A table in each format: it fits, and foreign text has no effect in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from pytest_llmarith.figures.estimates import Figure
from pytest_llmarith.report.export import csv_lines
from pytest_llmarith.report.render.documents import as_latex, as_markdown, latex
from pytest_llmarith.report.render.html import view
from pytest_llmarith.report.render.terminal import coloured, one_table
from pytest_llmarith.safe_text import sanitize
from pytest_llmarith.views import kinds
from pytest_llmarith.views.table import Column, Kind, Row, Shown, Table
from tests.report.latex import tables_in

HOSTILE = st.one_of(
    st.text(max_size=40),
    st.text("`|\\<>[]()!*_~#\"'&;\n\r\t =-:/.@w", max_size=40),
    st.sampled_from(
        [
            "<script>alert(1)</script>",
            "`|`",
            "|",
            "\\|",
            "\\`|\\",
            "</summary>",
            "```\n</details>",
            "![](x)",
        ]
    ),
)
PARSER = MarkdownIt("commonmark", {"html": True}).enable("table")
COST: Kind[float] = kinds.plain("${:.2f}".format)
FIGURE: Kind[str] = kinds.plain(str, is_text=True)


def column(title: str, kind: Kind[Any] = FIGURE, below: str = "", **named: Any) -> Any:
    return Column(title, title, kind, "", lambda one: None, below=below, **named)


def test_names_that_are_cut_to_the_same_text_have_numbers() -> None:
    """And a line each below the table; other names stay as they are."""
    alike = [f"{'a' * 40}{middle}{'z' * 60}" for middle in "12"]
    rows = [Row([name, "1"]) for name in (*alike, "short")]
    table = Table("t", "", [column("model", kinds.NAME), column("figure")], rows)
    lines = one_table(table, 80)
    assert [line[:5] for line in lines[2:5]] == ["1: aa", "2: aa", "short"]
    below = "".join("".join(lines[5:]).split())
    assert f"1:{alike[0]}" in below
    assert f"2:{alike[1]}" in below


COLUMNS = [
    column("model", kinds.NAME),
    column("task", kinds.NAME, "model"),
    column("trials"),
    column("cost", COST, "trials"),
]


def table(*models: str, **named: Any) -> Table:
    rows = [Row([model, "sums", 720, None]) for model in models]
    return Table(
        **{"key": "costs", "title": "costs", "columns": COLUMNS, "rows": rows} | named
    )


def wide(depths: int, name: str = "int_add") -> Table:
    columns = [column("depth", kinds.NAME), *(column(str(n)) for n in range(depths))]
    return Table("wide", "", columns, [Row([name, *range(depths)], ["a note"])])


def test_a_row_is_a_line_where_there_is_room() -> None:
    """Of what is not known there is a dash. Below stands what has to be known."""
    rows = [
        Row(["o4-mini", "sums", 720, 1.5]),
        Row(["gpt-4o", None, 9, None], ["simulated"]),
    ]
    assert one_table(table(rows=rows, legend="all of it"), 80) == [
        "costs",
        "model    task  trials   cost",
        "----------------------------",
        "o4-mini  sums     720  $1.50",
        "gpt-4o              9      -",
        "  simulated",
        "all of it",
    ]


def test_headings_are_bold() -> None:
    whole = Table(
        "costs",
        "costs",
        [column("model", kinds.MODEL), column("trials")],
        [Row([kinds.ModelLabel("o4", "o4", ("simulated",)), 72])],
        "all of it",
    )
    assert coloured(["a run", "", *one_table(whole, 80)]) == [
        "a run",
        "",
        "\x1b[1mcosts\x1b[22m",
        "\x1b[1mmodel           trials\x1b[22m",
        "----------------------",
        "o4 (simulated)      72",
        "all of it",
    ]


def test_pieces_are_as_few_as_fit() -> None:
    """A wide column does not narrow the pieces of others."""
    titles = ["wide" * 5, *(f"column {number}" for number in range(5))]
    columns = [column("model", kinds.NAME), *map(column, titles)]
    lines = one_table(Table("", "", columns, [Row(["m", *range(6)])]), 48)
    assert [line.split()[1:] for line in lines if line.startswith("model")] == [
        ["wide" * 5, "column", "0", "column", "1"],
        ["column", "2", "column", "3", "column", "4"],
    ]


def test_each_piece_repeats_what_tells_rows_apart() -> None:
    """All names, and a text beside them."""
    titles = [f"column {number}" for number in range(5)]
    columns = [
        column("model", kinds.NAME),
        column("variant", kinds.NAME),
        column("score", kinds.TEXT),
        *map(column, titles),
    ]
    rows = [Row(["m", "v", name, *range(5)]) for name in ("parts", "steps")]
    lines = one_table(Table("", "", columns, rows), 48)
    heads = [line.split()[:3] for line in lines if line.startswith("model")]
    assert len(heads) > 1
    assert all(head == ["model", "variant", "score"] for head in heads)
    assert sum("parts" in line for line in lines) == len(heads)


@given(HOSTILE, HOSTILE)
def test_foreign_text_has_no_colour_of_its_own(name: str, text: str) -> None:
    """Without the sequences the lines are those without colour."""
    plain = one_table(table(f"\x1b[31m{name}", title=f"\x1b]0;{text}"), 60)
    whole = "\n".join(coloured(plain))
    assert re.sub("\x1b\\[(1|22|33|39)m", "", whole).split("\n") == plain


def test_names_are_cut_before_that() -> None:
    name = "openrouter/deepseek/deepseek-v3.2-exp-thinking"
    assert (
        one_table(table(name), 50)[3]
        == "openroute...-v3.2-exp-thinking  sums     720     -"
    )
    assert max(map(len, one_table(table(name), 30))) <= 30


def test_names_that_differ_stay_different() -> None:
    names = [f"provider/model, 2026-11-2{day}_3-models" for day in range(3)]
    columns = [
        column("model", kinds.NAME),
        *(column(f"column {number}") for number in range(9)),
    ]
    rows = [Row([name, *range(9)]) for name in names]
    lines = one_table(Table("", "", columns, rows), 80)
    assert len({line.partition("  ")[0] for line in lines if "3-models" in line}) == 3


@given(st.integers(1, 60), st.integers(40, 160))
def test_a_table_that_is_too_wide_comes_in_pieces(depths: int, width: int) -> None:
    """Every piece has the first column, and no column is left alone at the end."""
    lines = one_table(wide(depths, "m" * 300), width)
    heads = [line.split()[1:] for line in lines if line.startswith("depth")]
    assert [column for head in heads for column in head] == [*map(str, range(depths))]
    assert max(map(len, lines)) <= width
    assert max(map(len, heads)) - min(map(len, heads)) < max(2, len(heads))
    assert sum("a note" in line for line in lines) == 1


@given(HOSTILE, HOSTILE)
@settings(max_examples=50)
def test_foreign_text_is_printable(name: str, text: str) -> None:
    assert all(line.isprintable() for line in one_table(table(name, text), 80))


def tokens(lines: Sequence[str]) -> Iterator[Token]:
    """What a parser of markdown makes of the lines."""
    for token in PARSER.parse("\n".join(lines)):
        yield token
        yield from token.children or ()


@given(HOSTILE, HOSTILE, HOSTILE)
@settings(max_examples=50)
def test_foreign_text_is_code_in_markdown(name: str, note: str, header: str) -> None:
    """No tag, link, image, heading or cell comes of it."""
    columns = [*COLUMNS, column(f"of\n{header}", is_named=True)]
    rows = [Row([name, "a", 1, 0.5, "<0.1"], [note]), Row(["b", name, 2, None, 0])]
    found = list(
        tokens(
            list(
                as_markdown(
                    table(columns=columns, rows=rows, legend="p < 0.05", notes=[note])
                )
            )
        )
    )
    kinds = [token.type for token in found]
    assert not {
        "link_open",
        "image",
        "hr",
        "blockquote_open",
        "code_block",
        "heading_open",
        "fence",
    } & set(kinds)
    assert [token.content for token in found if token.type == "html_inline"] in (
        [],
        ["<sub>", "</sub>"],
    )
    assert (kinds.count("tr_open"), kinds.count("td_open")) == (3, 10)


# What LaTeX prints as the character; all else is plain.
NAMES = "backslash braceleft braceright less greater bar asciitilde asciicircum asciigrave quotesingle quotedblright"
COMMANDS = dict(zip(NAMES.split(), "\\{}<>|~^`'\"", strict=True))
LATEX = re.compile(
    r"\\text([a-z]+)\{\}|\\([&%$#_])|\{([\[\]*])\}|([-,])(?:\{\})?|([^\\{}&%$#_^~\[\]*<>|`'\",-])"
)


@given(HOSTILE)
def test_foreign_text_is_text_in_latex(text: str) -> None:
    """Read as LaTeX, it prints what a terminal prints, in ASCII; no ligature comes of
    it.
    """
    shown = latex(text)
    pieces = list(LATEX.finditer(shown))
    assert "".join(piece.group() for piece in pieces) == shown
    printed = "".join(
        COMMANDS[one[1]] if one[1] else "".join(filter(None, one.groups()))
        for one in pieces
    )
    assert printed == sanitize(text, 1_000).encode("ascii", "backslashreplace").decode()
    assert "--" not in shown
    assert ",," not in shown


@given(HOSTILE, HOSTILE, HOSTILE)
def test_a_table_in_latex(name: str, note: str, header: str) -> None:
    """A line per row, each with all columns, and a caption and a label of its own."""
    columns = [*COLUMNS, column(f"of\n{header}", is_named=True)]
    rows = [Row([name, "a", 1, 0.5, "<0.1"], [note]), Row(["b", name, 2, None, 0])]
    one = table(columns=columns, rows=rows, legend="p < 0.05", notes=[note], whose=name)
    first, second = tables_in("\n".join(as_latex([one, one], "Only models a")))
    assert first.caption.startswith("Costs")
    assert "Only models a. " in first.caption
    assert (len(first.rows), second.label) == (3, f"{first.label}-2")


def test_figures_in_latex() -> None:
    """Ranges, zero and the unknown are those of print; names stay as they are."""
    cells = ["qwen2.5-7", "a-1", 1, None]
    share = Column("share", "%", kinds.PERCENT)
    rows = [Row([*cells, ".", Figure(61.3, 57.6, 64.8)])]
    one = table(columns=[*COLUMNS, column("B"), share], rows=rows)
    (found,) = tables_in("\n".join(as_latex([one])))
    assert found.rows[1][0] == "qwen2.5-7"
    assert found.rows[1][2:] == ["1", "--", "0", "61.3 (57.6--64.8)"]


def test_intervals_are_in_brackets_where_there_is_room() -> None:
    """Else they are below their figures; the legend says which."""
    kind: Kind[str] = Kind(lambda one: Shown(one, "1-2"))
    columns = [column("model", kinds.NAME), column("a", kind), column("b", kind)]
    one = Table("", "", columns, [Row(["m", "x" * 9, "y" * 9])])
    assert one_table(one, 60)[-2:] == [
        "m      xxxxxxxxx (1-2)  yyyyyyyyy (1-2)",
        "in brackets: 95 % intervals",
    ]
    assert one_table(one, 36)[-3:] == [
        "m      xxxxxxxxx  yyyyyyyyy",
        "             1-2        1-2",
        "below a figure: its 95 % interval",
    ]


@given(HOSTILE)
def test_foreign_text_is_one_cell_of_data(text: str) -> None:
    """In a spreadsheet it is no formula."""
    lines = list(csv_lines([{"model": text}], spreadsheet=True))
    assert len(lines) == 2
    assert not re.match('"[=+\\-@]', lines[1])


@given(HOSTILE)
def test_foreign_text_is_printable_on_the_page(text: str) -> None:
    """In names, figures, heads and notes; the template escapes what is markup."""
    columns = [column("model", kinds.NAME), column(text), column(text, is_named=True)]
    rows = [Row([text, text, text], [text], {"model": text})]
    shown = view(table(columns=columns, rows=rows))
    (line,) = shown.lines
    texts = [head.title for head in shown.heads] + list(line.note)
    for cell in line.cells:
        texts += [cell.shown.text, cell.shown.note, cell.link]
    assert [one for one in texts if not one.isprintable()] == []
    assert not re.search("[\"'<> ]", line.cells[0].link)
