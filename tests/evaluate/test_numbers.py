"""Replies that are numbers become records."""

from decimal import Decimal
from typing import Any

import pytest
from msgspec import structs

from pytest_llmarith.evaluate import AskedTrial, unanswered_record
from pytest_llmarith.records import Reply, as_dict
from pytest_llmarith.tasks import addition, arithmetic
from pytest_llmarith.tasks.checks import bound
from pytest_llmarith.tasks.task import TaskProblem
from pytest_llmarith.types import Dtype, Failure, Model, NanReason, Op, Reading, Retry
from tests.asked import calculation, number_record

SUM = calculation("int_add", "12", "5", "17")
PRODUCT = calculation("float_mul", "1.05", "1.05", "1.1025", 1, 3)
ADDITION = bound(addition.TASK, 0, addition.problem_of(12, 5, 4))
MODEL = Model("o4-mini-high", "o4-mini", {"reasoning_effort": "high"})
RETRIES = (Retry("429 slow down", 7.0), Retry("timeout", 1.5))
NODEID = (
    "benches/test_arithmetic.py::test_arithmetic[o4-mini-high-int_add-depth_2-trial_0]"
)


def recorded(
    problem: TaskProblem, reply: Reply, reading: Reading = Reading.TOLERANT
) -> dict[str, Any]:
    return as_dict(
        number_record(
            problem, AskedTrial.of(problem, MODEL, "the prompt", NODEID), reading, reply
        )
    )


def test_the_record_of_a_right_answer() -> None:
    """It holds all that is known, as it is written here in full."""
    reply = Reply("**17**", finish_reason="stop", prompt_tokens=31, completion_tokens=9)
    reply = structs.replace(
        reply, served_model="o4-mini-2026", system_fingerprint="fp_1"
    )
    assert recorded(SUM, reply) == {
        "format": 1,
        "run": None,
        "nodeid": NODEID,
        "task": "arithmetic",
        "model": "o4-mini-high",
        "simulated": False,
        "problem": {
            "label": "int_add-depth_2-trial_0",
            "seed": 0,
            "variant": "int_add",
            "depth": 2,
            "trial": 0,
            "inputs": {"lhs": "12", "sign": "+", "rhs": "5", "operation": "sum"},
            "expected": "17",
            "question": "12 + 5",
            "strata": {"carries": 0, "longest chain of carries": 0},
        },
        "prompt": [{"role": "user", "content": "the prompt"}],
        "condition": {
            "numbers": "plain",
            "symbols": "ascii",
            "context": None,
            "prompt": None,
            "system": None,
        },
        "repeat": 0,
        "retries": [],
        "outcome": "correct",
        "reason": None,
        "reading": "tolerant",
        "answer": "17",
        "answers": {"tolerant": "17", "strict": None},
        "grade": {
            "score": 1.0,
            "scores": {"tolerant": 1.0, "strict": 0.0},
            "details": {
                "kind": "number",
                "absolute_error": None,
                "relative_error": None,
                "rounded": None,
                "error_class": None,
                "digit_match": 1.0,
                "dlength": 0,
                "leading_digits": 2,
            },
        },
        "reply": {
            "text": "**17**",
            "finish_reason": "stop",
            "served_model": "o4-mini-2026",
            "system_fingerprint": "fp_1",
            "prompt_tokens": 31,
            "completion_tokens": 9,
        },
    }


@pytest.mark.parametrize(
    ("problem", "text"),
    [(SUM, "17.0"), (SUM, "17.000"), (PRODUCT, "1.10250001"), (PRODUCT, "1.10249999")],
)
def test_what_is_rounded_to_the_right_answer_is_right(
    problem: TaskProblem, text: str
) -> None:
    """It has no error class, and the digits of the expected number.

    Only fixed point is rounded.
    """
    written = recorded(problem, Reply(text))
    grade = written["grade"]["details"]
    assert written["outcome"] == "correct"
    assert grade["error_class"] is None
    assert grade["digit_match"] == 1.0
    assert grade["dlength"] == 0


def test_the_grade_of_a_wrong_answer() -> None:
    """It says by how much and in which way the answer is wrong, and how much of it is
    right.
    """
    written = recorded(SUM, Reply("27"))
    assert (written["outcome"], written["reason"]) == ("deviate", None)
    assert written["answers"] == {"tolerant": "27", "strict": "27"}
    assert written["grade"]["score"] == 0
    grade = written["grade"]["details"]
    assert grade["absolute_error"] == "10"
    assert Decimal(grade["relative_error"]) == pytest.approx(
        Decimal(10) / 17, rel=Decimal("0.05")
    )
    found = {
        key: grade[key]
        for key in ("error_class", "digit_match", "dlength", "leading_digits")
    }
    assert found == {
        "error_class": "one digit",
        "digit_match": 0.5,
        "dlength": 0,
        "leading_digits": 0,
    }
    assert grade["wrong_digits"] == "10"
    rounded = recorded(PRODUCT, Reply("1.10"))["grade"]["details"]
    assert (rounded["absolute_error"], rounded["rounded"]) == ("0.0025", True)


def test_without_a_reply_nothing_is_measured() -> None:
    """The record says why, and has the same keys; a fake model is marked as
    simulated.
    """
    fake = AskedTrial.of(SUM, Model("oracle", "llmarith/oracle"), "", NODEID)
    written = as_dict(
        unanswered_record(fake, Failure("503 Service Unavailable", attempts=4))
    )
    assert written["outcome"] == "unanswered"
    assert written["reason"] == "503 Service Unavailable"
    assert [written[name] for name in ("answer", "grade", "reply")] == [None] * 3
    assert written["simulated"] is True
    assert written.pop("failure") == "failed"
    assert written.keys() == recorded(SUM, Reply("17")).keys()


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(""), NanReason.EMPTY),
        (Reply(" \n", finish_reason="stop"), NanReason.EMPTY),
        (Reply("I'm sorry, but I can't help with that."), NanReason.REFUSAL),
        (Reply("Here you are:"), NanReason.UNREADABLE),
        (Reply("<think> 12 + 5 is"), NanReason.TRUNCATED),
        (Reply("", finish_reason="length"), NanReason.TRUNCATED),
        (Reply("17", finish_reason="length"), NanReason.TRUNCATED),
        (Reply("17", finish_reason="content_filter"), NanReason.FILTERED),
    ],
)
def test_nan_reasons(reply: Reply, reason: NanReason) -> None:
    """Why there is no answer; at a cut even a number is none, it may be half of one."""
    written = recorded(SUM, reply)
    assert written["outcome"] == "nan"
    assert written["reason"] == str(reason)
    assert written["grade"]["score"] == 0
    assert written["answers"] == {"tolerant": None, "strict": None}
    strict = recorded(ADDITION, Reply("The answer is 17."), Reading.STRICT)
    assert strict["outcome"] == "nan"
    assert strict["reason"] == "unreadable"
    assert strict["reading"] == "strict"
    assert strict["answers"] == {"strict": None, "tolerant": "17"}
    assert strict["grade"]["scores"] == {"strict": 0, "tolerant": 1}


@pytest.mark.parametrize(
    "answer",
    [Reply("17", retries=RETRIES), Failure("503", attempts=3, retries=RETRIES)],
)
def test_records_tell_of_retries(answer: Reply | Failure) -> None:
    """Of answered trials and of others: why it was tried again, and how long it was
    waited before.
    """
    subject = AskedTrial.of(SUM, MODEL, "the prompt", NODEID)
    written = (
        recorded(SUM, answer)
        if isinstance(answer, Reply)
        else as_dict(unanswered_record(subject, answer))
    )
    assert written["retries"] == [
        {"reason": "429 slow down", "waited_s": 7.0},
        {"reason": "timeout", "waited_s": 1.5},
    ]
    assert "retries" not in (written["reply"] or {})


def test_huge_numbers_are_written_in_full() -> None:
    """Answers are written as plain digits, and never with an exponent."""
    problem = arithmetic.problem(0, Dtype.INT, Op.MUL, 60, 0)
    assert recorded(problem, Reply("1e40"))["answers"]["tolerant"] == "1" + "0" * 40
    assert (
        recorded(problem, Reply(problem.expected))["answers"]["strict"]
        == problem.expected
    )
