"""How many questions show a difference between two models, and what they cost.

The share of questions that only one of both models gets right decides how many pairs
are needed. It is taken from runs, or assumed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from statistics import fmean
from typing import NamedTuple

from pytest_llmarith.results.families import parts_of
from pytest_llmarith.results.keys import differing, parameters_of
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.results.questions import CountedQuestion, Pair
from pytest_llmarith.statistics.intervals import score_interval
from pytest_llmarith.statistics.plans import paired_questions, unpaired_questions
from pytest_llmarith.types import Price

_SHARES = (0.05, 0.1, 0.2)  # discordant, if they are assumed
_ASSUMED = "assumed"
FEWEST_PAIRS = 50  # for an estimate
_Key = tuple[int, int | None, str]  # problem, prompt and condition of a question
_ACCURACY = 0.5  # if it is unknown; the number of questions is largest there


class Tokens(NamedTuple):
    """Prompt and completion tokens of a question, reasoning included."""

    prompt: float
    completion: float


class ModelCost(NamedTuple):
    """A model with the tokens of one question and its prices, None if they are unknown.

    With `without_reasoning` the tokens are only those of the answer, and the model may
    reason before it.
    """

    model: str
    tokens: Tokens
    price: Price | None
    batch: Price | None
    without_reasoning: bool


class PlannedGrid(NamedTuple):
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

    @property
    def is_assumed(self) -> bool:
        """Whether the share is assumed, as no runs have it."""
        return self.measured == _ASSUMED


def needs(points: float, runs: Sequence[LoadedRun], grid: PlannedGrid) -> list[Need]:
    """The questions that show a difference of so many percentage points.

    There is a row for each pair of models that answered at least 50 questions in
    common. If there is none, the share of questions that only one of both gets right is
    assumed.
    """
    difference = points / 100
    questions = _questions(runs)
    found = []
    for (one, first), (other, second) in combinations(questions.items(), 2):
        common = sorted(first.keys() & second.keys(), key=str)
        if len(common) >= FEWEST_PAIRS:
            pairs = [(first[key], second[key]) for key in common]
            found.append(_measured_need(one, other, pairs, difference))
    if found:
        return found
    shares = []
    for asked in questions.values():
        shares += [question.measured.share for question in asked.values()]
    accuracy = fmean(shares) if shares else _ACCURACY
    return _assumed_needs(accuracy, difference, grid.rows)


def _measured_need(
    one: str, other: str, pairs: Sequence[Pair], difference: float
) -> Need:
    """The questions that two models need, of which these pairs are a sample."""
    count = len(pairs)
    changes, sums = [], []
    for first, second in pairs:
        share, other_share = first.measured.share, second.measured.share
        changes.append(abs(share - other_share))
        sums.append(share + other_share)
    differing = sum(changes)
    # If none differs, at most 3 of the same number do (Hanley and Lippman-Hand
    # 1983, JAMA 249, 1743-1745).
    discordant = max(difference, max(3.0, differing) / count)
    upper = max(discordant, score_interval(differing / count, count).high)
    family = parts_of(pairs, other, one)
    tests = sum(len(part.sides) >= part.fewest for part in family)
    return Need(
        one,
        other,
        measured=f"{differing:.4g} of {count:,}",
        tests=tests,
        discordant=discordant,
        paired=paired_questions(discordant, difference, tests),
        at_most=paired_questions(upper, difference, tests),
        unpaired=unpaired_questions(fmean(sums) / 2, difference, tests),
    )


def _assumed_needs(accuracy: float, difference: float, tests: int) -> list[Need]:
    """The questions that any two models need, for each assumed share of questions that
    only one of both gets right.
    """
    best = min(1.0, accuracy + difference / 2)
    worst = max(0.0, accuracy - difference / 2)
    # In fact models agree more often than independent ones.
    independent = best * (1 - worst) + worst * (1 - best)
    shares = {max(difference, min(share, independent)) for share in _SHARES}
    unpaired = unpaired_questions(accuracy, difference, tests)
    needs = []
    for share in sorted(shares):
        paired = paired_questions(share, difference, tests)
        needs.append(
            Need("any", "another", _ASSUMED, tests, share, paired, None, unpaired)
        )
    return needs


def _questions(
    runs: Sequence[LoadedRun],
) -> Mapping[str, Mapping[_Key, CountedQuestion]]:
    """The answered questions of each model, of all runs together."""
    found: defaultdict[str, dict[_Key, CountedQuestion]] = defaultdict(dict)
    for run, names in zip(runs, names_of(runs), strict=True):
        for asked in run.asked():
            of_model = found[names[asked.model]]
            for one in asked.questions:
                if not one.answered:
                    continue
                key = one.problem, one.prompt, one.condition
                answered, correct = one.answered, one.correct
                if key in of_model:
                    answered += of_model[key].answered
                    correct += of_model[key].correct
                of_model[key] = replace(one, answered=answered, correct=correct)
    return found


def names_of(runs: Sequence[LoadedRun]) -> list[dict[str, str]]:
    """The models of each run, by their names there, with the parameters in which those
    of one name differ.
    """
    names: list[dict[str, str]] = []
    rows, places = [], []
    for run in runs:
        summary = run.summary()
        for result in summary.results:
            rows.append((result.model, parameters_of(summary.run, result.model)))
            places.append(len(names))
        names.append({})
    for (model, _), place, sent in zip(rows, places, differing(rows), strict=True):
        names[place][model] = f"{model}, {sent}" if sent else model
    return names


def mean_tokens(runs: Sequence[LoadedRun]) -> dict[str, Tokens]:
    """The mean tokens of the replies that report them, by model; without searches,
    whose questions are chosen.
    """
    found: defaultdict[str, list[Tokens]] = defaultdict(list)
    for run, names in zip(runs, names_of(runs), strict=True):
        for record in run.records():
            reply = record.reply
            if reply is None or record.search:
                continue
            prompt, completion = reply.prompt_tokens, reply.completion_tokens
            if prompt is not None and completion is not None:
                found[names[record.model]].append(Tokens(prompt, completion))
    means = {}
    for model, replies in found.items():
        prompt_tokens = fmean(tokens.prompt for tokens in replies)
        completion_tokens = fmean(tokens.completion for tokens in replies)
        means[model] = Tokens(prompt_tokens, completion_tokens)
    return means
