"""A search for a breaking point, written down: one record for all its questions.

The record stands for one of them, whose prompt and reply it has: the smallest that was answered wrongly each time that
it was asked, else the largest that was answered rightly. All others are in its trail.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pytest_llmarith import records
from pytest_llmarith.records import Record
from pytest_llmarith.tasks import arithmetic
from pytest_llmarith.trials.frame import Subject, record, unanswered_record
from pytest_llmarith.trials.kept import kept
from pytest_llmarith.trials.numbers import Verdict
from pytest_llmarith.trials.search import SearchEngine
from pytest_llmarith.values import USUAL, AdditionProblem, ArithmeticProblem, Failure, Outcome, Reading, Reply, Retry


@dataclass(frozen=True, slots=True)
class Step:
    """One question of a search, and what came of it; `before` is how often it was asked before."""

    problem: ArithmeticProblem | AdditionProblem
    prompt: str
    reply: Reply
    verdict: Verdict
    reading: Reading
    before: int

    @property
    def wrong(self) -> bool:
        return self.verdict.outcome is not Outcome.CORRECT

    @property
    def question(self) -> str:
        """Such as `27 * 48`."""
        lhs, rhs = self.problem.operands
        if isinstance(self.problem, AdditionProblem):
            return f"{lhs} + {rhs}"
        return f"{lhs} {arithmetic.fields(self.problem, USUAL)['sign']} {rhs}"

    @property
    def answer(self) -> str | None:
        """As the reading that counts has it."""
        readings = self.verdict.readings
        answer = readings.strict if self.reading is Reading.STRICT else readings.tolerant
        return None if answer is None else format(answer, "f")


def record_of_search(subject: Subject, search: SearchEngine[Step], failure: Failure | None) -> Record:
    """The record of a search; a question without an answer leaves all of it unanswered."""
    if failure is not None:
        return unanswered_record(subject, failure, search=_search(search))
    shown = _shown(search)
    told = replace(shown.reply, retries=tuple(_retries(search)))
    subject = replace(subject, prompt=shown.prompt)
    return record(subject, told, shown.verdict.outcome, _reason(shown), search=_search(search))


def _shown(search: SearchEngine[Step]) -> Step:
    if search.minimum is not None:
        return search.answers[search.minimum][0]
    assert search.largest_right is not None  # a search without a failure has asked something
    return search.answers[search.largest_right][-1]


def _steps(search: SearchEngine[Step]) -> Iterator[Step]:
    for steps in search.answers.values():
        yield from steps


def _retries(search: SearchEngine[Step]) -> Iterator[Retry]:
    for step in _steps(search):
        yield from step.reply.retries


def _reason(shown: Step) -> str | None:
    """With what people want to know first; why there is no answer is said as everywhere."""
    if shown.verdict.reason is not None:
        return str(shown.verdict.reason)
    return f"{shown.question}: expected {shown.problem.expected}, got {shown.answer}" if shown.wrong else None


def _search(search: SearchEngine[Step]) -> records.Search:
    right = search.largest_right
    return records.Search(
        ended=search.ending,
        questions=search.questions,
        minimum=None if search.minimum is None else _minimum(search.answers[search.minimum][0]),
        not_reproduced=search.not_reproduced,
        largest_right=None if right is None else search.answers[right][0].question,
        trail=list(_trail(search)),
    )


def _minimum(step: Step) -> records.Minimum:
    anatomy = step.verdict.anatomy
    return records.Minimum(
        question=step.question,
        expected=step.problem.expected,
        outcome=step.verdict.outcome,
        reason=step.verdict.reason and str(step.verdict.reason),
        answer=step.answer,
        error_class=anatomy.error_class if anatomy else None,
    )


def _trail(search: SearchEngine[Step]) -> Iterator[records.SearchStep]:
    replies = kept(step.reply for step in _steps(search))
    for step, (reply, usage) in zip(_steps(search), replies, strict=True):
        yield records.SearchStep(
            question=step.question, before=step.before, outcome=step.verdict.outcome, reply=reply, usage=usage
        )
