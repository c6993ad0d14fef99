"""The tables of what conditions do, and of repeats."""

from __future__ import annotations

from typing import Any

from pytest_llmarith.records import Result
from pytest_llmarith.reports.formats.results import HEADERS, rows_of
from pytest_llmarith.reports.tables.effects import effect_table
from pytest_llmarith.reports.tables.overview import ResultOfRun, note_of
from pytest_llmarith.reports.tables.repeats import repeat_table
from pytest_llmarith.values import Condition, NumberFormat
from tests.runs_on_disk import asked, summed_up

COMMA = Condition(NumberFormat.COMMA).fields()


def asked_of(letter: str, trial: int, **named: Any) -> dict[str, Any]:
    """The record of a trial: `r` has the right reply, any other letter a wrong one."""
    return asked("{}" if letter == "r" else "7", trial=trial) | named


def results(*texts: str, **named: Any) -> list[Result]:
    """The results of some repeats, a text each, with a letter for each problem."""
    return summed_up(
        asked_of(letter, trial, repeat=repeat, **named)
        for repeat, text in enumerate(texts)
        for trial, letter in enumerate(text)
    ).results


def test_what_conditions_do() -> None:
    """Two lines for each condition; what has the same prompt is left out and counted. Names fit the width."""
    usual = [asked_of(letter, trial) for trial, letter in enumerate("rrrrrwwr-")]
    comma = [asked_of(letter, trial, condition=COMMA) for trial, letter in enumerate("rwwwwwrr-")]
    other_words = [record | {"prompt": "with commas"} for record in comma[:-1]]
    found = summed_up([*usual, *other_words, comma[-1]])
    table = effect_table(found.effects, found.same_words, 80)
    assert table[4].split() == ["numbers_comma", "8", "37.5", "-37.5", "1", "0.3750"]
    assert table[5].split() == ["o4-mini,", "arithmetic", "75.0", "-69.3", "to", "+12.5", "4"]
    assert table[-1] == "numbers_comma (o4-mini, arithmetic): 1 problem put in the same words, left out"
    found.effects[0].model = "m" * 90 + "\x1b[2J"
    assert all(len(line) <= 80 and line.isprintable() for line in effect_table(found.effects, [], 80))
    assert effect_table([], [], 80) == []


def test_repeats() -> None:
    """A row for each result whose problems were asked several times, and a note in the overview."""
    (result,) = results("rw", "rr", condition=COMMA)
    table = repeat_table([result, *results("r")], 80)
    assert table[3].split() == ["o4-mini", "2", "50.0", "75.0", "100.0", "50.0"]
    assert table[4].split()[:3] == ["arithmetic,", "numbers_comma", "2"]
    assert "k = 2" in table[4]
    assert max(map(len, table)) <= 80
    assert "2 problems, 2 times each: pass@1 75.0" in note_of(ResultOfRun(result))
    assert repeat_table(results("r"), 80) == []


def test_repeats_in_a_spreadsheet() -> None:
    rows = [
        dict(zip(HEADERS, row, strict=True))
        for row in rows_of([*map(ResultOfRun, [*results("r", "w"), *results("r")])])
    ]
    shown = [(row["repeats"], row["problems"], row["pass_at_1_percent"]) for row in rows]
    assert shown == [(2, 1, 50.0), (None, None, None)]
