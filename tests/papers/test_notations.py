"""The questions of nupa have the right answers, which are graded by their digits."""

from __future__ import annotations

import re
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith import Problem
from tests.papers.suites import module_of

NUPA = module_of("nupa")
SEEDS = st.integers(0, 2**31)
DEPTHS = st.integers(1, 4)
NUMBER = re.compile(r"\d+(?:\.\d+e\d+|\.\d+|/\d+)?")


def numbers_in(problem: Problem) -> list[str]:
    found: list[str] = NUMBER.findall(problem["question"])
    return found


@given(SEEDS, st.sampled_from(NUPA.VARIANTS), DEPTHS, st.integers(0, 4))
def test_a_right_answer_is_correct(
    seed: int, variant: str, depth: int, trial: int
) -> None:
    """It has the form that is asked for, and any other one is not correct."""
    problem = NUPA.problem_at(seed, variant, depth, trial)
    right, wrong = NUPA.replies(problem)
    assert NUPA.read(right, problem) == problem.expected
    grade = NUPA.grade(problem.expected, problem)
    assert (grade.score, grade.scores) == (1, {"digit match": 1})
    grade = NUPA.grade(NUPA.read(wrong, problem), problem)
    assert grade.score == 0
    assert grade.scores["digit match"] < 1


def test_pairs() -> None:
    assert len(set(NUPA.VARIANTS)) == 41


@given(
    SEEDS,
    st.sampled_from(["add", "sub", "multiply", "max", "min"]),
    st.sampled_from(["int", "float", "frac", "sci"]),
    DEPTHS,
)
def test_arithmetic(seed: int, name: str, form: str, depth: int) -> None:
    problem = NUPA.problem_at(seed, f"{name}_{form}", depth, 0)
    texts = numbers_in(problem)
    one, other = map(Fraction, texts)
    exact = {
        "add": one + other,
        "sub": one - other,
        "multiply": one * other,
        "max": max(one, other),
        "min": min(one, other),
    }
    assert Fraction(problem.expected) == exact[name]
    if form == "sci":
        mantissa, _, _ = problem.expected.partition("e")
        assert 1 <= Fraction(mantissa) < 10
    if form == "frac" and name in ("max", "min"):
        assert max(one, other) <= 1


@given(SEEDS, DEPTHS)
def test_divisions(seed: int, depth: int) -> None:
    whole, rest = (NUPA.problem_at(seed, f"{name}_int", depth, 0) for name in _DIVIDED)
    one, other = map(int, numbers_in(whole))
    assert int(whole.expected) == one // other
    one, other = map(int, numbers_in(rest))
    assert int(rest.expected) == one % other
    assert len(str(other)) <= 0.7 * len(str(one)) + 1
    fraction = NUPA.problem_at(seed, "truediv_frac", depth, 0)
    one_text, other_text = numbers_in(fraction)
    assert Fraction(fraction.expected) == Fraction(one_text) / Fraction(other_text)


_DIVIDED = ("floordiv", "mod")


@given(SEEDS, st.sampled_from(["int", "float"]), DEPTHS)
def test_digits(seed: int, form: str, depth: int) -> None:
    at = NUPA.problem_at(seed, f"get_digit_{form}", depth, 0)
    text, place, *_ = numbers_in(at)
    assert at.expected == text.replace(".", "")[int(place)]
    length = NUPA.problem_at(seed, f"length_{form}", depth, 0)
    assert int(length.expected) == sum(map(str.isdigit, numbers_in(length)[0]))
    larger = NUPA.problem_at(seed, f"digit_max_{form}", depth, 0)
    *_, one, other = numbers_in(larger)
    assert Fraction(larger.expected) >= max(Fraction(one), Fraction(other))
    added = NUPA.problem_at(seed, f"digit_add_{form}", depth, 0)
    assert "." in added.expected or form == "int"


@given(SEEDS, st.sampled_from(["int", "float"]), DEPTHS, st.integers(0, 9))
def test_significant_figures(seed: int, form: str, depth: int, trial: int) -> None:
    problem = NUPA.problem_at(seed, f"sig_{form}", depth, trial)
    figures, text = numbers_in(problem)
    with localcontext(prec=int(figures)):
        assert Decimal(problem.expected) == +Decimal(text)
    mantissa, _, _ = problem.expected.partition("e")
    assert len(mantissa) == int(figures) + 1
    exact = NUPA.problem_at(seed, f"to_scient_{form}", depth, trial)
    assert Fraction(exact.expected) == Fraction(numbers_in(exact)[0])


@pytest.mark.parametrize("variant", ["to_float_frac", "to_float_sci"])
@given(SEEDS, DEPTHS)
def test_decimal_numbers(variant: str, seed: int, depth: int) -> None:
    problem = NUPA.problem_at(seed, variant, depth, 0)
    (text,) = numbers_in(problem)
    assert Fraction(problem.expected) == Fraction(text)
    assert "." in problem.expected


@pytest.mark.parametrize(
    ("form", "expected", "answer", "match", "dlength"),
    [
        ("int", "1234", "1234", 1, 0),
        ("int", "1234", "234", 0.75, 1),
        ("int", "1234", "12340", 0, 1),
        ("float", "12.50", "2.5", 0.5, 2),
        ("frac", "12/34", "2/34", 0.75, 1),
        ("sci", "1.23e14", "1.2e4", 0.6, 2),
    ],
)
def test_digit_match(
    form: str, expected: str, answer: str, match: float, dlength: int
) -> None:
    problem = Problem({"form": form}, expected)
    grade = NUPA.grade(answer, problem)
    assert grade.score == (answer == expected)
    assert grade.scores["digit match"] == pytest.approx(match)
    assert grade.details["dlength"] == dlength


@pytest.mark.parametrize(
    ("form", "reply", "answer"),
    [
        ("int", "The answer is **12**.", "12"),
        ("int", "12 + 30: the answer is 43, no, The answer is 42 or 41", "42"),
        ("int", "12 + 30 = 42", "42"),
        ("int", "The answer is -42", None),
        ("float", "The answer is 42", None),
        ("sci", "The answer is 1.5E+8.", "1.5e+8"),
        ("frac", "", None),
    ],
)
def test_read(form: str, reply: str, answer: str | None) -> None:
    assert NUPA.read(reply, Problem({"form": form}, "1")) == answer
