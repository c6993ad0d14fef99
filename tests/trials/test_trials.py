"""The deed: replies become verdicts, verdicts become records of builtins."""

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.records import as_dict
from pytest_llmarith.tasks import addition, arithmetic
from pytest_llmarith.trials import Subject, nan_reason_of, number_record, unanswered_record, verdict_of
from pytest_llmarith.values import (
    AdditionProblem,
    ArithmeticProblem,
    Dtype,
    Failure,
    Model,
    NanReason,
    NumberProblem,
    Op,
    Outcome,
    Reading,
    Reply,
    Retry,
)
from tests.tasks.problem_strategies import addition_problems, arithmetic_problems

SUM = ArithmeticProblem(0, Op.ADD, Dtype.INT, 2, 0, "12", "5", "17")
PRODUCT = ArithmeticProblem(0, Op.MUL, Dtype.FLOAT, 1, 3, "1.05", "1.05", "1.1025")
ADDITION = AdditionProblem(0, 4, "12", "5", "17")
MODEL = Model("o4-mini-high", "o4-mini", {"reasoning_effort": "high"})
RETRIES = (Retry("429 slow down", 7.0), Retry("timeout", 1.5))
SENT = {"model": "o4-mini", "api_base": None, "messages": [{"role": "user", "content": "?"}], "params": {"a": [1]}}
NODEID = "benches/test_arithmetic.py::test_arithmetic[o4-mini-high-int_add-depth_2-trial_0]"


def recorded(problem: NumberProblem, reply: Reply, reading: Reading = Reading.TOLERANT) -> dict[str, Any]:
    return as_dict(number_record(problem, Subject.of(problem, MODEL, "the prompt", NODEID), reading, reply))


def is_plain(value: object) -> bool:
    """Made of what survives JSON and any transport between processes unchanged."""
    if type(value) is dict:
        return all(type(key) is str and is_plain(item) for key, item in value.items())
    if type(value) is list:
        return all(map(is_plain, value))
    return value is None or type(value) in (str, int, float, bool)


replies = st.builds(
    Reply,
    text=st.one_of(st.text(), st.integers().map(str), st.decimals(allow_nan=False, allow_infinity=False).map(str)),
    reasoning=st.none() | st.text(),
    finish_reason=st.sampled_from([None, "stop", "length", "content_filter"]),
    completion_tokens=st.none() | st.integers(0, 10**6),
    cost_usd=st.none() | st.floats(0, 100),
    sent=st.just(SENT),
)


@given(arithmetic_problems() | addition_problems(), replies, st.sampled_from(Reading))
def test_records_are_plain(problem: NumberProblem, reply: Reply, reading: Reading) -> None:
    """Whatever comes back, its record holds builtins only and survives JSON unchanged."""
    written = recorded(problem, reply, reading)
    assert is_plain(written)
    assert json.loads(json.dumps(written, allow_nan=False)) == written


def test_correct_record() -> None:
    """The record of a right answer holds all that is known, as it is written here in full."""
    reply = Reply("**17**", finish_reason="stop", served_model="o4-mini-2026", prompt_tokens=31, completion_tokens=9)
    assert recorded(SUM, reply) == {
        "format": 1,
        "run": None,
        "nodeid": NODEID,
        "task": "arithmetic",
        "model": "o4-mini-high",
        "simulated": False,
        "problem": {"kind": "arithmetic", **SUM.fields()},
        "prompt": "the prompt",
        "condition": {"numbers": "plain", "symbols": "ascii", "context": None, "prompt": None, "system": None},
        "repeat": 0,
        "retries": [],
        "outcome": "correct",
        "reason": None,
        "reading": "tolerant",
        "answer": {"kind": "number", "tolerant": "17", "strict": None},
        "grade": {
            "absolute_error": None,
            "relative_error": None,
            "rounded": None,
            "error_class": None,
            "digit_match": 1.0,
            "dlength": 0,
            "leading_digits": 2,
        },
        "reply": reply.fields() | {"sent": None},
    }


def test_deviate_record() -> None:
    """The record of a wrong answer says by how much."""
    written = recorded(SUM, Reply("20"))
    assert (written["outcome"], written["reason"]) == ("deviate", None)
    assert written["answer"] == {"kind": "number", "tolerant": "20", "strict": "20"}
    assert written["grade"]["absolute_error"] == "3"
    assert Decimal(written["grade"]["relative_error"]) == pytest.approx(Decimal(3) / 17, rel=Decimal("0.05"))


def test_a_wrong_answer_is_dissected() -> None:
    """The record of a wrong answer says in which way it is wrong, and how much of it is right."""
    grade = recorded(SUM, Reply("27"))["grade"]
    found = {key: grade[key] for key in ("error_class", "digit_match", "dlength", "leading_digits")}
    assert found == {"error_class": "one digit", "digit_match": 0.5, "dlength": 0, "leading_digits": 0}


def test_rounded_truth_is_told() -> None:
    """The truth rounded to fewer decimals deviates, and is known for what it is."""
    grade = recorded(PRODUCT, Reply("1.10"))["grade"]
    assert (grade["absolute_error"], grade["rounded"]) == ("0.0025", True)


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
    assert (written["outcome"], written["reason"], written["grade"]) == ("nan", str(reason), None)
    assert written["answer"] == {"kind": "number", "tolerant": None, "strict": None}
    assert nan_reason_of(reply) is reason


@pytest.mark.parametrize("finish_reason", [None, "stop"])
def test_no_reason_where_there_is_an_answer(finish_reason: str | None) -> None:
    """A reply that holds a number has no reason to be without an answer."""
    assert nan_reason_of(Reply("The answer is 17.", finish_reason=finish_reason)) is None


def test_unreadable_to_the_strict_eye() -> None:
    """Read strictly, a number with words around it is no answer; both readings are recorded all the same."""
    written = recorded(ADDITION, Reply("The answer is 17."), Reading.STRICT)
    assert (written["outcome"], written["reason"], written["reading"]) == ("nan", "unreadable", "strict")
    assert written["answer"] == {"kind": "number", "tolerant": "17", "strict": None}


@pytest.mark.parametrize("reading", Reading)
@pytest.mark.parametrize(
    ("text", "outcome"), [("17", Outcome.CORRECT), (" 17\n", Outcome.CORRECT), ("18", Outcome.DEVIATE)]
)
def test_bare_numbers_satisfy_both(reading: Reading, text: str, outcome: Outcome) -> None:
    """A bare number is the same answer to both readings."""
    assert verdict_of(ADDITION, Reply(text), reading).outcome is outcome


@given(addition_problems())
def test_the_truth_is_correct_and_its_neighbour_is_not(problem: AdditionProblem) -> None:
    """Exact at any length: the sum is correct, one more deviates."""
    assert verdict_of(problem, Reply(problem.expected), Reading.STRICT).outcome is Outcome.CORRECT
    assert verdict_of(problem, Reply(str(int(problem.expected) + 1)), Reading.STRICT).outcome is Outcome.DEVIATE


@given(arithmetic_problems())
def test_the_truth_is_correct_in_both_readings(problem: ArithmeticProblem) -> None:
    """What is expected, written bare, is correct however it is read."""
    outcomes = {verdict_of(problem, Reply(problem.expected), reading).outcome for reading in Reading}
    assert outcomes == {Outcome.CORRECT}


def test_verdict_keeps_what_was_read() -> None:
    """A verdict holds both readings and the grade of the one that counts."""
    verdict = verdict_of(SUM, Reply("= 18"), Reading.TOLERANT)
    assert (verdict.readings.tolerant, verdict.readings.strict) == (Decimal(18), None)
    assert verdict.grade is not None
    assert (verdict.outcome, verdict.reason) == (Outcome.DEVIATE, None)


def test_unanswered_record() -> None:
    """Without a reply nothing was measured: the record says why, and the rest is absent."""
    failure = Failure("503 Service Unavailable", attempts=4)
    written = as_dict(unanswered_record(Subject.of(ADDITION, MODEL, addition.prompt(ADDITION), None), failure))
    assert is_plain(written)
    assert (written["outcome"], written["reason"]) == ("unanswered", "503 Service Unavailable")
    assert [written[name] for name in ("answer", "grade", "reply", "nodeid")] == [None] * 4
    assert written["problem"] == {"kind": "integer_addition", **ADDITION.fields()}


@pytest.mark.parametrize("answer", [Reply("17", retries=RETRIES), Failure("503", attempts=3, retries=RETRIES)])
def test_records_tell_of_retries(answer: Reply | Failure) -> None:
    """Of answered trials and of others: why it was tried again, and how long it was waited before."""
    subject = Subject.of(SUM, MODEL, "the prompt", NODEID)
    written = recorded(SUM, answer) if isinstance(answer, Reply) else as_dict(unanswered_record(subject, answer))
    assert written["retries"] == [{"reason": "429 slow down", "waited_s": 7.0}, {"reason": "timeout", "waited_s": 1.5}]
    assert is_plain(written)
    assert "retries" not in (written["reply"] or {})


def test_both_records_have_the_same_keys() -> None:
    """Whoever reads records finds the same keys in all of them."""
    unanswered = as_dict(unanswered_record(Subject.of(SUM, MODEL, "the prompt", NODEID), Failure("timeout")))
    assert unanswered.keys() == recorded(SUM, Reply("17")).keys()


def test_simulated_models_are_marked() -> None:
    """A record of an embedded model says that it was simulated."""
    embedded = Model("exact", "llmarith/exact")
    assert (
        as_dict(number_record(SUM, Subject.of(SUM, embedded, "", None), Reading.TOLERANT, Reply("17")))["simulated"]
        is True
    )


def test_huge_numbers_are_written_in_full() -> None:
    """Answers are written as plain digits, and never with an exponent."""
    problem = arithmetic.problem(0, Dtype.INT, Op.MUL, 60, 0)
    assert recorded(problem, Reply("1e40"))["answer"]["tolerant"] == "1" + "0" * 40
    assert recorded(problem, Reply(problem.expected))["answer"]["strict"] == problem.expected
