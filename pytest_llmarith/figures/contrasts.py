"""Contrasts: places beside others, by questions of both, and how they differ."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from pytest_llmarith.figures.estimates import Estimate, Figure, Place, Value
from pytest_llmarith.figures.shares import NOISE, ratio
from pytest_llmarith.statistics.intervals import in_percent
from pytest_llmarith.statistics.pairs import (
    DifferenceOfShares,
    compare_means,
    compare_pairs,
    holm,
)
from pytest_llmarith.statistics.plans import detectable
from pytest_llmarith.statistics.proportions import Cluster
from pytest_llmarith.statistics.strata import compare_strata

DIFFERENCE = "difference"
SCORES = "score_difference"
D50 = "d50_difference"
EFFORT = "reasoning_ratio"

_POINTS, _PERCENT, _QUESTIONS = "percentage points", "%", "questions"
# Title, unit and meaning of the figures of a contrast, by what follows its key.
_PARTS: Mapping[str, tuple[str, str, str]] = {
    "": ("difference", _POINTS, "this place minus the other, by questions of both"),
    "_percentage": ("percentage", _PERCENT, "of this place, by these questions"),
    "_percentage_beside": ("beside", _PERCENT, "of the other place"),
    "_correct": ("correct", "trials", "correct trials of this place"),
    "_correct_beside": ("correct beside", "trials", "of the other place"),
    "_better": ("better", _QUESTIONS, "questions that went better here"),
    "_worse": ("worse", _QUESTIONS, "questions that went worse here"),
    "_p": ("p", "", "the test of this difference alone"),
    "_p_holm": ("p, corrected", "", "with Holm's correction for all that is compared"),
    "_detectable": (
        "detectable",
        _POINTS,
        "the smallest difference that the pairs show with 80 % power, after Holm's "
        "correction",
    ),
    "_same_replies": (
        "same replies",
        _PERCENT,
        "questions with the same reply in both",
    ),
    "_same_outcomes": (
        "same outcomes",
        _PERCENT,
        "questions with the same outcome in both",
    ),
    "_noise": ("noise", _POINTS, NOISE),
    "_same_prompts": (
        "same prompts",
        _QUESTIONS,
        "questions with the same prompt in both conditions, left out",
    ),
}
MEASURES: Mapping[str, tuple[str, str, str]] = {
    **{f"{DIFFERENCE}{part}": told for part, told in _PARTS.items()},
    **{f"{SCORES}{part}": told for part, told in _PARTS.items()},
    D50: ("difference of D50", "depth", "this place minus the other"),
    f"{D50}_here": ("D50", "depth", "where half of the answers are right here"),
    f"{D50}_beside": ("D50 beside", "depth", "at the other place"),
    EFFORT: ("ratio", "", "reasoning tokens of this place by those of the other"),
    f"{EFFORT}_tokens": ("tokens", "tokens", "reasoning tokens of a reply here"),
    f"{EFFORT}_tokens_beside": ("beside", "tokens", "at the other place"),
}


class Contrast(NamedTuple):
    """A place beside another one, which differs in `by` and is called `beside`.

    `sides` has the trials (of scores, the mean) of each question on both sides, the
    other place first; without pairing those of each stratum.
    """

    measure: str  # DIFFERENCE or SCORES
    place: Place
    by: str  # model, condition or run
    beside: str
    sides: Collection[Any]
    fewest: int = 1  # with fewer pairs there is no test
    same_prompts: int = 0  # questions that are left out


class Compared(NamedTuple):
    """The figures of a contrast by key; the first one is the difference."""

    measure: str
    place: Place
    by: str
    beside: str
    figures: dict[str, Figure]

    @property
    def difference(self) -> Figure:
        return self.figures[self.measure]

    @property
    def questions(self) -> int:
        """Questions of both sides; strata without pairing."""
        return self.difference.n or 0

    def get(self, part: str) -> Figure | None:
        return self.figures.get(f"{self.measure}_{part}")

    def value(self, part: str) -> Any:
        """The value of a figure; None without one."""
        found = self.get(part)
        return found.value if found else None

    def add(self, part: str, value: Value, n: int | None = None) -> None:
        count = self.questions if n is None else n
        self.put(part, Figure(value, n=count))

    def put(self, part: str, figure: Figure) -> None:
        figure = figure._replace(by=self.by, at=self.beside)
        self.figures[f"{self.measure}_{part}"] = figure

    def estimates(self) -> Iterator[Estimate]:
        for key, figure in self.figures.items():
            yield Estimate(key, self.place, figure)


def compared_in(estimates: Iterable[Estimate]) -> list[Compared]:
    """The contrasts that have these estimates."""
    found: dict[object, Compared] = {}
    for measure, place, figure in estimates:
        key = place, figure.by, figure.at
        if key not in found:
            found[key] = Compared(measure, place, figure.by, figure.at, {})
        found[key].figures[measure] = figure
    return list(found.values())


def rows(family: Iterable[Contrast], *, paired: bool = True) -> list[Compared]:
    """The differences of these contrasts, with their tests corrected together.

    Without pairing, the sides had different questions.
    """
    compared, tests = [], []
    for contrast in family:
        test = _test(contrast, paired) if contrast.sides else None
        compared.append(_compared(contrast, test, paired))
        tests.append(test)
    tested = [one for one in compared if one.get("p")]
    corrected = holm([one.value("p") for one in tested])
    for one, p in zip(tested, corrected, strict=True):
        one.add("p_holm", p)
    for one, test in zip(compared, tests, strict=True):
        if test and paired and one.measure == DIFFERENCE:
            smallest = detectable(one.questions, test, len(tested))
            if smallest is not None:
                one.add("detectable", in_percent(smallest))
    return compared


def _test(one: Contrast, paired: bool) -> DifferenceOfShares:
    if one.measure == SCORES:
        return compare_means(one.sides)
    return compare_pairs(one.sides) if paired else compare_strata(one.sides)


def _compared(
    contrast: Contrast, test: DifferenceOfShares | None, paired: bool
) -> Compared:
    """What depends on no other contrast."""
    measure, place, by, beside, sides, fewest, same_prompts = contrast
    difference = Figure(None, n=len(sides), by=by, at=beside)
    one = Compared(measure, place, by, beside, {measure: difference})
    if test:
        points = in_percent(test.second - test.first)
        difference = difference._replace(value=points)
        if test.interval is not None:
            low, high = map(in_percent, test.interval)
            method = "newcombe" if paired else "miettinen"
            if measure == SCORES or test.error is not None:
                method = "t"
            difference = difference._replace(low=low, high=high, method=method)
        one.figures[measure] = difference
        first = second = Cluster(len(sides), len(sides))
        if measure == DIFFERENCE:
            first = Cluster.of(one for one, _ in sides)
            second = Cluster.of(other for _, other in sides)
            one.add("correct", second.successes, second.trials)
            one.add("correct_beside", first.successes, first.trials)
        one.add("percentage", in_percent(test.second), second.trials)
        one.add("percentage_beside", in_percent(test.first), first.trials)
        if len(sides) >= fewest or not paired:
            one.add("p", test.p)
    if paired:
        one.add("better", test.better if test else 0)
        one.add("worse", test.worse if test else 0)
    if same_prompts:
        one.add("same_prompts", same_prompts)
    return one


def spent(place: Place, beside: str, tokens: Sequence[tuple[float, float]]) -> Compared:
    """The reasoning tokens of each question at this place by those at the other;
    without any there, there is no ratio.
    """
    here, there = (fmean(side) for side in zip(*tokens, strict=True))
    difference = ratio(tokens) if there else Figure(None, n=len(tokens))
    difference = difference._replace(by="effort", at=beside)
    one = Compared(EFFORT, place, "effort", beside, {EFFORT: difference})
    one.add("tokens", here)
    one.add("tokens_beside", there)
    return one
