"""What a summary says about errors: what counting the records one by one gives."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from statistics import fmean, median
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.evaluate import Trial, number_record, unanswered_record
from pytest_llmarith.grading import carries
from pytest_llmarith.records import as_dict
from pytest_llmarith.tasks import addition, arithmetic
from pytest_llmarith.values import Dtype, ErrorClass, Failure, Model, NumberProblem, Op, Reading, Reply
from tests.runs_on_disk import counted
from tests.tasks.problem_strategies import addition_problems, arithmetic_problems

MODEL = Model("o4-mini", "o4-mini")
SUM = arithmetic.problem(0, Dtype.INT, Op.ADD, 4, 0)
ADDITION = addition.problem(0, 0)


def recorded(problem: NumberProblem, text: str, reading: Reading = Reading.TOLERANT) -> dict[str, Any]:
    return as_dict(number_record(problem, Trial.of(problem, MODEL, "the prompt", None), reading, Reply(text)))


def unanswered(problem: NumberProblem) -> dict[str, Any]:
    return as_dict(unanswered_record(Trial.of(problem, MODEL, "the prompt", None), Failure("timeout")))


def anatomies(*records: dict[str, Any]) -> list[dict[str, Any]]:
    return [result["anatomy"] for result in counted(records)["results"]]


@st.composite
def records(draw: st.DrawFn) -> dict[str, Any]:
    """Of right, wrong, wordy and missing answers to questions of both tasks."""
    problem = draw(arithmetic_problems(depth=st.integers(1, 40)) | addition_problems())
    number = draw(st.sampled_from([problem.expected, *problem.operands]) | st.integers(-(10**9), 10**9).map(str))
    text = draw(st.sampled_from(["{}", "The answer is {}.", "no idea"])).format(number)
    return recorded(problem, text, draw(st.sampled_from(Reading)))


@given(st.lists(records(), max_size=20))
def test_counts_are_those_of_a_recount(records: list[dict[str, Any]]) -> None:
    """Classes, means and strata; in whatever order records arrive."""
    for task in {record["task"] for record in records}:
        mine = [record for record in records if record["task"] == task]
        (one,) = anatomies(*reversed(mine))
        assert one == anatomies(*mine)[0]
        _check(one, mine)


def _check(found: dict[str, Any], records: list[dict[str, Any]]) -> None:
    grades = [record["grade"] for record in records if record["grade"]]
    deviates = [grade for grade in grades if grade["error_class"]]
    classes = Counter(grade["error_class"] for grade in deviates)
    assert {one["class"]: one["count"] for one in found["classes"]} == {str(one): classes[one] for one in ErrorClass}
    for measure in ("digit_match", "dlength"):
        mean = fmean(grade[measure] for grade in grades) if grades else None
        assert found[measure] == (mean if mean is None else pytest.approx(mean, abs=1e-4))
    leading = [grade["leading_digits"] for grade in deviates]
    assert found["leading_digits"] == (median(leading) if leading else None)
    _check_carries(found, records)
    assert found["strict"]["measured"] == len(records)


def _check_carries(found: dict[str, Any], records: list[dict[str, Any]]) -> None:
    strata: Counter[tuple[int, bool]] = Counter()
    for record in records:
        problem = record["problem"]
        lhs, rhs = (Decimal(problem.get(name) or problem[other]) for name, other in (("lhs", "int1"), ("rhs", "int2")))
        if counted := carries(Op(problem.get("op", Op.ADD)), lhs, rhs):
            strata[counted.number, record["outcome"] == "correct"] += 1
    for stratum in found["carries"]:
        correct, wrong = strata.pop((stratum["carries"], True), 0), strata.pop((stratum["carries"], False), 0)
        assert (stratum["correct"], stratum["measured"]) == (correct, correct + wrong)
    assert not strata


def test_positions_are_of_deviates_that_keep_their_places() -> None:
    """A missing digit moves all others: such an answer is in no position, and neither is a correct one."""
    truth = str(int(SUM.expected))
    last, first = ("1" if truth[-1] != "1" else "2"), ("1" if truth[0] != "1" else "2")
    texts = [truth, truth[:-1] + last, first + truth[1:], truth[1:]]
    (found,) = anatomies(*(recorded(SUM, text) for text in texts))
    size = len(truth)
    wrong = [0] * size
    wrong[0] = wrong[-1] = 1
    assert found["positions"]["from_left"] == [
        {"position": place, "wrong": count, "digits": 2} for place, count in enumerate(wrong, start=1)
    ]
    assert found["positions"]["from_right"] == found["positions"]["from_left"]
    assert found["by_variant"]["int_add"]["positions"] == found["positions"]


def test_positions_end_somewhere() -> None:
    """Thirty from either end are enough for every question of the benches."""
    problem = arithmetic.problem(0, Dtype.INT, Op.MUL, 60, 0)
    (found,) = anatomies(recorded(problem, str(int(problem.expected) + 1)))
    assert [len(end) for end in found["positions"].values()] == [30, 30]


@pytest.mark.parametrize("reading", Reading)
def test_format_discipline(reading: Reading) -> None:
    """Whichever reading counts, both are compared: a right number with words around it is only tolerantly right."""
    texts = [SUM.expected, f"The answer is {SUM.expected}.", "The answer is 7.", "no idea", "7"]
    (found,) = anatomies(*(recorded(SUM, text, reading) for text in texts), unanswered(SUM))
    assert found["strict"] == {"tolerant_correct": 2, "strict_correct": 1, "measured": 5, "only_tolerant": 1}


def test_nothing_measured_is_an_anatomy_of_nothing() -> None:
    """A number task has an anatomy even where everything is unanswered; no share and no mean stands in it."""
    (found,) = anatomies(unanswered(ADDITION))
    assert {one["percentage"] for one in found["classes"]} == {None}
    assert found["digit_match"] is found["dlength"] is found["leading_digits"] is None
    assert found["carries"] == found["longest_chain"] == []
