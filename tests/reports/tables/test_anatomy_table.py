"""The table of how answers deviate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_llmarith.evaluate import Trial, number_record
from pytest_llmarith.models import fake
from pytest_llmarith.records import RunSummary, as_dict
from pytest_llmarith.reports.tables.anatomy import anatomy_table
from pytest_llmarith.reports.tables.grids import breakdowns
from pytest_llmarith.tasks import addition, arithmetic
from pytest_llmarith.values import Dtype, Model, NumberProblem, Op, Reading, Reply
from tests.runs_on_disk import summed_up

DOCUMENTATION = Path(__file__).parents[3] / "docs" / "reports.md"
MODEL = Model("llmarith/sloppy", "llmarith/sloppy")
SUMS = [arithmetic.problem(0, Dtype.INT, Op.ADD, 4, trial) for trial in range(8)]


@pytest.fixture(scope="module")
def sloppy() -> RunSummary:
    """The summary of what the benches ask of the fake model that errs."""
    questions = [(one, arithmetic.prompt(one)) for one in arithmetic.problems(0, range(2, 11), 10)]
    sums = [(one, addition.prompt(one)) for one in addition.problems(0, 100)]
    return summed(
        *(_asked(problem, prompt, Reading.TOLERANT) for problem, prompt in questions),
        *(_asked(problem, prompt, Reading.STRICT) for problem, prompt in sums),
    )


def _asked(problem: NumberProblem, prompt: str, reading: Reading) -> dict[str, Any]:
    reply = fake.reply("sloppy", [{"role": "user", "content": prompt}])
    return as_dict(number_record(problem, Trial.of(problem, MODEL, prompt, None), reading, reply))


def recorded(problem: NumberProblem, text: str, model: str = "o4-mini") -> dict[str, Any]:
    return as_dict(
        number_record(
            problem, Trial.of(problem, Model(model, "o4-mini"), "the prompt", None), Reading.TOLERANT, Reply(text)
        )
    )


def summed(*records: dict[str, Any]) -> RunSummary:
    return summed_up(records)


def table(*records: dict[str, Any], width: int = 80) -> list[str]:
    return anatomy_table(summed(*records).results, width)


def test_a_table_of_classes() -> None:
    """Rows are the classes that occur, columns results; what is not there is a dot."""
    right, worded, lost, echoed = SUMS[:4]
    records = [
        recorded(right, right.expected),
        recorded(worded, f"The answer is {worded.expected}."),
        recorded(lost, str(int(lost.expected) - 100)),
        recorded(echoed, f"The answer is {echoed.lhs}"),
        recorded(SUMS[4], f"{SUMS[4].expected}5", "gpt-4o"),
    ]
    assert table(*records)[:-2] == [
        "how answers deviate",
        "class                    o4-mini            gpt-4o",
        "                      arithmetic        arithmetic",
        "--------------------------------------------------",
        "operand echoed   50.0 (9.5-90.5)                 .",
        "carry            50.0 (9.5-90.5)                 .",
        "other length                   .  100.0 (20.7-100)",
        "deviates                       2                 1",
        "right           50.0 (15.0-85.0)    0.0 (0.0-79.3)",
        "right, bare      25.0 (4.6-69.9)    0.0 (0.0-79.3)",
    ]


def test_the_documentation_shows_this_table(sloppy: RunSummary) -> None:
    """docs/reports.md shows what is really drawn, below the tables of cells."""
    lines = anatomy_table(sloppy.results, 80)
    assert breakdowns(sloppy.results, 80)[-len(lines) - 1 :] == ["", *lines]
    assert "\n".join(lines) in DOCUMENTATION.read_text("utf-8"), "\n".join(lines)


def test_nothing_wrong_has_no_table() -> None:
    """A model that makes no mistake, and says nothing but the number, leaves no table behind."""
    assert table(recorded(SUMS[0], SUMS[0].expected)) == []


def test_words_alone_are_shown() -> None:
    """Where all is right and some of it is wrapped in words, the table says what that would cost."""
    lines = table(recorded(SUMS[0], SUMS[0].expected), recorded(SUMS[1], f"It is {SUMS[1].expected}."))
    assert [line.split() for line in lines[4:7]] == [
        ["deviates", "0"],
        ["right", "100.0", "(34.2-100)"],
        ["right,", "bare", "50.0", "(9.5-90.5)"],
    ]


@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize("models", [1, 3, 7])
def test_it_fits(width: int, models: int) -> None:
    """Models that find no place stand in a further table below."""
    records = [recorded(SUMS[0], "7", f"openrouter/deepseek/deepseek-v3.2-exp:{number}") for number in range(models)]
    lines = table(*records, width=width)
    assert max(map(len, lines)) <= width
    assert sum(line.startswith("class") for line in lines) == (models + 2) // 3 or width > 80


@settings(max_examples=30)
@given(name=st.text(st.characters()))
def test_no_line_is_ever_obeyed_by_a_terminal(name: str) -> None:
    """No line of the table holds what a terminal would obey, whatever a model is called."""
    assert all(line.isprintable() for line in table(recorded(SUMS[0], "7", name)))
