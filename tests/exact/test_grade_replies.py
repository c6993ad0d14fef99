"""The public functions: reading and grading replies, rewards, wrong arguments, pickles
and threads.
"""

from __future__ import annotations

import doctest
import pickle
import pkgutil
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith import exact
from pytest_llmarith.exact import (
    Decimals,
    ErrorClass,
    Exact,
    NumberGrade,
    Reason,
    classify_error,
    compute_score,
    grade,
    read_number,
    readings,
    reward,
)

LONG = "9" * 5000
MODULES = [module.name for module in pkgutil.iter_modules(exact.__path__)]


@pytest.mark.parametrize(
    ("reply", "expected", "is_correct"),
    [
        ("42", "42", True),
        ("42.0", "42", True),
        ("The answer is 1,234,567.", "1234567", True),
        ("1234567", "1234568", False),
        ("0.12345", "0.12345", True),
        ("1.00004", "1", False),
        ("0.00001", "0", False),
        ("1e-7", "2e-7", False),
        ("-5", -5, True),
        ("7.50", Decimal("7.5"), True),
        (LONG, Decimal(LONG), True),
        (str(10**4000), 10**4000, True),
        (LONG, "9" * 4999 + "8", False),
        ("Le résultat est 1.234.", "1234", True),
        ("Le résultat est 1.234.", "1.234", True),
        ({"role": "assistant", "content": "42"}, "42", True),
        (
            [
                {"role": "user", "content": "6 * 7?"},
                {"role": "assistant", "content": "42"},
            ],
            "42",
            True,
        ),
        (
            [{"role": "assistant", "content": "42"}, {"role": "user", "content": "41"}],
            "42",
            True,
        ),
        (
            [{"role": "assistant", "content": [{"type": "output_text", "text": "42"}]}],
            "42",
            True,
        ),
        ([{"role": "assistant", "content": None}], "42", False),
        ([{"role": "user", "content": "42"}], "42", False),
        (
            [
                {"type": "thinking", "thinking": "41"},
                {"type": "text", "text": "It is 42."},
            ],
            "42",
            True,
        ),
        ([{"type": "reasoning", "text": "42"}], "42", False),
        ([], "0", False),
    ],
)
def test_a_grade(reply: Any, expected: Any, is_correct: bool) -> None:
    assert grade(reply, expected).correct is is_correct
    assert bool(grade(reply, expected)) is is_correct


def test_a_grade_has_the_number_or_the_reason() -> None:
    """What was read, or why there is nothing; an expected text that is no number has a
    reason of its own.
    """
    assert grade("It is 41.", "42") == NumberGrade(False, Decimal(41), None)
    assert grade("", "42") == NumberGrade(False, None, Reason.EMPTY)
    assert grade("I cannot do this.", "42") == NumberGrade(False, None, Reason.REFUSAL)
    assert grade("42", "forty-two") == NumberGrade(
        False, Decimal(42), Reason.NO_EXPECTED
    )
    assert grade("inf", Decimal("Infinity")) == NumberGrade(
        False, None, Reason.NO_EXPECTED
    )


def test_tolerance() -> None:
    """Only what a tolerance takes from both numbers is compared."""
    assert not grade("3.14159", "3.1416")
    assert grade("3.14159", "3.1416", tolerance=Decimals(4))
    assert grade("3.14", "3.14159", tolerance=Decimals(2))
    assert not grade("3.15", "3.14159", tolerance=Decimals(2))
    assert Exact() == Exact()
    for places in (-1, 1001, True, "4"):
        with pytest.raises(ValueError, match="whole number from 0 to"):
            Decimals(places)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: grade("42", 42.0), "expected is a float"),  # type: ignore[arg-type]
        (lambda: grade("42", None), "expected is a text, an int or a Decimal"),  # type: ignore[arg-type]
        (lambda: grade("42", True), "expected is a text, an int or a Decimal"),
        (lambda: grade(42, "42"), "not int"),  # type: ignore[arg-type]
        (lambda: grade(None, "42"), "not None"),  # type: ignore[arg-type]
        (lambda: grade(["42"], "42"), "holds dictionaries, not str"),  # type: ignore[list-item]
        (
            lambda: grade([{"role": "assistant", "content": 42}], "42"),
            "'content' .* not int",
        ),
        (lambda: grade("42", "42", operands="12"), "operands is a list"),
        (lambda: grade("42", "42", operands=[1.5]), "an operand is a float"),  # type: ignore[list-item]
        (lambda: read_number(b"42"), "text is a str, not bytes"),  # type: ignore[arg-type]
        (lambda: reward(["42"], answer=[42.0]), "expected is a float"),  # type: ignore[list-item]
    ],
)
def test_wrong_types(call: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()


def test_readings() -> None:
    assert readings(" 42\n").span == (1, 3)
    found = readings("12 + 30 = 42. Yes: 42, and not 43.")
    assert found.tolerant is None or found.span is not None
    text = "First 10, then the answer is 1\u202f234\u202f567 km."
    found = readings(text)
    assert found.tolerant == Decimal(1234567)
    assert found.span is not None
    assert text[slice(*found.span)] == "1\u202f234\u202f567"
    assert readings("forty-two").span is None
    assert readings("١٢٣").strict == Decimal(123)
    assert read_number("12.5", kind="integer") == Decimal("12.5")
    with pytest.raises(ValueError, match="'integer' or 'decimal'"):
        read_number("12", kind="float")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "reply",
    [
        "46. If you forgot the carry, the sum is 36.",
        "The answer is 46. If operands were skipped, the answer is 36.",
        "The answer is 46. Without the carry that people forget, the answer is 36.",
    ],
)
@pytest.mark.parametrize(
    "before",
    ["If you add 12 and 34, what is it?", "Without a calculator:", "Had I one, if so."],
)
def test_a_word_that_was_said_before_changes_no_phrase(before: str, reply: str) -> None:
    found = readings(f"{before} {reply}", operands=["12", "34"], kind="integer")
    assert str(found.tolerant) == "46"


def test_rewards() -> None:
    """TRL's form and verl's: a sample without an answer has no reward, and lists of
    different lengths are refused.
    """
    chat = [{"role": "assistant", "content": "The answer is 42."}]
    answers = ["42", "42", None, "forty-two"]
    assert reward(
        [chat, "41", "42", "42"], answer=answers, prompts=["?"] * 4, level=3
    ) == [1.0, 0.0, None, None]
    with pytest.raises(ValueError, match="2 completions and 1 answers"):
        reward(["1", "2"], answer=["1"])
    assert compute_score("sums", "#### 42", "42", {"index": 1}) == {
        "score": 1.0,
        "acc": True,
    }
    assert compute_score("sums", "#### 41", "42") == {"score": 0.0, "acc": False}


@pytest.mark.parametrize(
    ("completion", "answer"),
    [
        ("42", None),
        ("42", "no number"),
        (None, "42"),
        (None, None),
        ([], "42"),
        ({}, "42"),
        ({"role": "assistant"}, "42"),
        ([{"role": "assistant", "content": None}], "42"),
        ([{"type": "text"}], "42"),
    ],
)
def test_a_score_without_answer_or_reply_is_0(completion: Any, answer: Any) -> None:
    """`reward` leaves out only samples without an answer."""
    assert compute_score("sums", completion, answer) == {"score": 0.0, "acc": False}
    has_answer = answer == "42"
    assert reward([completion], [answer]) == [0.0 if has_answer else None]


def test_classes_of_errors() -> None:
    assert (
        classify_error("10137", "10237", op="add", operands=("7391", "2846"))
        is ErrorClass.CARRY
    )
    assert classify_error("-4", 4, op="sub", operands=(9, 5)) is ErrorClass.SIGN
    assert classify_error("4", "4", op="sub", operands=("9", "5")) is None
    assert classify_error("four", "4", op="sub", operands=("9", "5")) is None


def test_in_threads_and_pickled() -> None:
    """Functions, grades and tolerances travel to other processes, and threads get the
    results of one thread.
    """
    for value in (
        grade,
        reward,
        compute_score,
        Decimals(4),
        grade("42", "42"),
        readings("It is 42."),
    ):
        assert pickle.loads(pickle.dumps(value)) == value
    replies = [
        f"{a} × {b} = {a * b}, so the answer is **{a * b:,}**."
        for a in range(90, 120)
        for b in range(7)
    ]
    one_thread = [grade(reply, "700") for reply in replies]
    with ThreadPoolExecutor(8) as threads:
        assert (
            list(threads.map(lambda reply: grade(reply, "700"), replies)) == one_thread
        )


MARKS = (
    "42|-|−|1,234|.|\\boxed{|}|$|^|e|<think>|</think>|\n|½|٣|\\frac|{|*|`|~~"
    "|the answer is |million|×10|\ud800|\0|&#8722;|%|...|("
)
PARTS = st.sampled_from([*MARKS.split("|"), "|", ")", "9" * 400])


@given(
    reply=st.text() | st.lists(PARTS).map("".join),
    expected=st.text() | st.integers() | st.decimals(),
)
def test_no_text_raises(reply: str, expected: str | int | Decimal) -> None:
    found = grade(reply, expected)
    assert found.correct <= (found.answer is not None)
    assert readings(reply, operands=[expected]).tolerant == read_number(
        reply, operands=[expected]
    )
    assert reward([reply], answer=[expected]) in ([1.0], [0.0], [None])
    classify_error(
        reply, expected, op="div", operands=(expected, reply), tolerance=Decimals(2)
    )


@pytest.mark.parametrize("module", MODULES)
def test_examples(module: str) -> None:
    assert doctest.testmod(import_module(f"{exact.__name__}.{module}")).failed == 0
