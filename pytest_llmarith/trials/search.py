"""The search for the simplest question that is answered wrongly, within a budget of questions. It knows neither models
nor prompts: whoever wants a search says how a pair of numbers is asked.

hypothesis makes the pairs and shrinks them. Three things of it are held in check. Its bounds do not count questions: a
counter of our own ends the search by an exception that passes through it. It takes a question that fails only sometimes
for a fault of the test: here every question has one answer, from memory when it comes again. And it stops shrinking
after five minutes, which a slow model may need for a few questions: the search is made again, from memory, until it
asks nothing new. So its course depends on the seed and the answers alone.
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
from pytest_llmarith.values import SearchEnd

_RUNGS = (2, 4, 8, 16, MOST_DIGITS)  # digits that the search climbs to, one after another
_FIRST_TRIES = 4  # pairs that it tries on each rung; twice as many each time it climbs again


class Told(Protocol):
    """What came of one question."""

    @property
    def wrong(self) -> bool: ...


_Answer = TypeVar("_Answer", bound=Told)


class SearchEngine(Generic[_Answer]):
    """One search. `ask` is handed a pair, and how often that was asked before; what it raises ends the search.

    Of the `budget`, `confirm` questions are left for asking the smallest failing one again. Pairs that stand for the
    same `numbers` are one question.
    """

    def __init__(
        self,
        ask: Callable[[Draws, int], _Answer],
        budget: int,
        confirm: int,
        seed: str,
        numbers: Callable[[Draws], Draws] = lambda draws: draws,
    ) -> None:
        self._ask = ask
        self._numbers = numbers
        self._most = max(1, budget - confirm)
        self._confirm = min(confirm, budget - self._most)
        self._seed = seed
        self.answers: dict[Draws, _Answer] = {}  # in the order in which they were asked
        self.again: list[_Answer] = []
        self.ending = SearchEnd.UNANSWERED

    @property
    def questions(self) -> int:
        """How many were asked."""
        return len(self.answers) + len(self.again)

    @property
    def minimum(self) -> Draws | None:
        """The simplest pair that was answered wrongly."""
        return min((draws for draws, told in self.answers.items() if told.wrong), key=simplicity, default=None)

    @property
    def largest_right(self) -> Draws | None:
        """The least simple pair that was answered rightly."""
        return max((draws for draws, told in self.answers.items() if not told.wrong), key=simplicity, default=None)

    @property
    def flaky(self) -> bool:
        """Whether the smallest failing question was answered rightly when it was asked again."""
        return not all(told.wrong for told in self.again)

    def run(self) -> None:
        """Search, shrink and confirm. Whatever `ask` raised is raised again, with all answers kept."""
        ending = self._searched()
        if (minimum := self.minimum) is not None:
            for before in range(1, self._confirm + 1):
                self.again.append(self._ask(minimum, before))
        self.ending = ending

    def _searched(self) -> SearchEnd:
        try:
            self._climb()
        except _Ended as end:
            if end.cause is not None:
                raise end.cause from None
            return SearchEnd.NOTHING_FOUND if self.minimum is None else SearchEnd.BUDGET
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
            if len(self.answers) == self._most:
                raise _Ended
            try:
                self.answers[asked] = self._ask(asked, 0)
            except BaseException as error:  # hypothesis would take an exception for an answer
                raise _Ended(error) from None
        return self.answers[asked].wrong


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
    """All that bears on the course of a search, whatever profile somebody has loaded; nothing is kept on disk."""
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
