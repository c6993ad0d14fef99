"""The tables of a run: what they say of its results."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from pytest_llmarith.report.render.terminal import one_table
from pytest_llmarith.report.report import screen
from pytest_llmarith.report.sections import Results, overview, sections
from pytest_llmarith.report.series import results_of
from pytest_llmarith.types import Condition, NumberFormat
from pytest_llmarith.views.table import Level, Table
from tests.runs_on_disk import added, asked, programmed, said, searched, summed_up

COMMA = Condition(NumberFormat.COMMA).fields()


def table_of(key: str, records: Iterable[dict[str, Any]]) -> Table:
    """A table of a run, with all details."""
    summary = summed_up(records)
    results = Results(results_of(summary), summary.contrasts("model"), summary)
    (found,) = [
        table
        for one in sections(results, Level.FULL)
        for table in one.tables
        if table.key == key
    ]
    return found


def lines(table: Table) -> list[str]:
    """The lines below the title, with one space between words, without the rule and the
    legend.
    """
    columns = [replace(column, explained=False) for column in table.columns]
    text = one_table(replace(table, columns=columns, legend=""), 200)
    del text[0]
    words = [" ".join(line.split()) for line in text if "---" not in line]
    return [line for line in words if line != "in brackets: 95 % intervals"]


def of_letters(*texts: str, **named: Any) -> list[dict[str, Any]]:
    """Repeats of problems, a text for each repeat: `r` is right, `-` unanswered."""
    replies = {"r": "{}", "w": "7", "-": None}
    return [
        asked(replies[letter], trial=trial) | named | {"repeat": repeat}
        for repeat, text in enumerate(texts)
        for trial, letter in enumerate(text)
    ]


@pytest.mark.parametrize("width", [80, 100, 160])
@pytest.mark.parametrize(
    "model",
    ["o4-mini", "openrouter/deepseek/deepseek-v3.2-exp-thinking", "m\u202e\x1b" * 100],
)
def test_everything_fits(width: int, model: str) -> None:
    """Names and reasons are printable."""
    records = [asked("7", depth=depth, model=model) for depth in range(2, 61)]
    records += [
        asked("?", trial=1, model=model) | {"reason": model},
        asked(None, trial=2, model=model),
    ]
    records += [added("{}", trial, model=model) for trial in range(30)]
    conditions = [
        one | {"condition": COMMA, "repeat": repeat}
        for one in records[:9]
        for repeat in range(2)
    ]
    other_words = [one | {"prompt": said("with commas")} for one in conditions]
    section = screen(
        summed_up([*records, *other_words, programmed(model, model)]),
        width,
        Level.FULL,
    )
    assert max(map(len, section)) <= width
    assert all(line.isprintable() for line in section)
    assert sum("what conditions do" in line for line in section) == 1


@pytest.mark.parametrize(
    ("records", "note"),
    [
        ([asked("{}")], ""),
        ([asked("{}"), asked(None, trial=1)], "incomplete, 1 of 2"),
        (
            [
                asked("?") | {"reason": reason}
                for reason in ("truncated", "empty", "truncated")
            ],
            "2 of 3 truncated: 0.0 % correct with them, 0.0 (0.0-79.3) % without; nan: 2 truncated, 1 empty",
        ),
        (
            [asked("?") | {"reason": "truncated"}],
            "1 of 1 truncated; nan: 1 truncated",
        ),
        ([asked("{}"), asked("{}", trial=1, cost_usd=None)], "1 unpriced"),
    ],
)
def test_what_has_to_be_known_of_a_row(
    records: list[dict[str, Any]], note: str
) -> None:
    rows = results_of(summed_up(records))
    assert [row.note for row in overview(rows, Level.FULL).rows] == [note]


def test_fake_models_are_marked_in_the_head() -> None:
    rows = results_of(summed_up([asked("{}") | {"simulated": True}]))
    assert lines(overview(rows, Level.BRIEF))[1].startswith(
        "o4-mini (simulated) arithmetic "
    )


@pytest.mark.parametrize(
    ("right", "trials", "shown"),
    [
        ([20, 20, 20, 20], 20, "> 5"),
        ([0, 0, 0, 0], 20, "< 2"),
        ([1, 1], 1, r"> 3 \(any depth\)"),
        ([0, 0], 1, r"< 2 \(any depth\)"),
        ([0, 1], 1, r"unknown \(any depth\)"),
        ([20, 20, 0, 0], 20, r"3\.5 \(3\.\d to [34]\.\d\)"),
        ([20, 16, 14, 12], 20, r"> 5 \(4\.\d to >5\)"),
        ([20, 0, 0, 20], 20, ".*, no fit"),
    ],
)
def test_d50_has_no_number_outside_of_the_depths(
    right: list[int], trials: int, shown: str
) -> None:
    """One that does not fit says so."""
    records = [
        asked("{}" if trial < count else "7", depth, trial)
        for depth, count in enumerate(right, 2)
        for trial in range(trials)
    ]
    header, row = lines(table_of("thresholds", records))
    assert header == "variant o4-mini"
    assert re.fullmatch(f"int_add ({shown})", row)


def test_bounds_are_no_interval() -> None:
    """If a cell has no reply, a note says between what the percentage lies; columns of
    intervals have none.
    """
    records = [*(asked("{}", 2, trial) for trial in range(3)), asked(None, depth=3)]
    (row,) = table_of("overview", records).rows
    assert "75.0 to 100.0 %" in row.note
    assert "75.0-100" not in " ".join(lines(table_of("overview", records)))
    assert lines(table_of("cells", records))[-1].startswith("all % 100 -")


def test_what_conditions_do() -> None:
    """What has the same prompt in both conditions is left out and counted."""
    comma = of_letters("rwwwwwrrw", condition=COMMA)
    other_words = [record | {"prompt": said("with commas")} for record in comma[:-1]]
    records = [*of_letters("rrrrrwwrw"), *other_words, comma[-1]]
    assert lines(table_of("effects", records)) == [
        "model task condition beside problems correct % beside % difference better "
        "worse p",
        "o4-mini arithmetic numbers_comma usual 8 37.5 75.0 -37.5 (-69.3 to +12.5) 1 4 "
        "0.3750",
        "numbers_comma (o4-mini, arithmetic): 1 problem with the same prompt, left out",
    ]


def test_repeats() -> None:
    """Results without repeats are left out. The overview has a note."""
    repeated = of_letters("rw", "rr", condition=COMMA)
    records = [*repeated, *(one | {"model": "once"} for one in of_letters("r"))]
    _, row = lines(table_of("repeats", records))
    assert re.fullmatch(
        r"o4-mini, numbers_comma arithmetic 2 2 50\.0 \S+ 75\.0 \S+ 100\.0 50\.0 \S+",
        row,
    )
    _, row = lines(table_of("noise", records))
    assert re.fullmatch(
        r"o4-mini, numbers_comma arithmetic 50\.0 \S+ 50\.0 \S+ 98\.0", row
    )
    notes = [row.note for row in table_of("overview", records).rows]
    assert ["2 problems, asked 2 times each" in note for note in notes] == [True, False]


def test_searches_have_no_percentages() -> None:
    table = table_of("overview", [searched(ended="nothing found")])
    assert "%" not in " ".join(lines(table))


def test_sets() -> None:
    """Scores by limit, and below them what has to be known."""
    wrong = {"n": 1, "expected": "1", "got": "2", "status": "wrong", "seconds": 9}
    nothing: dict[str, Any] = {"scores": {"0.5": 0, "4": 0}, "terms": [wrong]}
    records = [programmed("A1"), programmed("A2", **nothing)]
    records[0]["grade"]["details"]["values"]["isolation"]["level"] = "none"
    table = table_of("scores", records)
    assert lines(table)[1].startswith("o4-mini oeis starter 0.5 s 2 33.3 ")
    assert table.notes == [
        "starter: terms: 2 ok, 2 wrong",
        "starter: cheating 0.0 (0.0-65.8) %",
        "starter: 1 programs ran without a sandbox, with the rights of this user",
        "starter: 1 of 2 unsolved: A2",
    ]
