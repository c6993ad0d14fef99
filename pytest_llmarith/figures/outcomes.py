"""Outcomes: counts, percentages, strata of problems, repeats."""

from __future__ import annotations

import collections
from array import array
from collections.abc import Callable, Hashable, Iterator, Sequence
from math import comb
from typing import NamedTuple

from pytest_llmarith.figures.estimates import Figure, Leaf, MakeFigures, Measure, Trial
from pytest_llmarith.figures.shares import (
    NOISE,
    noise_of,
    percentage,
    percentage_of_cells,
    percentage_of_clusters,
    percentages,
)
from pytest_llmarith.statistics.intervals import in_percent
from pytest_llmarith.statistics.proportions import Cell, Cluster, pass_at
from pytest_llmarith.types import NanReason, Outcome

_MOST_OF_STRATUM = 100  # and more
_OUTCOMES = (*Outcome, Outcome.NAN)
_TRUNCATED = len(Outcome)  # the place of such replies, which have no answer
_NONE = -1  # no answer; no hash of Python is -1


class Outcomes(collections.Counter[Outcome]):
    """Trials by outcome."""

    @property
    def measured(self) -> int:
        """Trials with a reply."""
        return self.total() - self[Outcome.UNANSWERED]


class _Try(NamedTuple):
    answer: int  # equal for equal answers
    text: int  # equal for equal replies
    outcome: Outcome
    is_truncated: bool


_Repeats = dict[int, _Try]  # the trials of one problem by the number of the repeat


class OutcomeCounter:
    def __init__(self) -> None:
        self.outcomes = Outcomes()
        self.first = Outcomes()  # first repeats; other ones are not independent
        self.searched = False
        self.strata = collections.Counter[tuple[str, int, bool]]()
        self.repeats = 1
        # Of each trial its problem, repeat, answer, reply and outcome: as objects they
        # take ten times as much memory.
        self.trials = array("q")

    def add(self, trial: Trial) -> None:
        record = trial.record
        outcome = record.outcome
        self.outcomes[outcome] += 1
        self.repeats = max(self.repeats, record.repeat + 1)
        is_search = trial.search is not None
        # A search with a result is no share of questions.
        if is_search and outcome is not Outcome.UNANSWERED:
            self.searched = True
        if not is_search and record.repeat == 0:
            self.first[outcome] += 1
        if outcome is Outcome.UNANSWERED:
            return
        place = _OUTCOMES.index(outcome)
        if outcome is Outcome.NAN and record.reason == NanReason.TRUNCATED:
            place = _TRUNCATED
        said = trial.said or _NONE
        self.trials.extend((trial.problem, record.repeat, _answer(trial), said, place))
        if not is_search:
            is_correct = outcome is Outcome.CORRECT
            for name, value in record.problem.strata.items():
                self.strata[name, min(value, _MOST_OF_STRATUM), is_correct] += 1


def _answer(trial: Trial) -> int:
    """A hash of a number without trailing zeros, of another answer as text, or of what
    the task compares.
    """
    record = trial.record
    if trial.of_task.answer_of is not None:
        answer = trial.of_task.answer_of(trial)
        return _NONE if answer is None else hash(answer)
    text = record.answer_text
    if text is None:
        return _NONE
    if record.reading is not None and "." in text:
        text = text.rstrip("0").rstrip(".")
    return hash(text)


def together(leaves: Sequence[Leaf]) -> Outcomes:
    """The outcomes of all leaves."""
    found = Outcomes()
    for leaf in leaves:
        found.update(leaf.counted.outcomes)
    return found


# --- counts and percentages -----------------------------------------------------------


def _count_of(outcome: Outcome) -> MakeFigures:
    def figures(leaves: Sequence[Leaf]) -> Iterator[Figure]:
        yield Figure(together(leaves)[outcome])

    return figures


def _percentage_of(outcome: Outcome) -> MakeFigures:
    def figures(leaves: Sequence[Leaf]) -> Iterator[Figure]:
        if any(leaf.counted.searched for leaf in leaves):
            return
        cells = []
        for one in _designed(leaves):
            cells.append(Cell(one[outcome], one.measured, one.total()))
        found = percentage_of_cells(cells, _clusters(leaves, outcome))
        if found is not None:
            yield found

    return figures


def _designed(leaves: Sequence[Leaf]) -> list[Outcomes]:
    """The outcomes of cells, which are weighted by the questions that the run asked.

    A variant or a depth alone was listed or drawn, and not designed: all of these are
    one cell.
    """
    cells, others = [], Outcomes()
    for leaf in leaves:
        if leaf.variant and leaf.depth is not None:
            cells.append(leaf.counted.outcomes)
        else:
            others.update(leaf.counted.outcomes)
    return [*cells, others]


def _measured(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    yield Figure(together(leaves).measured)


def _strata(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    counted = collections.Counter[tuple[str, int, bool]]()
    for leaf in leaves:
        counted.update(leaf.counted.strata)
    names = dict.fromkeys(name for name, _, _ in counted)
    for name in names:
        for value in sorted({value for one, value, _ in counted if one == name}):
            correct = counted[name, value, True]
            measured = correct + counted[name, value, False]
            yield Figure(correct, n=measured, by=name, at=str(value))


# --- repeats --------------------------------------------------------------------------


def _problems(leaves: Sequence[Leaf]) -> list[_Repeats]:
    """The trials of each problem; none if every problem was asked once."""
    if all(leaf.counted.repeats == 1 for leaf in leaves):
        return []
    found: dict[int, _Repeats] = {}
    for leaf in leaves:
        columns = zip(*[iter(leaf.counted.trials)] * 5, strict=True)
        for problem, repeat, answer, said, place in columns:
            one = _Try(answer, said, _OUTCOMES[place], place == _TRUNCATED)
            found.setdefault(problem, {})[repeat] = one
    return list(found.values())


def _clusters(
    leaves: Sequence[Leaf], outcome: Outcome = Outcome.CORRECT
) -> list[Cluster]:
    """The trials of each problem, and how many of them have this outcome."""
    clusters = []
    for repeats in _problems(leaves):
        some = sum(one.outcome is outcome for one in repeats.values())
        clusters.append(Cluster(some, len(repeats)))
    return clusters


def _without_truncated(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    lost = sum(leaf.counted.trials[4::5].count(_TRUNCATED) for leaf in leaves)
    outcomes = together(leaves)
    found = percentage(outcomes[Outcome.CORRECT], outcomes.measured - lost)
    clusters = []
    for repeats in _problems(leaves):
        whole = [one for one in repeats.values() if not one.is_truncated]
        if whole:
            right = sum(one.outcome is Outcome.CORRECT for one in whole)
            clusters.append(Cluster(right, len(whole)))
    if clusters:
        found = percentage_of_clusters(clusters)
    if lost and found:
        yield found


def _repeats(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    repeats = max(leaf.counted.repeats for leaf in leaves)
    if repeats > 1:
        yield Figure(repeats, n=len(_problems(leaves)))


def _consistency(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    several = agreeing = 0
    for repeats in _problems(leaves):
        if len(repeats) > 1:
            several += 1
            agreeing += _agree(repeats)
    yield from percentages([Figure(agreeing, n=several)])


def _pass_at_1(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    found = percentage_of_clusters(_clusters(leaves))
    if found is not None:
        yield found


def _pass_at_k(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    repeats = max(leaf.counted.repeats for leaf in leaves)
    found = pass_at(repeats, _clusters(leaves))
    if found is not None:
        yield Figure(in_percent(found))


def _majority(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    problems = _problems(leaves)
    correct = sum(map(_majority_is_correct, problems))
    return percentages([Figure(correct, n=len(problems))])


def _agree(repeats: _Repeats) -> bool:
    """Whether all repeats have the same answer; those without an answer agree if they
    are the same text.
    """
    answers = {one.answer for one in repeats.values()}
    if answers == {_NONE}:
        answers = {one.text for one in repeats.values()}
    return len(answers) == 1 and _NONE not in answers


def _majority_is_correct(repeats: _Repeats) -> bool:
    """Whether the most frequent answer is correct; in a tie, that of the earliest
    repeat.
    """
    votes = collections.Counter[int]()
    correct = set()
    for _, one in sorted(repeats.items()):
        if one.answer != _NONE:
            votes[one.answer] += 1
            if one.outcome is Outcome.CORRECT:
                correct.add(one.answer)
    if not votes:
        return False
    [(answer, _)] = votes.most_common(1)
    return answer in correct


def _pairs_alike(
    leaves: Sequence[Leaf], of: Callable[[_Try], Hashable]
) -> list[Cluster]:
    """Of each problem, the pairs of repeats, and how many of them are alike."""
    clusters = []
    for repeats in _problems(leaves):
        sizes = collections.Counter(map(of, repeats.values())).values()
        alike = sum(comb(size, 2) for size in sizes)
        clusters.append(Cluster(alike, comb(len(repeats), 2)))
    return [one for one in clusters if one.trials]


def _alike(
    of: Callable[[_Try], Hashable],
) -> MakeFigures:
    def figures(leaves: Sequence[Leaf]) -> Iterator[Figure]:
        found = percentage_of_clusters(_pairs_alike(leaves, of))
        if found is not None:
            yield found

    return figures


def _noise(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    clusters = _pairs_alike(leaves, lambda one: one.outcome is Outcome.CORRECT)
    alike = percentage_of_clusters(clusters)
    if alike is not None:
        yield noise_of(alike, len(clusters))


# --- measures -------------------------------------------------------------------------


def _of_outcomes() -> Iterator[Measure]:
    for outcome in Outcome:
        meaning = f"trials with the outcome {outcome}"
        yield Measure(
            outcome, outcome, "trials", meaning, OutcomeCounter, _count_of(outcome)
        )
    yield Measure(
        "measured",
        "measured",
        "trials",
        "trials with a reply",
        OutcomeCounter,
        _measured,
    )
    for outcome in Outcome:
        if outcome is not Outcome.UNANSWERED:
            key, title = f"{outcome}_percentage", f"{outcome} %"
            meaning = f"of the trials with a reply, those with the outcome {outcome}"
            yield Measure(
                key, title, "%", meaning, OutcomeCounter, _percentage_of(outcome)
            )


MEASURES = (
    *_of_outcomes(),
    Measure(
        "stratum",
        "correct by stratum",
        "trials",
        "correct trials, of n with a reply, by other properties of problems",
        OutcomeCounter,
        _strata,
    ),
    Measure(
        "correct_without_truncated",
        "correct without truncated %",
        "%",
        "correct replies of those that are not truncated, if some are",
        OutcomeCounter,
        _without_truncated,
    ),
    Measure(
        "repeats",
        "repeats",
        "repeats",
        "how often each of n problems with a reply was asked",
        OutcomeCounter,
        _repeats,
    ),
    Measure(
        "consistency",
        "consistent %",
        "%",
        "of the problems with two replies or more, those whose replies all have the "
        "same answer",
        OutcomeCounter,
        _consistency,
    ),
    Measure(
        "same_reply",
        "same reply %",
        "%",
        "pairs of replies to the same problem that are the same text",
        OutcomeCounter,
        _alike(lambda one: one.text),
    ),
    Measure(
        "same_outcome",
        "same outcome %",
        "%",
        "pairs of replies to the same problem that have the same outcome",
        OutcomeCounter,
        _alike(lambda one: one.outcome),
    ),
    Measure("noise", "noise", "percentage points", NOISE, OutcomeCounter, _noise),
    Measure(
        "pass_at_1",
        "pass@1",
        "%",
        "correct trials; the interval accounts for the correlation of repeats",
        OutcomeCounter,
        _pass_at_1,
    ),
    Measure(
        "pass_at_k",
        "pass@k",
        "%",
        "probability that one of as many tries as there are repeats is correct, over "
        "problems with a reply to all of them",
        OutcomeCounter,
        _pass_at_k,
    ),
    Measure(
        "majority",
        "majority %",
        "%",
        "problems whose most frequent answer is correct",
        OutcomeCounter,
        _majority,
    ),
)
