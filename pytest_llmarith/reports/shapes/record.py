"""The shape of a record: one line of `trials.jsonl`. It does not know who makes one."""

from __future__ import annotations

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from pytest_llmarith.reports.shapes.problems import (
    AdditionProblem,
    ArithmeticProblem,
    Condition,
    OwnProblem,
    SearchProblem,
    SequenceProblem,
)
from pytest_llmarith.reports.shapes.programs import Program
from pytest_llmarith.reports.shapes.replies import Reply, Retry
from pytest_llmarith.reports.shapes.searches import Search
from pytest_llmarith.values import ErrorClass, Outcome, Reading


class Answer(TypedDict):
    """The number that each reading found in the reply, as decimal text; null where it found none."""

    tolerant: str | None
    strict: str | None


class OwnAnswer(TypedDict):
    """What a task of the user's own has read in the reply; as text where JSON cannot hold it."""

    read: Any


class Grade(TypedDict):
    """The answer of the reading that counts against the expected one."""

    absolute_error: str | None
    """Exact; null unless the answer deviates."""
    relative_error: str | None
    """With a few digits; null unless the answer deviates, and where the truth is 0."""
    rounded: bool | None
    """Whether the answer is the truth rounded to fewer decimals."""
    error_class: ErrorClass | None
    """How the answer deviates; null unless it does."""
    digit_match: NotRequired[float]
    """The share of the truth's digits that the answer has in place."""
    dlength: NotRequired[int]
    """By how many digits the answer is longer or shorter."""
    leading_digits: NotRequired[int]
    """Digits that are right before the first wrong one."""


class Record(TypedDict):
    """One trial: what was asked of whom, what came back, and what that came to."""

    format: Literal[1]
    run: str | None
    """The name of the run's folder."""
    nodeid: str | None
    """pytest's id of the item; null where another program asked."""
    task: str
    """`arithmetic`, `integer_addition`, `oeis`, `breaking_point`, or the name of a task of the user's own."""
    model: str
    simulated: bool
    """Whether an embedded model replied: it says nothing about a language model."""
    outcome: Outcome
    reason: str | None
    """Why there is no answer or no reply, or the first thing that is wrong with a program."""
    reading: Reading | None
    """Which reading was graded; null for programs and for what is unanswered."""
    problem: ArithmeticProblem | AdditionProblem | SequenceProblem | SearchProblem | OwnProblem
    condition: NotRequired[Condition]
    repeat: NotRequired[int]
    """Which repeat of the same question in the same condition this is, counted from 0."""
    prompt: str | None
    """The text that the model was sent; null where another program asked."""
    answer: Answer | OwnAnswer | None
    grade: Grade | None
    reply: Reply | None
    """Null where none came."""
    retries: NotRequired[list[Retry]]
    raised: NotRequired[str]
    """What a task of the user's own raised as it read or graded the reply; such a trial is unanswered."""
    oeis: NotRequired[Program]
    """In records of the OEIS task alone."""
    search: NotRequired[Search]
    """In records of the breaking point alone."""
