"""A reply that the user's own task reads and grades. What its functions raise is theirs, and is passed on."""

from __future__ import annotations

from typing import Any

from pytest_llmarith.answers import strip_thoughts
from pytest_llmarith.answers.extract import reason
from pytest_llmarith.records import CustomAnswer, Record
from pytest_llmarith.tasks.custom import CheckedProblem
from pytest_llmarith.trials.frame import Subject, cut_short, record, unanswered_record
from pytest_llmarith.trials.own_answer import written
from pytest_llmarith.values import Failure, NanReason, Outcome, Reply


def own_record(problem: CheckedProblem, subject: Subject, reply: Reply) -> Record:
    """The record of an answered trial."""
    __tracebackhide__ = True
    answer, why_none = _read(problem, reply)
    read = None if why_none else CustomAnswer(read=written(answer))  # before `grade` has it, which may change it
    outcome = Outcome.NAN if why_none else _graded(problem, answer)
    return record(subject, reply, outcome, why_none, answer=read)


def raised_record(subject: Subject, reply: Reply, message: str) -> Record:
    """The record of a trial whose task raised: nothing is measured, and the reply is kept."""
    failure = Failure(f"task {subject.task} raised {message}")
    return unanswered_record(subject, failure, reply, raised=message)


def _read(problem: CheckedProblem, reply: Reply) -> tuple[Any, NanReason | None]:
    """The answer, or why there is none. A task is handed what was said, never thoughts and never nothing."""
    __tracebackhide__ = True
    if cut := cut_short(reply):
        return None, cut
    heard = strip_thoughts(reply.text)
    answer = problem.owner.read(heard.text, problem.copy()) if heard.text.strip() else None
    return answer, reason(heard, heard.text) if answer is None else None


def _graded(problem: CheckedProblem, answer: Any) -> Outcome:
    __tracebackhide__ = True
    verdict = problem.owner.grade(answer, problem.copy())
    if not isinstance(verdict, bool):
        raise TypeError(f"grade of task {problem.task} gave {verdict!r}; it has to give True or False")
    return Outcome.CORRECT if verdict else Outcome.DEVIATE
