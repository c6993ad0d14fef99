"""What a summary says about errors: counts of the records one by one, and the table of
docs/errors.md.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.evaluate import AskedTrial, unanswered_record
from pytest_llmarith.exact import carries
from pytest_llmarith.records import Record, Reply
from pytest_llmarith.results.load import load_runs
from pytest_llmarith.results.summary import Summary
from pytest_llmarith.summaries import unknown_run
from pytest_llmarith.tasks import arithmetic
from pytest_llmarith.tasks.task import TaskProblem
from pytest_llmarith.types import Dtype, ErrorClass, Failure, Model, Op, Reading
from tests.asked import number_record, operands
from tests.golden.shape import shape_of
from tests.tasks.problem_strategies import addition_problems, arithmetic_problems

TRANSCRIPTS = Path(__file__).parents[3] / "shared" / "transcripts"
DOCUMENTATION = Path(__file__).parents[2] / "docs" / "errors.md"
MODEL = Model("o4-mini", "o4-mini")
SUM = arithmetic.problem(0, Dtype.INT, Op.ADD, 4, 0)


def recorded(
    problem: TaskProblem, text: str | None, reading: Reading = Reading.TOLERANT
) -> Record:
    trial = AskedTrial.of(problem, MODEL, "the prompt", None)
    return (
        unanswered_record(trial, Failure("x"))
        if text is None
        else number_record(problem, trial, reading, Reply(text))
    )


def errors_of(records: Iterable[Record]) -> dict[str, Any]:
    """The only result's errors."""
    summary = Summary()
    for record in records:
        summary.add(record)
    (result,) = summary.of_run(unknown_run("run")).results
    errors: dict[str, Any] = shape_of(result)["errors"]
    return errors


def strata_of(records: Iterable[Record]) -> list[dict[Any, Any]]:
    """The only result's answers by carries."""
    summary = Summary()
    for record in records:
        summary.add(record)
    (result,) = summary.of_run(unknown_run("run")).results
    return [*shape_of(result)["strata"].get("carries", [])]


@st.composite
def trials(draw: st.DrawFn) -> Record:
    """Right, wrong, wordy and missing answers to questions of both tasks."""
    problem = draw(arithmetic_problems(depth=st.integers(1, 40)) | addition_problems())
    number = draw(
        st.sampled_from([problem.expected, *operands(problem)])
        | st.integers(-(10**9), 10**9).map(str)
    )
    text = draw(st.sampled_from(["{}", "The answer is {}.", "no idea"])).format(number)
    return recorded(problem, text, draw(st.sampled_from(Reading)))


@given(st.lists(trials(), max_size=20))
def test_counts_are_those_of_a_recount(records: list[Record]) -> None:
    """Classes, means and strata, in whatever order records arrive."""
    for task in {record.task for record in records}:
        mine = [record for record in records if record.task == task]
        found = errors_of(mine)
        assert errors_of(reversed(mine)) == found
        grades = [record.number for record in mine if record.number]
        deviates = [grade for grade in grades if grade.error_class]
        classes = Counter(grade.error_class for grade in deviates)
        assert {one["class"]: one["count"] for one in found["classes"]} == {
            one: classes[one] for one in ErrorClass
        }
        for measure in ("digit_match", "dlength"):
            mean = (
                fmean(getattr(grade, measure) for grade in grades) if grades else None
            )
            assert found[measure] == (
                mean if mean is None else pytest.approx(mean, abs=1e-4)
            )
        strata: Counter[tuple[int, bool]] = Counter()
        for record in mine:
            problem: Any = record.problem
            names = ("lhs", "rhs") if task == "arithmetic" else ("int1", "int2")
            numbers = (Decimal(problem.inputs[name]) for name in names)
            op = Op((problem.variant or "int_add").partition("_")[2])
            if record.outcome != "unanswered" and (counted := carries(op, *numbers)):
                strata[counted.number, record.outcome == "correct"] += 1
        assert {
            (one["value"], one["correct"], one["measured"]) for one in strata_of(mine)
        } == {
            (number, strata[number, True], strata[number, True] + strata[number, False])
            for number, _ in strata
        }


def test_positions_are_of_answers_that_keep_their_places() -> None:
    """A missing digit moves all others: such an answer is in no position, and neither
    is a correct one.
    """
    truth = SUM.expected
    last, first = ("1" if truth[-1] != "1" else "2"), ("1" if truth[0] != "1" else "2")
    found = errors_of(
        recorded(SUM, text)
        for text in (truth, truth[:-1] + last, first + truth[1:], truth[1:])
    )
    wrong = [1, *[0] * (len(truth) - 2), 1]
    expected = [
        {"position": place, "wrong": count, "digits": 2}
        for place, count in enumerate(wrong, start=1)
    ]
    assert found["positions"] == {"from_left": expected, "from_right": expected}
    assert found["by_variant"]["int_add"]["positions"] == found["positions"]
    long = arithmetic.problem(0, Dtype.INT, Op.MUL, 60, 0)
    ends = errors_of([recorded(long, str(int(long.expected) + 1))])["positions"]
    assert [len(end) for end in ends.values()] == [30, 30]


@pytest.mark.parametrize("reading", Reading)
def test_both_readings_are_compared(reading: Reading) -> None:
    """A right number with words around it is right by the tolerant reading only,
    whichever was graded.
    """
    texts = [
        SUM.expected,
        f"The answer is {SUM.expected}.",
        "The answer is 7.",
        "no idea",
        "7",
        None,
    ]
    found = errors_of(recorded(SUM, text, reading) for text in texts)
    assert found["strict"] == {"tolerant_correct": 2, "strict_correct": 1}


# --- the table of docs/errors.md ------------------------------------------------------


@pytest.mark.proof
@pytest.mark.skipif(
    not TRANSCRIPTS.is_dir(), reason="the transcripts are not beside the project"
)
def test_the_classes_of_the_transcripts() -> None:
    """docs/errors.md counts the classes of the deviates of thirteen runs."""
    records = [
        one for run in load_runs(TRANSCRIPTS) for one in run.records() if one.reply
    ]
    for record in records:
        record.model = "all"
    found = {one["class"]: one["count"] for one in errors_of(records)["classes"]}
    rows = re.findall(
        r"^\| `(.+?)` \| .+ \| (\d+) \|$",
        DOCUMENTATION.read_text("utf-8"),
        re.MULTILINE,
    )
    assert {name: int(count) for name, count in rows} == found
    assert sum(found.values()) == 3287
