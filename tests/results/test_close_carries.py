"""Why sums fail: the fit of accuracy by close carries to sums that are made by it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec import structs

from pytest_llmarith.evaluate import AskedTrial
from pytest_llmarith.figures.count import count
from pytest_llmarith.figures.estimates import Result
from pytest_llmarith.figures.own_measures import FAILED
from pytest_llmarith.records import Record, Reply
from pytest_llmarith.tasks import addition
from pytest_llmarith.tasks.checks import bound
from pytest_llmarith.tasks.close_carries import close_carries
from pytest_llmarith.tasks.registry import register_built_in
from pytest_llmarith.types import Model
from tests.asked import number_record


@pytest.mark.parametrize(
    ("int1", "int2", "number"),
    [
        ("45", "55", 1),  # 5 + 5 carries in any case, 4 + 5 only with it
        ("44", "54", 1),
        ("45", "54", 1),  # the last column receives no carry
        ("5", "4", 0),
        ("999", "1", 2),
        ("1", "999", 2),
        ("18", "27", 0),
        ("0", "0", 0),
    ],
)
def test_a_close_carry_depends_on_the_carry_before(
    int1: str, int2: str, number: int
) -> None:
    assert close_carries(int1, int2) == number


def result_of(sums: Sequence[tuple[int, int, str]], repeats: int = 1) -> Result:
    """The result of these sums, with the replies to them."""
    register_built_in()
    records: list[Record] = []
    for trial, (int1, int2, reply) in enumerate(sums):
        problem = bound(addition.TASK, 0, addition.problem_of(int1, int2, trial))
        asked = AskedTrial.of(problem, Model("m", "openai/some"), "?", None)
        for repeat in range(repeats):
            one = number_record(problem, asked, None, Reply(reply))
            records.append(structs.replace(one, repeat=repeat))
    (result,) = count(records)
    return result


def test_sums_are_counted_by_their_close_carries() -> None:
    """And the chance that one fails is fitted to those with one or more."""
    none = [(11, 12, "23")] * 3 + [(11, 12, "24")]
    one = [(45, 55, "100")] * 9 + [(45, 55, "90")]
    two = [(455, 545, "1000")] * 80 + [(455, 545, "990")] * 19 + [(455, 545, "dunno")]
    result = result_of([*none, *one, *two], repeats=2)  # of which the first one counts
    observed = {at: one[:4] for (_, at), one in result.all("close_carries").items()}
    assert {at: (value, n) for at, (value, _, _, n) in observed.items()} == {
        "0": (75, 4),
        "1": (90, 10),
        "2": (80, 100),
    }
    failure = result.get("close_carry_failure")
    assert failure is not None
    assert failure.value == pytest.approx(10.5, abs=0.1)
    assert failure.n == 110
    kept = 1 - float(failure.value or 0) / 100
    fitted = {
        at: one.value for (_, at), one in result.all("close_carries_fitted").items()
    }
    expected = {"0": 100, "1": 100 * kept, "2": 100 * kept**2}
    assert fitted == pytest.approx(expected, abs=0.01)
    assert result.value("close_carry_fit") == "too few to test"
    three = [(4555, 5445, "10000")] * 70 + [(4555, 5445, "9")] * 30
    tested = result_of([*two, *three])
    assert float(tested.value("close_carry_fit")) > 0.5
    assert tested.value("close_carry_fit", "df") == 1


def test_a_sum_without_operands_costs_only_these_figures() -> None:
    register_built_in()
    problem = bound(addition.TASK, 0, addition.problem_of(45, 55, 0))
    asked = AskedTrial.of(problem, Model("m", "openai/some"), "?", None)
    one = number_record(problem, asked, None, Reply("100"))
    strange = structs.replace(one.problem, inputs={"int1": "-4x", "int2": "5"})
    (result,) = count([structs.replace(one, problem=strange)])
    assert result.count("correct") == 1
    assert {one.method for one in result.all("close_carries").values()} == {FAILED}
