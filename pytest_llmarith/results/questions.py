"""The questions that a model was asked, and pairs of the same question on two sides.

A question is a problem in one condition. It has one trial, or several repeats.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from math import isnan, nan
from typing import NamedTuple

from pytest_llmarith.figures.estimates import Trial
from pytest_llmarith.records import Record
from pytest_llmarith.results.keys import Key, key_of, label_of
from pytest_llmarith.statistics.proportions import Cluster
from pytest_llmarith.types import Condition, Outcome

Systems = Mapping[str, str | None]  # the texts of system prompts by name

# label of the condition, task, variant, depth, and the place of the variant
_Cell = tuple[str, str, str | None, int | None, int]
_UNKNOWN = -1  # no hash of Python is -1
_UNANSWERED, _WRONG, _CORRECT = range(3)


@dataclass(slots=True)
class CountedQuestion:
    """A problem in one condition, and its trials. `problem` and `prompt` are hashes."""

    problem: int
    prompt: int | None  # None if it is unknown
    condition: str  # its label; empty for the usual condition
    task: str
    variant: str | None
    depth: int | None
    variant_place: int = 0  # in the task
    asked: int = 0
    answered: int = 0
    correct: int = 0
    score: float = 0.0  # the sum of the scores
    reasoning: float = 0.0  # the sum of its tokens; nan if those of a reply are unknown
    has_fractions: bool = False  # whether a score is between 0 and 1
    # sums of hashes of its replies and of their outcomes, with the repeats
    replies: int = 0
    outcomes: int = 0

    def add(
        self, state: int, score: float, reasoning: float, reply: int, outcome: int
    ) -> None:
        """Count one trial of the question; what is unknown is not a number."""
        self.asked += 1
        if state == _UNANSWERED:
            return
        self.replies += reply
        self.outcomes += outcome
        self.answered += 1
        self.reasoning += reasoning
        self.correct += state == _CORRECT
        if not isnan(score):
            self.score += score
            self.has_fractions = self.has_fractions or 0 < score < 1

    @property
    def unanswered(self) -> int:
        return self.asked - self.answered

    @property
    def mean_reasoning(self) -> float:
        return self.reasoning / self.answered

    @property
    def measured(self) -> Cluster:
        """The answered trials."""
        return Cluster(self.correct, self.answered)


Pair = tuple[CountedQuestion, CountedQuestion]


class Questions:
    """The questions of one model, without searches, whose outcomes are no shares of
    questions.

    Only a few numbers of each record are kept, in columns: as objects they take five
    times as much memory.
    """

    def __init__(self, systems: Systems | None = None) -> None:
        """`systems` has the texts of the run's system prompts, whose names differ
        between runs.

        To compare conditions of one run, it may be left out.
        """
        self.repeated = False  # whether a question was asked several times
        self._systems = systems
        self._cells: dict[_Cell, int] = {}
        # Of each trial its hash, those of problem and prompt, its cell, its state, and
        # hashes of reply and outcome with the repeat.
        self._trials = array("q")
        self._scores = array("d")
        self._reasoning = array("d")

    def __iter__(self) -> Iterator[CountedQuestion]:
        """Without trials that another test asked first, which are the same request."""
        found: dict[Hashable, CountedQuestion] = {}
        seen = set()
        cells = list(self._cells)
        columns = zip(*[iter(self._trials)] * 7, strict=True)
        for (trial, problem, prompt, number, state, *said), score, reasoning in zip(
            columns, self._scores, self._reasoning, strict=True
        ):
            if trial in seen:
                continue
            if trial != _UNKNOWN:
                seen.add(trial)
            key = problem, prompt, number
            if key not in found:
                known = None if prompt == _UNKNOWN else prompt
                found[key] = CountedQuestion(problem, known, *cells[number])
            found[key].add(state, score, reasoning, *said)
        return iter(found.values())

    def add(self, trial: Trial) -> None:
        """Count one trial."""
        if trial.search is not None:
            return
        record, problem = trial.record, trial.record.problem
        # A depth alone was drawn or listed: it is no stratum.
        depth = problem.depth if problem.variant else None
        place = problem.variant_place
        cell = label_of(record.condition), record.task, problem.variant, depth, place
        number = self._cells.setdefault(cell, len(self._cells))
        state = _WRONG
        if record.outcome is Outcome.UNANSWERED:
            state = _UNANSWERED
        elif record.outcome is Outcome.CORRECT:
            state = _CORRECT
        prompt = self._prompt(record)
        one = _UNKNOWN
        if record.nodeid is not None:
            is_answered = state != _UNANSWERED
            one = hash((trial.problem, prompt, number, record.repeat, is_answered))
        self._trials.extend((one, trial.question, prompt, number, state))
        for said in (trial.said, record.outcome):
            self._trials.append(hash((said, record.repeat)))
        score = record.grade.score if record.grade else None
        self._scores.append(nan if score is None else score)
        tokens = record.reply.reasoning_tokens if record.reply else None
        self._reasoning.append(nan if tokens is None else tokens)
        self.repeated = self.repeated or record.repeat > 0

    def _prompt(self, record: Record) -> int:
        """A hash of what was sent: the prompt, and the system prompt of the
        condition.
        """
        system = record.condition.system
        if system is not None and self._systems is not None:
            system = self._systems.get(system)
            if system is None:
                return _UNKNOWN
        if record.prompt is None:
            return _UNKNOWN
        return hash((tuple(record.prompt), system))


class AskedQuestions(NamedTuple):
    """The questions of one model and task in one condition."""

    model: str
    task: str
    condition: Condition | None
    questions: Questions

    @classmethod
    def like(cls, record: Record, systems: Systems | None) -> AskedQuestions:
        """None yet, of the model, task and condition of a record."""
        return cls(record.model, record.task, record.condition, Questions(systems))


def asked_in(found: Iterable[Record], systems: Systems | None) -> list[AskedQuestions]:
    """The questions of records, by model, task and condition."""
    results: dict[Key, AskedQuestions] = {}
    for record in found:
        key = key_of(record)
        if key not in results:
            results[key] = AskedQuestions.like(record, systems)
        results[key].questions.add(Trial(record))
    return list(results.values())


# Questions of the same condition and variant are paired first, then those of the same
# variant, then all others.
_ALIKE: tuple[Callable[[CountedQuestion], Hashable], ...] = (
    lambda one: (one.problem, one.condition, one.variant),
    lambda one: (one.problem, one.variant),
    lambda one: one.problem,
)


def pair(
    first: Iterable[CountedQuestion],
    second: Iterable[CountedQuestion],
    *,
    any_prompt: bool = False,
) -> tuple[list[Pair], list[CountedQuestion], list[CountedQuestion]]:
    """The pairs of questions that both sides were asked, and the questions of only one
    side.

    Questions are the same if problem and prompt are equal; if a prompt is unknown, or
    with `any_prompt`, the problem decides. The result does not depend on the order of
    the questions.
    """
    pairs = []
    left, right = sorted(first, key=_order), sorted(second, key=_order)
    for key in _ALIKE:
        waiting: defaultdict[Hashable, list[CountedQuestion]] = defaultdict(list)
        for one in left:
            waiting[key(one)].append(one)
        alone = []
        for other in right:
            candidates = waiting[key(other)]
            for one in candidates:
                prompts = {one.prompt, other.prompt}
                if any_prompt or None in prompts or len(prompts) == 1:
                    candidates.remove(one)
                    pairs.append((one, other))
                    break
            else:
                alone.append(other)
        left, right = list(chain.from_iterable(waiting.values())), alone
    return pairs, left, right


def _order(question: CountedQuestion) -> tuple[str, str]:
    return question.condition, question.variant or ""


def by_cell(
    questions: Iterable[CountedQuestion], *, with_conditions: bool
) -> dict[Hashable, CountedQuestion]:
    """The questions of each cell (a variant at a depth, in a condition) added up as one
    question.
    """
    found: dict[Hashable, CountedQuestion] = {}
    for one in questions:
        condition = one.condition if with_conditions else ""
        cell = one.task, one.variant, one.depth, condition
        if cell not in found:
            found[cell] = CountedQuestion(
                hash(cell),
                None,
                condition,
                one.task,
                one.variant,
                one.depth,
                one.variant_place,
            )
        whole = found[cell]
        whole.asked += one.asked
        whole.answered += one.answered
        whole.correct += one.correct
    return found


def with_other_prompts(pairs: Iterable[Pair]) -> tuple[list[Pair], list[Pair]]:
    """The pairs whose prompts differ, and those whose prompts are the same.

    If two conditions of a model have the same prompt, it is one request, and its reply
    is no evidence.
    """
    differing = []
    same = []
    for one, other in pairs:
        if one.prompt is not None and one.prompt == other.prompt:
            same.append((one, other))
        else:
            differing.append((one, other))
    return differing, same
