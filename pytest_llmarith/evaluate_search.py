"""A search for a breaking point becomes one record.

It has the prompt and reply of one question: the smallest that was answered wrongly each time it was asked, else the
largest that was answered rightly. All questions are in its trail, whose replies are kept whole as long as there is
room: a record is one line, and lines that are too long are not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from pytest_llmarith import records
from pytest_llmarith.evaluate import Trial, Verdict, record, reply_part, unanswered_record
from pytest_llmarith.records import Record
from pytest_llmarith.tasks import arithmetic
from pytest_llmarith.tasks.search import SearchEngine
from pytest_llmarith.values import USUAL, AdditionProblem, ArithmeticProblem, Failure, Outcome, Reading, Reply

_ROOM = 4_000_000  # characters of JSON for all of them: a quarter of the longest line that is read
_LONGEST_NAME = 200  # what a provider calls its model may have any length; this is long for a name


@dataclass(frozen=True, slots=True)
class Step:
    """One question of a search, and its answer; `before` is how often it was asked before."""

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
        """The answer by the reading that counts."""
        readings = self.verdict.readings
        answer = readings.strict if self.reading is Reading.STRICT else readings.tolerant
        return None if answer is None else format(answer, "f")


def record_of_search(trial: Trial, search: SearchEngine[Step], failure: Failure | None) -> Record:
    """The record of a search; a question without an answer leaves all of it unanswered."""
    if failure is not None:
        return unanswered_record(trial, failure, search=_search(search))
    shown = _shown(search)
    told = replace(shown.reply, retries=tuple(retry for step in _steps(search) for retry in step.reply.retries))
    trial = replace(trial, prompt=shown.prompt)
    return record(trial, told, shown.verdict.outcome, _reason(shown), search=_search(search))


def _shown(search: SearchEngine[Step]) -> Step:
    if search.minimum is not None:
        return search.answers[search.minimum][0]
    assert search.largest_right is not None  # a search without a failure has asked something
    return search.answers[search.largest_right][-1]


def _steps(search: SearchEngine[Step]) -> Iterator[Step]:
    for steps in search.answers.values():
        yield from steps


def _reason(shown: Step) -> str | None:
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
    replies = kept_replies(step.reply for step in _steps(search))
    for step, (reply, usage) in zip(_steps(search), replies, strict=True):
        yield records.SearchStep(
            question=step.question, before=step.before, outcome=step.verdict.outcome, reply=reply, usage=usage
        )


def kept_replies(replies: Iterable[Reply]) -> Iterator[tuple[records.Reply | None, records.Usage | None]]:
    """Each reply, or only its usage if it finds no room. A long one takes no room from shorter ones behind it."""
    room = _ROOM
    for reply in replies:
        length = _length(reply, room)
        if length <= room:
            room -= length
            yield reply_part(reply), None
        else:
            yield None, _usage(reply)


def _length(reply: Reply, room: int) -> int:
    """Characters of JSON, or fewer if they are too many already."""
    words = len(reply.text) + len(reply.reasoning or "")
    return words if words > room else len(records.encode(reply_part(reply)))


def _usage(reply: Reply) -> records.Usage:
    name = reply.served_model
    known = {field: getattr(reply, field) for field in records.Usage.__struct_fields__}
    return records.Usage(**known | {"served_model": name if name is not None and len(name) <= _LONGEST_NAME else None})
