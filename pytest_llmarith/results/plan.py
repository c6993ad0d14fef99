"""How many questions show a difference between two models, and what they cost.

The share of questions that only one of both models gets right decides how many pairs
are needed. It is taken from runs, or assumed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from statistics import fmean
from typing import NamedTuple

from pytest_llmarith.results.compare_rows import rows_of
from pytest_llmarith.results.keys import differing, parameters_of
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.results.questions import Pair, Question
from pytest_llmarith.statistics.intervals import score_interval
from pytest_llmarith.statistics.plans import paired_questions, unpaired_questions
from pytest_llmarith.types import Price

_SHARES = (0.05, 0.1, 0.2)  # discordant, if they are assumed
FEWEST_PAIRS = 50  # for an estimate
_ACCURACY = 0.5  # if it is unknown; the number of questions is largest there


class Tokens(NamedTuple):
    """Prompt and completion tokens of a question, reasoning included."""

    prompt: float
    completion: float


class Cost(NamedTuple):
    """A model with the tokens of one question and its prices, None if they are unknown.

    With `without_reasoning` the tokens are only those of the answer, and the model may
    reason before it.
    """

    model: str
    tokens: Tokens
    price: Price | None
    batch: Price | None
    without_reasoning: bool


class Grid(NamedTuple):
    """The variants and depths of the task for which questions are planned."""

    task: str
    variants: int
    cells: int

    @property
    def rows(self) -> int:
        """The rows of a comparison: over all, and one for each variant."""
        return 1 + self.variants


class Need(NamedTuple):
    """Questions that each of two models has to be asked; None if more than 131,072 are
    needed.

    They show the difference over all questions after Holm's correction for `tests` rows
    of a comparison.

    `discordant` is the share of questions that the plan takes only one of both to get
    right. `measured` is how many were in the runs, such as `0 of 72`, or `assumed`;
    `at_most` are the paired questions for the upper end of its 95 % interval.
    """

    first: str
    second: str
    measured: str
    tests: int
    discordant: float
    paired: int | None
    at_most: int | None
    unpaired: int


def needs(points: float, runs: Sequence[LoadedRun], grid: Grid) -> list[Need]:
    """The questions that show a difference of so many percentage points.

    There is a row for each pair of models that answered at least 50 questions in
    common. If there is none, the share of questions that only one of both gets right is
    assumed.
    """
    difference, questions = points / 100, _questions(runs)
    shares = [
        question.measured.share
        for asked in questions.values()
        for question in asked.values()
    ]
    accuracy = fmean(shares) if shares else _ACCURACY
    found = []
    for (one, first), (other, second) in combinations(questions.items(), 2):
        common = sorted(first.keys() & second.keys(), key=str)
        both = [
            (first[key].measured.share, second[key].measured.share) for key in common
        ]
        if len(both) >= FEWEST_PAIRS:
            differing = sum(abs(a - b) for a, b in both)
            # If none differs, at most 3 of the same number do (Hanley and Lippman-Hand
            # 1983, JAMA 249, 1743-1745).
            share = max(difference, max(3.0, differing) / len(both))
            upper = max(share, score_interval(differing / len(both), len(both)).high)
            tests = _tests((first[key], second[key]) for key in common)
            numbers = (
                paired_questions(share, difference, tests),
                paired_questions(upper, difference, tests),
            )
            unpaired = unpaired_questions(
                fmean(a + b for a, b in both) / 2, difference, tests
            )
            found.append(
                Need(
                    one,
                    other,
                    f"{differing:.4g} of {len(both):,}",
                    tests,
                    share,
                    *numbers,
                    unpaired,
                )
            )
    if found:
        return found
    best, worst = (
        min(1.0, accuracy + difference / 2),
        max(0.0, accuracy - difference / 2),
    )
    independent = best * (1 - worst) + worst * (
        1 - best
    )  # in fact models agree more often
    shares = sorted({max(difference, min(one, independent)) for one in _SHARES})
    unpaired = unpaired_questions(accuracy, difference, grid.rows)
    needed = (
        (share, paired_questions(share, difference, grid.rows)) for share in shares
    )
    return [
        Need("any", "another", "assumed", grid.rows, share, paired, None, unpaired)
        for share, paired in needed
    ]


def _tests(pairs: Iterable[Pair]) -> int:
    """How many rows of a comparison of these questions have a test."""
    return sum(row.p is not None for row in rows_of(pairs, paired=True))


def _questions(
    runs: Sequence[LoadedRun],
) -> Mapping[str, Mapping[tuple[int, int | None, str], Question]]:
    found: defaultdict[str, dict[tuple[int, int | None, str], Question]] = defaultdict(
        dict
    )
    for run, names in zip(runs, names_of(runs), strict=True):
        for asked in run.asked():
            of_model = found[names[asked.model]]
            for one in asked.questions:
                if one.answered:
                    key = one.problem, one.prompt, one.condition
                    before = of_model.get(key, replace(one, answered=0, correct=0))
                    both = before.answered + one.answered, before.correct + one.correct
                    of_model[key] = replace(one, answered=both[0], correct=both[1])
    return found


def names_of(runs: Sequence[LoadedRun]) -> list[dict[str, str]]:
    """The models of each run, by their names there, with the parameters in which those
    of one name differ.
    """
    found = [
        (number, one.model)
        for number, run in enumerate(runs)
        for one in run.summary().results
    ]
    parameters = differing(
        [
            (model, parameters_of(runs[number].summary().run, model))
            for number, model in found
        ]
    )
    names: list[dict[str, str]] = [{} for _ in runs]
    for (number, model), sent in zip(found, parameters, strict=True):
        names[number][model] = ", ".join(filter(None, (model, sent)))
    return names


def mean_tokens(runs: Sequence[LoadedRun]) -> dict[str, Tokens]:
    """The mean tokens of the replies that report them, by model; without searches,
    whose questions are chosen.
    """
    found: defaultdict[str, list[Tokens]] = defaultdict(list)
    for run, names in zip(runs, names_of(runs), strict=True):
        for record in run.records():
            reply = None if record.search else record.reply
            if (
                reply
                and reply.prompt_tokens is not None
                and reply.completion_tokens is not None
            ):
                found[names[record.model]].append(
                    Tokens(reply.prompt_tokens, reply.completion_tokens)
                )
    return {
        model: Tokens(*map(fmean, zip(*tokens, strict=True)))
        for model, tokens in found.items()
    }
