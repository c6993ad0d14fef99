"""What repeats of problems say together."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from pytest_llmarith.records import Result, convert
from pytest_llmarith.reports.formats.results import HEADERS, rows_of
from pytest_llmarith.reports.tables.overview import ResultOfRun, note_of
from pytest_llmarith.reports.tables.repeats import repeat_table
from tests.runs_on_disk import added, asked, counted, programmed

Record = dict[str, Any]


def repeated(*texts: str | None, trial: int = 0) -> list[Record]:
    """One problem and what was replied to it, time after time."""
    return [asked(text, trial=trial) | {"repeat": repeat} for repeat, text in enumerate(texts)]


def result_of(*records: Record) -> Record:
    (result,) = counted(records)["results"]
    return dict(result)


def row_of(result: Record) -> ResultOfRun:
    return ResultOfRun(convert(result, Result))


def table_of(*results: Record) -> list[str]:
    return repeat_table([convert(result, Result) for result in results], 80)


def repeats_of(*records: Record) -> Record | None:
    repeats: Record | None = result_of(*records)["repeats"]
    return repeats


def percent(facts: Record | None) -> float | None:
    return facts["percent"] if facts else None


def test_asked_once_there_are_none() -> None:
    """What was asked once has no repeats."""
    assert repeats_of(asked("{}"), asked("7", trial=1)) is None


def test_what_repeats_say() -> None:
    """Two of four problems are consistent, one of them in being wrong; the majority is right twice."""
    repeats = repeats_of(
        *repeated("{}", "{}", "{}", trial=0),
        *repeated("7", "7", "7", trial=1),
        *repeated("{}", "7", "{}", trial=2),
        *repeated("", "8", "9", trial=3),
    )
    assert repeats is not None
    assert (repeats["k"], repeats["problems"]) == (3, 4)
    assert percent(repeats["consistency"]) == 50
    assert percent(repeats["pass_at_1"]) == pytest.approx(100 * 5 / 12, abs=1e-4)
    assert repeats["pass_at_k"] == [{"k": 1, "percent": 41.6667}, {"k": 2, "percent": 50}, {"k": 3, "percent": 50}]
    assert percent(repeats["majority"]) == 50


def test_the_interval_is_wider_than_that_of_all_trials() -> None:
    """As a problem's repeats are alike: ten times the same answer say no more than one."""
    records = [
        record
        for trial in range(10)
        for record in repeated(*(["{}" if trial < 5 else "7"] * 10), trial=trial)
    ]  # fmt: skip
    result = result_of(*records)
    clustered, independent = result["repeats"]["pass_at_1"], result["percentages"]["correct"]
    assert clustered["percent"] == independent["percent"] == 50
    assert clustered["low"] < 24 < 40 < independent["low"]


def test_the_same_number_is_the_same_answer() -> None:
    """Repeats whose answers are the same number agree, however it was written."""
    repeats = repeats_of(*repeated("{}", "{}.0", "The answer is {}."))
    assert repeats is not None
    assert percent(repeats["consistency"]) == 100


def test_no_answer_agrees_with_nothing() -> None:
    """A reply without an answer agrees with nothing and has no vote; a problem of such is not right."""
    repeats = repeats_of(*repeated("", "", trial=0), *repeated("", "{}", trial=1))
    assert repeats is not None
    assert percent(repeats["consistency"]) == 0
    assert percent(repeats["majority"]) == 50


def test_of_equal_votes_the_first_counts() -> None:
    """Of answers with equal votes the first in the order of repeats counts, whichever came first."""
    right, wrong = repeated("{}", "7", trial=0), repeated("7", "{}", trial=1)
    repeats = repeats_of(*reversed(right), *wrong)
    assert repeats is not None
    assert percent(repeats["majority"]) == 50


def test_an_outage_is_in_no_figure() -> None:
    """What has one reply cannot agree, and is in no pass@2; what has none is no problem."""
    repeats = repeats_of(*repeated("{}", None, trial=0), *repeated(None, None, trial=1), *repeated("7", "7", trial=2))
    assert repeats is not None
    assert (repeats["k"], repeats["problems"]) == (2, 2)
    assert percent(repeats["consistency"]) == 100
    assert repeats["pass_at_k"] == [{"k": 1, "percent": 50}, {"k": 2, "percent": 0}]


def test_nothing_but_outages() -> None:
    """Of repeats that are all unanswered every figure is unknown, and can be shown."""
    result = result_of(*repeated(None, None))
    nothing: Record = {"k": 2, "problems": 0, "consistency": None, "pass_at_1": None, "pass_at_k": [], "majority": None}
    assert result["repeats"] == nothing
    assert table_of(result)
    assert "0 problems, 2 times each" in note_of(row_of(result))


def test_a_run_that_was_broken_off() -> None:
    """Not every problem was put as often as it was to be, and nobody is told that it was."""
    result = result_of(*repeated("{}", "{}", "7", trial=0), *repeated("{}", trial=1))
    assert "2 problems, up to 3 times each: pass@1" in note_of(row_of(result))
    assert table_of(result)[3].split()[:4] == ["o4-mini", "up", "to", "3"]


def test_programs_are_told_apart_by_what_they_print() -> None:
    """Two programs that print the same have the same answer; a sequence in two sets is one problem."""
    other: list[Record] = programmed("A000045")["oeis"]["terms"][:2]
    records = [
        programmed("A000045") | {"repeat": 0},
        programmed("A000045", program="another") | {"repeat": 1},
        programmed("A000108") | {"repeat": 0},
        programmed("A000108", terms=other) | {"repeat": 1},
    ]
    in_two = [record | {"problem": record["problem"] | {"set": "easy"}} for record in records]
    repeats = repeats_of(*records, *in_two)
    assert repeats is not None
    assert repeats["problems"] == 2
    assert percent(repeats["consistency"]) == 50


def test_the_order_of_arrival_changes_nothing() -> None:
    """The figures of repeats are the same in whatever order several workers answer."""
    records = [added(text, trial) | {"repeat": repeat} for trial in range(6) for repeat, text in enumerate("5{}")]
    shuffled = [*records]
    Random(1).shuffle(shuffled)
    assert repeats_of(*records) == repeats_of(*shuffled)


def test_many_repeats_show_some_ks() -> None:
    """Of many repeats every k to 5 is shown, then round ones, and the last."""
    repeats = repeats_of(*repeated(*["{}"] * 12))
    assert repeats is not None
    assert [tries["k"] for tries in repeats["pass_at_k"]] == [1, 2, 3, 4, 5, 10, 12]


def test_the_table_and_the_note() -> None:
    """The note below the overview's row says whose interval to believe; the table names the condition."""
    condition = {"numbers": "comma", "symbols": "ascii", "context": None, "prompt": None, "system": None}
    result = result_of(*(record | {"condition": condition} for record in repeated("{}", "7")))
    assert note_of(row_of(result)).endswith("1 problem, 2 times each: pass@1 50.0 (5.5-94.5), clustered by problem")
    table = table_of(result, result_of(asked("{}")))
    assert max(map(len, table)) <= 80
    assert [line.split() for line in table[:5]] == [
        ["model", "times", "same", "%", "pass@1", "%", "pass@k", "%", "majority", "%"],
        ["task", "problems", "95", "%", "95", "%", "95", "%"],
        ["-" * len(table[2])],
        ["o4-mini", "2", "0.0", "50.0", "100.0", "100.0"],
        ["arithmetic,", "numbers_comma", "1", "0.0-79.3", "5.5-94.5", "k", "=", "2", "20.7-100"],
    ]
    assert table_of(result_of(asked("{}"))) == []


def test_repeats_in_a_spreadsheet() -> None:
    """Repeats have columns of their own, which are empty where every problem was put once."""
    several, once = result_of(*repeated("{}", "7")), result_of(asked("{}"))
    rows = [dict(zip(HEADERS, row, strict=True)) for row in rows_of([row_of(several), row_of(once)])]
    assert [(row["repeats"], row["problems"], row["pass_at_1_percent"]) for row in rows] == [
        (2, 1, 50.0),
        (None, None, None),
    ]
