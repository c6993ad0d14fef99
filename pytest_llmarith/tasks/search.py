"""The search for the simplest question that is answered wrongly, within a budget of questions.

hypothesis makes the pairs of numbers and shrinks them. Its bounds do not count questions, so an own counter ends the
search by an exception. It takes a question that fails only sometimes for a fault of the test, so every question is
judged once, and comes from memory when it is met again. It stops shrinking after five minutes, which a slow model may
need for a few questions, so the search is made again, from memory, until it asks nothing new. The course of a search
depends only on the seed and the answers.

A question fails only if it is wrong again when it is asked again, so that a model that errs by chance is not taken for
one that breaks. The first question that fails, and the one that the search ends with, are asked again three times and
have to be wrong each time; those on the way between them, once.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Generic, Protocol, TypeVar

from hypothesis import HealthCheck, Phase, Verbosity, find, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample
from hypothesis.strategies import SearchStrategy

from pytest_llmarith.tasks.breaking_point import MOST_DIGITS, SIMPLEST, Draws, simplicity
from pytest_llmarith.values import CONFIRMATIONS, SearchEnd

_RUNGS = (2, 4, 8, 16, MOST_DIGITS)  # digits that the search climbs to, one after another
_FIRST_TRIES = 4  # pairs that it tries on each rung; twice as many each time it climbs again


class Told(Protocol):
    """What came of one question."""

    @property
    def wrong(self) -> bool: ...


_Answer = TypeVar("_Answer", bound=Told)


class SearchEngine(Generic[_Answer]):
    """One search. `ask` is handed a pair, and how often that was asked before; what it raises ends the search.

    No more than `budget` questions are asked, confirmations included: a new one only if all of its confirmations can
    follow. Pairs that stand for the same `numbers` are one question.
    """

    def __init__(
        self,
        ask: Callable[[Draws, int], _Answer],
        budget: int,
        seed: str,
        numbers: Callable[[Draws], Draws] = lambda draws: draws,
    ) -> None:
        self._ask = ask
        self._numbers = numbers
        self._budget = budget
        self._seed = seed
        self.answers: dict[Draws, list[_Answer]] = {}  # of each question, in the order in which they were asked
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
