"""How probable answers were to the model: figures that are worked out by hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from pytest_llmarith.evaluate import AskedTrial
from pytest_llmarith.figures.count import count
from pytest_llmarith.figures.estimates import Result
from pytest_llmarith.records import Record, Reply, Request, TokenLogprob
from pytest_llmarith.report.remarks import remarks
from pytest_llmarith.statistics.calibration import Bin, area_under_curve, equal_bins
from pytest_llmarith.types import Message, Model
from pytest_llmarith.views.places import Here
from pytest_llmarith.views.table import Level
from tests.asked import calculation, number_record

Tokens = Sequence[tuple[str, float]]


def answered(
    lhs: int,
    tokens: Tokens,
    others: dict[str, float] | None = None,
    text: str | None = None,
) -> Record:
    """The record of `lhs + 1` with tokens of these probabilities in the reply."""
    problem = calculation("int_add", str(lhs), "1", str(lhs + 1), trial=lhs)
    found = []
    start = 0
    for shown, probability in tokens:
        logprob = log(probability) if probability else None
        found.append(TokenLogprob(start, shown, logprob, others or {}))
        start += len(shown)
    sent = Request("m", None, [Message("user", "?")], {"logprobs": True})
    told = "".join(shown for shown, _ in tokens) if text is None else text
    reply = Reply(told, logprobs=tuple(found), sent=sent)
    trial = AskedTrial.of(problem, Model("m", "openai/some"), "?", None)
    return number_record(problem, trial, None, reply)


def result_of(records: Iterable[Record]) -> Result:
    (result,) = count(records)
    return result


def values(result: Result, key: str) -> dict[str, object]:
    return {at: figure.value for (_, at), figure in result.all(key).items()}


def test_the_answer_is_as_probable_as_all_its_tokens_together() -> None:
    right = answered(9, [("1", 0.8), ("0", 0.5)])
    wrong = answered(8, [("1", 0.2)])
    found = result_of([right, wrong])
    probable = {"": 30, "right": 40, "wrong": 20}
    assert values(found, "answer_probability") == pytest.approx(probable)
    least = values(found, "least_digit_probability")
    assert least == pytest.approx({"": 35, "right": 50, "wrong": 20})
    assert values(found, "confidence_auc") == {"": 100, "least digit": 100}
    # Two bins, of which one is right and 40 % probable, the other wrong and 20 %.
    assert found.value("calibration_error") == pytest.approx(40)
    assert list(found.all("reliability")) == [("predicted", "20"), ("predicted", "40")]


def test_probability_and_accuracy_by_position() -> None:
    found = result_of([answered(122, [("12", 0.5), ("4", 0.25)])])  # of 123
    probable = {key: one.value for key, one in found.all("digit_probability").items()}
    assert probable == {
        ("from_left", "1"): 50,
        ("from_left", "2"): 50,
        ("from_left", "3"): 25,
        ("from_right", "1"): 25,
        ("from_right", "2"): 50,
        ("from_right", "3"): 50,
        ("in token of 2", "1"): 50,
        ("in token of 2", "2"): 50,
    }
    right = {key: one.value for key, one in found.all("digit_accuracy").items()}
    assert right["from_left", "3"] == right["from_right", "1"] == 0
    assert right["from_left", "1"] == right["from_left", "2"] == 100


@pytest.mark.parametrize(
    ("tokens", "others", "among"),
    [
        ([("1", 0.5), ("3", 0.5)], {" 2": -2.0}, 100),
        ([("1", 0.5), ("3", 0.5)], {"1": -2.0, "2.": -3.0}, 100),
        ([("1", 0.5), ("3", 0.5)], {"1": -2.0}, 0),
        ([("13", 0.5)], {"12": -2.0}, 100),  # a token of two digits
        ([("13", 0.5)], {"23": -2.0, "2": -3.0}, 0),
        ([("1", 0.5), ("3", 0.5)], {}, None),  # the others are not known
        ([("1", 0.5), ("2", 0.5)], {"3": -2.0}, None),  # right
    ],
)
def test_the_right_digit_among_the_first_five(
    tokens: Tokens, others: dict[str, float], among: float | None
) -> None:
    found = result_of([answered(11, tokens, others)])  # 12
    assert found.value("right_among_five") == among


def test_answers_without_probability_are_counted_and_told() -> None:
    known = answered(9, [("1", 0.8), ("0", 0.5)])
    unknown = answered(8, [("9", 0)])  # a token without a log probability
    elsewhere = answered(7, [("6", 0.5)], text="It is 8.")  # of another text
    found = result_of([known, unknown, elsewhere]).get("confident")
    assert found is not None
    assert (found.value, found.n) == (1, 3)
    none = Here(result_of([unknown, elsewhere]), "m")
    assert "no log probabilities with 2 answers" in remarks(none, Level.BRIEF)


def test_a_certain_answer_and_an_impossible_one() -> None:
    found = result_of([answered(9, [("10", 1.0)]), answered(8, [("1", 1e-300)])])
    assert found.value("answer_probability") == pytest.approx(50)
    assert found.value("confidence_auc") == 100


_cells = st.lists(
    st.tuples(st.integers(1, 9), st.integers(0, 9), st.floats(0, 1)), min_size=1
).map(
    lambda some: [
        Bin(n, min(right, n), n * p, min(right, n) * p)
        for n, right, p in sorted(some, key=lambda one: one[2])
    ]
)


@given(_cells)
def test_bins_keep_all_answers_in_their_order(cells: list[Bin]) -> None:
    bins = equal_bins(cells)
    assert 1 <= len(bins) <= 10
    assert sum(one.n for one in bins) == sum(one.n for one in cells)
    assert sum(one.right for one in bins) == sum(one.right for one in cells)


@given(_cells)
def test_the_area_is_that_of_all_pairs(cells: list[Bin]) -> None:
    pairs = above = 0.0
    for at, one in enumerate(cells):
        for other_at, other in enumerate(cells):
            ways = one.right * (other.n - other.right)
            pairs += ways
            above += ways * ((at > other_at) + (at == other_at) / 2)
    found = area_under_curve(cells)
    assert (found is None) == (pairs == 0)
    if found is not None:
        area, interval = found
        assert area == pytest.approx(above / pairs)
        assert 0 <= interval.low <= area <= interval.high <= 1


@pytest.mark.parametrize(
    ("tokens", "said"),
    [
        ("8|3|7|2|9|4|6|1|5|0|7", "1: 8|3|7|2|9|4|6|1|5|0|7"),
        ("837|294|615|07", "3 from the left: 837|294|615|07"),
        ("83|729|461|507", "3 from the right: 83|729|461|507"),
        ("83|72|94|61|50|7", "2 from the left: 83|72|94|61|50|7"),
        ("83729461507", "11 from the left: 83729461507"),
        ("837|2946|15|07", "of several lengths: 837|2946|15|07"),
        (None, None),
    ],
)
def test_how_a_number_is_cut(tokens: str | None, said: str | None) -> None:
    record = answered(9, [("10", 0.8)])
    assert record.reply is not None
    reply = structs.replace(record.reply, number_tokens=tokens)
    assert (
        result_of([structs.replace(record, reply=reply)]).value("number_tokens") == said
    )
