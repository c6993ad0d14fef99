"""The search for the simplest question that is answered wrongly, within a budget of questions, and its record.

hypothesis makes the pairs of numbers and shrinks them. Its bounds do not count questions, so a counter ends the
search by an exception. It takes a question that fails only sometimes for a fault of the test, so every question is
judged once, and comes from memory when it is met again. It stops shrinking after five minutes, which a slow model may
need for a few questions, so the search is made again, from memory, until it asks nothing new. The course of a search
depends only on the seed and the answers.

A question fails only if it is wrong again when it is asked again, so that a model that errs by chance is not taken for
one that breaks. The first question that fails, and the one that the search ends with, are asked again three times and
have to be wrong each time; those on the way between them, once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from random import Random

from hypothesis import HealthCheck, Phase, Verbosity, find, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample
from hypothesis.strategies import SearchStrategy

from pytest_llmarith import records
from pytest_llmarith.evaluate import Trial, Verdict, record, reply_part, unanswered_record
from pytest_llmarith.records import Record
from pytest_llmarith.tasks import arithmetic
from pytest_llmarith.tasks.addition import AdditionProblem
from pytest_llmarith.tasks.arithmetic import ArithmeticProblem
from pytest_llmarith.tasks.breaking_point import CONFIRMATIONS, MOST_DIGITS, SIMPLEST, Draws, simplicity
from pytest_llmarith.types import DEFAULT_CONDITION, Failure, Outcome, Reading, Reply, SearchEnd

_RUNGS = (2, 4, 8, 16, MOST_DIGITS)  # digits that the search climbs to, one after another
_FIRST_TRIES = 4  # pairs that it tries on each rung; twice as many each time it climbs again
_ROOM = 4_000_000  # characters of JSON for all replies: a quarter of the longest line that is read
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
        return f"{lhs} {arithmetic.fields(self.problem, DEFAULT_CONDITION)['sign']} {rhs}"

    @property
    def answer(self) -> str | None:
        """The answer by the reading that counts."""
        readings = self.verdict.readings
        answer = readings.strict if self.reading is Reading.STRICT else readings.tolerant
        return None if answer is None else format(answer, "f")


class SearchEngine:
    """One search. `ask` gets a pair of numbers, and how often that was asked before; what it raises ends the search.

    At most `budget` questions are asked, confirmations included: a new one only if all of its confirmations can
    follow. Pairs that stand for the same `numbers` are one question.
    """

    def __init__(
        self,
        ask: Callable[[Draws, int], Step],
        budget: int,
        seed: str,
        numbers: Callable[[Draws], Draws] = lambda draws: draws,
    ) -> None:
        self._ask = ask
        self._numbers = numbers
        self._budget = budget
        self._seed = seed
        self.answers: dict[Draws, list[Step]] = {}  # of each question, in the order in which they were asked
        self.ending = SearchEnd.UNANSWERED

    @property
    def questions(self) -> int:
        """How many were asked, confirmations included."""
        return sum(map(len, self.answers.values()))

    @property
    def minimum(self) -> Draws | None:
        """The simplest pair that was confirmed: asked again three times, and wrong each time."""
        return min(filter(self._is_confirmed, self.answers), key=simplicity, default=None)

    @property
    def largest_right(self) -> Draws | None:
        """The least simple pair that was answered rightly, at once or when it was asked again."""
        right = (draws for draws, told in self.answers.items() if not told[-1].wrong)
        return max(right, key=simplicity, default=None)

    @property
    def not_reproduced(self) -> int:
        """How many questions were answered wrongly, and rightly when they were asked again."""
        return sum(told[0].wrong and not told[-1].wrong for told in self.answers.values())

    def run(self) -> None:
        """Search, shrink and confirm. Whatever `ask` raised is raised again, with all answers kept."""
        ending = self._searched()
        for draws in sorted(filter(self._is_wrong, self.answers), key=simplicity):
            self._ask_again(draws, CONFIRMATIONS)
            if self._is_confirmed(draws):
                break
            ending = SearchEnd.BUDGET  # another one may be simpler
        self.ending = ending

    def _searched(self) -> SearchEnd:
        try:
            self._climb()
        except _Ended as end:
            if end.cause is not None:
                raise end.cause from None
            if self.minimum is not None:
                return SearchEnd.BUDGET
            return SearchEnd.NOT_REPRODUCED if self.not_reproduced else SearchEnd.NOTHING_FOUND
        return SearchEnd.SHRUNK

    def _climb(self) -> None:
        """Up the rungs until something fails, and shrink that; again with more tries until the budget is spent."""
        found, tries = self._fails(SIMPLEST), _FIRST_TRIES
        while not found:
            found = any(self._fails_within(rung, tries) for rung in _RUNGS)
            tries *= 2

    def _fails_within(self, digits: int, tries: int) -> bool:
        asked = -1
        while asked < len(self.answers):
            asked = len(self.answers)
            try:
                find(
                    pairs(digits),
                    self._fails,
                    settings=_bounded(tries),
                    random=Random(f"{self._seed}/{digits}/{tries}"),
                )
            except NoSuchExample:
                return False
        return True

    def _fails(self, draws: Draws) -> bool:
        asked = self._numbers(draws)
        if asked not in self.answers:
            if self.questions + 1 + CONFIRMATIONS > self._budget:
                raise _Ended
            try:
                self.answers[asked] = [self._ask(asked, 0)]
                self._ask_again(asked, CONFIRMATIONS if self.minimum is None else 1)
            except BaseException as error:  # hypothesis would take an exception for an answer
                raise _Ended(error) from None
        return self._is_wrong(asked)

    def _ask_again(self, draws: Draws, times: int) -> None:
        """Ask again until it was asked again that often, is right, or the budget is spent."""
        told = self.answers[draws]
        while told[-1].wrong and len(told) <= times and self.questions < self._budget:
            told.append(self._ask(draws, len(told)))

    def _is_wrong(self, draws: Draws) -> bool:
        """Whether it was wrong each time so far: it is asked again until it is right."""
        return self.answers[draws][-1].wrong

    def _is_confirmed(self, draws: Draws) -> bool:
        return self._is_wrong(draws) and len(self.answers[draws]) > CONFIRMATIONS


class _Ended(BaseException):
    """Ends a search at once; no Exception, or hypothesis would shrink what raised it."""

    def __init__(self, cause: BaseException | None = None) -> None:
        self.cause = cause


def pairs(digits: int) -> SearchStrategy[Draws]:
    """Two numbers as columns of digits, most pairs long: to leave a column out makes both shorter.

    Drawn as booleans alone: into other draws hypothesis mixes constants of the modules that happen to be loaded.
    """
    columns = st.tuples(_digit(), _digit())
    lengths = st.booleans().map(lambda long: digits // 2 + 1 if long else 0)
    return lengths.flatmap(lambda least: st.lists(columns, min_size=least, max_size=digits)).map(_numbers)


def _digit() -> SearchStrategy[str]:
    bits = st.tuples(*[st.booleans()] * 4)
    return bits.map(lambda bits: str(sum(bit << place for place, bit in enumerate(reversed(bits))) % 10))


def _numbers(columns: list[tuple[str, str]]) -> Draws:
    left, right = ("".join(column[side] for column in columns) for side in (0, 1))
    return int(left or "0"), int(right or "0")


def _bounded(tries: int) -> settings:
    """Settings that determine the course of a search, whatever profile is loaded; nothing is kept on disk."""
    return settings(
        max_examples=tries,
        phases=(Phase.generate, Phase.shrink),
        database=None,
        deadline=None,
        derandomize=False,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )


# --- the record ------------------------------------------------------------------------------------------------------


def record_of_search(trial: Trial, search: SearchEngine, failure: Failure | None) -> Record:
    """The record of a search; a question without an answer leaves all of it unanswered.

    It has the prompt and reply of one question: the smallest that was answered wrongly each time it was asked, else
    the largest that was answered rightly. All questions are in its trail, whose replies are kept whole as long as there
    is room: a record is one line, and lines that are too long are not read.
    """
    if failure is not None:
        return unanswered_record(trial, failure, search=_search(search))
    shown = _shown(search)
    told = replace(shown.reply, retries=tuple(retry for step in _steps(search) for retry in step.reply.retries))
    trial = replace(trial, prompt=shown.prompt)
    return record(trial, told, shown.verdict.outcome, _reason(shown), search=_search(search))


def _shown(search: SearchEngine) -> Step:
    if search.minimum is not None:
        return search.answers[search.minimum][0]
    assert search.largest_right is not None  # a search without a failure has asked something
    return search.answers[search.largest_right][-1]


def _steps(search: SearchEngine) -> Iterator[Step]:
    for steps in search.answers.values():
        yield from steps


def _reason(shown: Step) -> str | None:
    if shown.verdict.reason is not None:
        return str(shown.verdict.reason)
    return f"{shown.question}: expected {shown.problem.expected}, got {shown.answer}" if shown.wrong else None


def _search(search: SearchEngine) -> records.Search:
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
    errors = step.verdict.errors
    return records.Minimum(
        question=step.question,
        expected=step.problem.expected,
        outcome=step.verdict.outcome,
        reason=step.verdict.reason and str(step.verdict.reason),
        answer=step.answer,
        error_class=errors.error_class if errors else None,
    )


def _trail(search: SearchEngine) -> Iterator[records.SearchStep]:
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
