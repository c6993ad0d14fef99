"""The search for the simplest question that is answered wrongly, within a budget of
questions, and its record.

Adaptive asking, which measures D50, has a record of the same form.

hypothesis generates and shrinks the pairs of numbers of a space. Three of its limits
matter here:

- It does not count questions, so an exception ends the search when the budget is spent.
- It reports a question that fails only sometimes as flaky, so the verdict on each
  question is cached.
- It stops shrinking after five minutes, in which a slow model may answer few questions,
  so the search is run again from the cache until it asks no new question.

The course of a search depends only on the seed and the answers.

A question fails only if its confirmations are wrong, too: three for the first failing
question and for the final one, one for those in between. A model that errs by chance
does not pass them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Protocol

from hypothesis import HealthCheck, Phase, Verbosity, find, settings
from hypothesis.errors import NoSuchExample
from msgspec import structs

from pytest_llmarith import records
from pytest_llmarith.evaluate import AskedTrial, Graded, record, unanswered_record
from pytest_llmarith.records import Record, Reply, for_record
from pytest_llmarith.tasks.search_questions import (
    CONFIRMATIONS,
    BreakingPointSearch,
    Draws,
    Space,
    ThresholdSearch,
)
from pytest_llmarith.tasks.task import TaskProblem
from pytest_llmarith.types import Outcome, Prompt, Retry, SearchEnd, Unanswered

_FIRST_TRIES = 4  # pairs per size of a space; doubled in each round
_MAX_CHARACTERS = (
    4_000_000  # of JSON for all replies of a record, a quarter of the longest line
)
_LONGEST_NAME = 200  # of a served model; the provider may send any length


@dataclass(frozen=True, slots=True)
class Step:
    """One question of a search, and its answer.

    `before` counts how often it had been asked; in adaptive asking, it is the trial.
    """

    problem: TaskProblem
    prompt: Prompt
    reply: Reply
    graded: Graded
    before: int

    @property
    def wrong(self) -> bool:
        return self.graded.outcome is not Outcome.CORRECT

    @property
    def question(self) -> str:
        """The question as text, such as `27 * 48`."""
        return self.problem.recorded.short

    @property
    def answer(self) -> str | None:
        """The graded answer."""
        return records.as_text(self.graded.answer)


class Ungraded(Exception):
    """The task of a search raised an exception for a reply (`raised`), or returned no
    grade. The reason is that of `step`.
    """

    def __init__(self, step: Step, raised: str | None = None) -> None:
        super().__init__(step.graded.reason)
        self.step = step
        self.raised = raised


_Stop = Unanswered | Ungraded


class SearchEngine:
    """One search.

    `ask` gets a pair of numbers and how often it was asked before; an exception from it
    ends the search.

    At most `budget` questions are asked, confirmations included; a new question is
    asked only if the budget allows all of its confirmations. Pairs with the same
    numbers in the space are one question.
    """

    def __init__(
        self, ask: Callable[[Draws, int], Step], budget: int, seed: str, space: Space
    ) -> None:
        self._ask = ask
        self._space = space
        self.budget = budget
        self._seed = seed
        self.answers: dict[
            Draws, list[Step]
        ] = {}  # by question, in the order of asking
        self.ending = SearchEnd.UNANSWERED

    @property
    def questions(self) -> int:
        """The number of questions asked, confirmations included."""
        return sum(map(len, self.answers.values()))

    @property
    def minimum(self) -> Draws | None:
        """The simplest pair that was confirmed: wrong the first time and in all three
        confirmations.
        """
        return min(
            filter(self._is_confirmed, self.answers),
            key=self._space.simplicity,
            default=None,
        )

    @property
    def largest_right(self) -> Draws | None:
        """The least simple pair that was answered rightly, in the first answer or a
        confirmation.
        """
        right = (draws for draws, steps in self.answers.items() if not steps[-1].wrong)
        return max(right, key=self._space.simplicity, default=None)

    @property
    def not_reproduced(self) -> int:
        """The number of questions answered wrongly at first and rightly in a
        confirmation.
        """
        number = 0
        for steps in self.answers.values():
            if steps[0].wrong and not steps[-1].wrong:
                number += 1
        return number

    def run(self) -> None:
        """Search, shrink and confirm.

        An exception from `ask` is re-raised; all answers are kept.
        """
        __tracebackhide__ = True
        ending = self._shrunk_failure()
        wrong = filter(self._is_wrong, self.answers)
        for draws in sorted(wrong, key=self._space.simplicity):
            self._ask_again(draws, CONFIRMATIONS)
            if self._is_confirmed(draws):
                break
            ending = SearchEnd.BUDGET  # another question may be simpler
        self.ending = ending

    def _shrunk_failure(self) -> SearchEnd:
        __tracebackhide__ = True
        try:
            self._search_all_lengths()
        except _Ended as end:
            if end.cause is not None:
                raise end.cause from None
            if self.minimum is not None:
                return SearchEnd.BUDGET
            if self.not_reproduced:
                return SearchEnd.NOT_REPRODUCED
            return SearchEnd.NOTHING_FOUND
        return SearchEnd.SHRUNK

    def _search_all_lengths(self) -> None:
        """Try ever larger questions until one fails, and shrink it; repeat with more
        tries until the budget ends it.
        """
        found, tries = self._fails(self._space.simplest), _FIRST_TRIES
        while not found:
            found = any(self._fails_within(size, tries) for size in self._space.sizes)
            tries *= 2

    def _fails_within(self, size: int, tries: int) -> bool:
        asked = -1
        while asked < len(self.answers):
            asked = len(self.answers)
            try:
                find(
                    self._space.points(size),
                    self._fails,
                    settings=_bounded(tries),
                    random=Random(f"{self._seed}/{size}/{tries}"),
                )
            except NoSuchExample:
                return False
        return True

    def _fails(self, draws: Draws) -> bool:
        __tracebackhide__ = True
        asked = self._space.numbers(draws)
        if asked not in self.answers:
            if self.questions + 1 + CONFIRMATIONS > self.budget:
                raise _Ended
            try:
                self.answers[asked] = [self._ask(asked, 0)]
                self._ask_again(asked, CONFIRMATIONS if self.minimum is None else 1)
            except (
                BaseException
            ) as error:  # hypothesis would treat an Exception as a failing example
                raise _Ended(error) from None
        return self._is_wrong(asked)

    def _ask_again(self, draws: Draws, times: int) -> None:
        """Repeat a question until it is answered rightly, or was repeated this often,
        or the budget is spent.
        """
        __tracebackhide__ = True
        steps = self.answers[draws]
        while steps[-1].wrong and len(steps) <= times and self.questions < self.budget:
            steps.append(self._ask(draws, len(steps)))

    def _is_wrong(self, draws: Draws) -> bool:
        """Whether all answers so far are wrong: the last one decides, as a right answer
        ends the repetition.
        """
        return self.answers[draws][-1].wrong

    def _is_confirmed(self, draws: Draws) -> bool:
        return self._is_wrong(draws) and len(self.answers[draws]) > CONFIRMATIONS


class _Ended(BaseException):
    """Ends a search at once.

    It is a BaseException because hypothesis handles every Exception itself.
    """

    def __init__(self, cause: BaseException | None = None) -> None:
        self.cause = cause


def _bounded(tries: int) -> settings:
    """Settings that fix the course of a search, independent of the loaded profile and
    without a database.
    """
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


class Asking(Protocol):
    """Asks a question:

    `before` counts how often it was asked, or `trial` is its number. Raises Unanswered.
    """

    def __call__(self, question: TaskProblem, **changes: int) -> Step: ...


class Chooser(Protocol):
    """Chooses the depths of adaptive asking."""

    def add(self, depth: int, *, is_right: bool) -> None: ...
    def next_depth(self) -> int | None: ...


def run_search(
    problem: TaskProblem,
    trial: AskedTrial,
    ask: Asking,
    chooser: Callable[[Sequence[int], float], Chooser],
) -> Record:
    """Ask the questions of a search, and return its record."""
    __tracebackhide__ = True
    search = problem.search
    if isinstance(search, ThresholdSearch):
        return _run_threshold(
            search, trial, ask, chooser(search.depths, search.half_width)
        )
    assert isinstance(search, BreakingPointSearch)
    space = search.space

    def ask_drawn(draws: Draws, before: int) -> Step:
        __tracebackhide__ = True
        return ask(space.question(draws), before=before)

    engine = SearchEngine(
        ask_drawn,
        search.budget,
        f"{problem.seed}/{problem.task}/{problem.label}",
        space,
    )
    stopped = None
    try:
        engine.run()
    except (Unanswered, Ungraded) as error:
        stopped = error
    return record_of_search(trial, engine, stopped)


def _run_threshold(
    search: ThresholdSearch, trial: AskedTrial, ask: Asking, chooser: Chooser
) -> Record:
    """Ask until D50 is known well enough, or the budget is spent."""
    __tracebackhide__ = True
    trials = Counter[int]()
    steps: list[Step] = []
    stopped: _Stop | None = None
    depth: int | None = search.first().depth
    while depth is not None and len(steps) < search.budget:
        try:
            steps.append(
                ask(search.question(depth, trials[depth]), trial=trials[depth])
            )
        except (Unanswered, Ungraded) as error:
            stopped = error
            break
        trials[depth] += 1
        chooser.add(depth, is_right=not steps[-1].wrong)
        depth = chooser.next_depth()
    return record_of_threshold(trial, search, steps, depth is None, stopped)


# --- the record -----------------------------------------------------------------------


def record_of_search(
    trial: AskedTrial, search: SearchEngine, stopped: _Stop | None
) -> Record:
    """The record of a search; it is unanswered if one question got no reply or grade.

    Its prompt and reply are those of the confirmed minimum, else of the largest
    question answered rightly. The trail lists all questions; their replies are kept up
    to a total length, because lines that are too long cannot be read.
    """
    details = _details(search, stopped)
    if stopped is not None:
        return _stopped_record(trial, stopped, details)
    shown = _shown(search)
    found = Graded(
        shown.graded.outcome,
        _reason(shown),
        grade=records.RecordedGrade(None, details=details),
    )
    return record(
        replace(trial, prompt=shown.prompt), _with_retries(shown, _steps(search)), found
    )


def record_of_threshold(
    trial: AskedTrial,
    search: ThresholdSearch,
    steps: Sequence[Step],
    reached: bool,
    stopped: _Stop | None,
) -> Record:
    """The record of adaptive asking:

    `correct` if the wanted interval was reached, else `nan`, or unanswered.

    Its prompt and reply are those of the last question.
    """
    ended = SearchEnd.NOT_REACHED
    if stopped is not None:
        ended = SearchEnd.UNANSWERED
    elif reached:
        ended = SearchEnd.REACHED
    steps = [*steps, *_ungraded(stopped)]
    details = records.SearchDetails(
        ended=ended,
        budget=search.budget,
        questions=len(steps),
        minimum=None,
        not_reproduced=0,
        largest_right=None,
        trail=list(_trail(steps)),
        depths=list(search.depths),
        half_width=search.half_width,
    )
    if stopped is not None:
        return _stopped_record(trial, stopped, details)
    grade = records.RecordedGrade(None, details=details)
    if reached:
        found = Graded(Outcome.CORRECT, grade=grade)
    else:
        found = Graded(Outcome.NAN, str(ended), grade=grade)
    last = replace(trial, prompt=steps[-1].prompt)
    return record(last, _with_retries(steps[-1], steps), found)


def not_run(budget: int) -> records.RecordedGrade:
    """The grade of a search whose worker crashed, or whose task returned no grade."""
    return records.RecordedGrade(
        None,
        details=records.SearchDetails(
            SearchEnd.UNANSWERED, budget, 0, None, 0, None, []
        ),
    )


def _stopped_record(
    trial: AskedTrial, stopped: _Stop, details: records.SearchDetails
) -> Record:
    """The unanswered record of a search, with the reply that was not graded."""
    grade = records.RecordedGrade(None, details=details)
    if isinstance(stopped, Unanswered):
        return unanswered_record(trial, stopped.failure, grade)
    step = stopped.step
    found = replace(step.graded, grade=grade)
    return record(
        replace(trial, prompt=step.prompt), step.reply, found, raised=stopped.raised
    )


def _ungraded(stopped: _Stop | None) -> list[Step]:
    """The question whose reply was not graded, if there is one."""
    if isinstance(stopped, Ungraded):
        return [stopped.step]
    return []


def _with_retries(shown: Step, steps: Iterable[Step]) -> Reply:
    """The reply of one step, with the retries of all."""
    retries = list[Retry]()
    for step in steps:
        retries += step.reply.retries
    return structs.replace(shown.reply, retries=tuple(retries))


def _shown(search: SearchEngine) -> Step:
    if search.minimum is not None:
        return search.answers[search.minimum][0]
    # Without a failure, at least one question was asked.
    assert search.largest_right is not None
    return search.answers[search.largest_right][-1]


def _steps(search: SearchEngine) -> Iterator[Step]:
    for steps in search.answers.values():
        yield from steps


def _reason(shown: Step) -> str | None:
    if shown.graded.outcome is Outcome.NAN:
        return shown.graded.reason
    if not shown.wrong:
        return None
    return (
        f"{shown.question}: expected {records.as_text(shown.problem.expected)}, "
        f"got {shown.answer}"
    )


def _details(search: SearchEngine, stopped: _Stop | None) -> records.SearchDetails:
    steps = [*_steps(search), *_ungraded(stopped)]
    minimum = largest_right = None
    if search.minimum is not None:
        minimum = _minimum(search.answers[search.minimum][0])
    if search.largest_right is not None:
        largest_right = search.answers[search.largest_right][0].question
    return records.SearchDetails(
        ended=search.ending,
        budget=search.budget,
        questions=len(steps),
        minimum=minimum,
        not_reproduced=search.not_reproduced,
        largest_right=largest_right,
        trail=list(_trail(steps)),
    )


def _minimum(step: Step) -> records.Minimum:
    error_class = None
    details = step.graded.grade and step.graded.grade.details
    if isinstance(details, records.NumberDetails):
        error_class = details.error_class
    return records.Minimum(
        question=step.question,
        expected=records.as_text(step.problem.expected),
        outcome=step.graded.outcome,
        reason=step.graded.reason,
        answer=step.answer,
        error_class=error_class,
    )


def _trail(steps: Sequence[Step]) -> Iterator[records.SearchStep]:
    replies = replies_within_limit(step.reply for step in steps)
    for step, (reply, usage) in zip(steps, replies, strict=True):
        depth = step.problem.depth
        yield records.SearchStep(
            step.question, step.before, step.graded.outcome, reply, usage, depth
        )


def replies_within_limit(
    replies: Iterable[Reply],
) -> Iterator[tuple[Reply | None, records.Usage | None]]:
    """Each reply, or only its usage if it exceeds the remaining length; later, shorter
    replies may still fit.
    """
    remaining = _MAX_CHARACTERS
    for reply in replies:
        part = for_record(reply)
        length = len(records.encode(part))
        if length <= remaining:
            remaining -= length
            yield part, None
        else:
            names = records.Usage.__struct_fields__
            usage = {name: getattr(part, name) for name in names}
            if part.served_model:
                usage["served_model"] = part.served_model[:_LONGEST_NAME]
            yield None, records.Usage(**usage)
