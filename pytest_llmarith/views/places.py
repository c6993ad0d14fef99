"""Places of results, the figures that they have, and curves of them by depth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pytest_llmarith.figures.estimates import Figure, FiguresAt, Result
from pytest_llmarith.figures.scores import SCORE
from pytest_llmarith.safe_text import sanitize_name
from pytest_llmarith.types import Dtype, Op
from pytest_llmarith.views.formatting import ends_of, percent_text

LONGEST_LABEL = 60
_OF_MEANS = ("t", "bootstrap")  # methods of intervals
_DIVISIONS = {f"{dtype}_{Op.DIV}" for dtype in Dtype}
_BY_DIGITS = ("arithmetic", "integer_addition")  # tasks whose depth is that


class Here(NamedTuple):
    """A result or a place in it: one of its variants (empty for a task without), one of
    its depths, or `at`, what names one of several figures.

    The label of its model is unique among those shown beside it. `unfinished` says that
    its run has not ended, and `missing` names the cells that it lacks and others have.
    """

    result: Result
    label: str
    run: str = ""
    unfinished: str = ""
    missing: str = ""
    variant: str | None = None
    depth: int | None = None
    at: str = ""

    @property
    def model(self) -> str:
        return self.result.model

    @property
    def task(self) -> str:
        return self.result.task

    @property
    def name(self) -> str:
        """The variant, or the task if it has none."""
        return self.variant or self.task

    @property
    def simulated(self) -> bool:
        return self.result.facts.simulated

    @property
    def searched(self) -> bool:
        return self.result.facts.searched

    @property
    def has_numbers(self) -> bool:
        """Whether answers are numbers."""
        return self.result.get("tolerant_correct") is not None

    @property
    def has_digits(self) -> bool:
        """Whether its depth is a number of digits; tasks of users count what they
        like.
        """
        return self.task in _BY_DIGITS

    def without_run(self) -> Here:
        """The same for tables of this run alone."""
        return self._replace(label=name_of(self.result), run="", unfinished="")

    # --- figures

    def get(self, key: str, at: str = "") -> Figure | None:
        return self.result.get(key, at, variant=self.variant, depth=self.depth)

    def value(self, key: str, at: str = "") -> Any:
        return self.result.value(key, at, variant=self.variant, depth=self.depth)

    def number(self, key: str, at: str = "") -> int:
        return self.result.count(key, at, variant=self.variant, depth=self.depth)

    def by_name(self, key: str) -> dict[str, int]:
        """The counts that are not zero, by what names them."""
        found = {}
        for (_, at), figure in self.all(key).items():
            if figure.value:
                found[at] = int(figure.value)
        return found

    def all(self, key: str) -> FiguresAt:
        return self.result.all(key, self.variant, self.depth)

    def examples(self, key: str) -> Sequence[Any]:
        return self.result.examples(key, self.variant)

    @property
    def correct(self) -> Figure | None:
        """The percentage of correct answers that all tables show."""
        return self.get("correct_percentage")

    @property
    def measured(self) -> int:
        """Trials with a reply."""
        return self.number("measured")

    @property
    def tokens(self) -> int | None:
        """Tokens of prompts and replies; None if either is unknown."""
        prompt = self.value("prompt_tokens", "sum")
        completion = self.value("completion_tokens", "sum")
        if prompt is None or completion is None:
            return None
        return int(prompt + completion)

    @property
    def share(self) -> Share | None:
        return share_of(self.number("correct"), self.measured, self.correct)

    @property
    def has_fractions(self) -> bool:
        """Whether scores of its result lie between 0 and 1."""
        found = self.result.get("score", SCORE)
        return found is not None and found.method in _OF_MEANS

    @property
    def mean_score(self) -> Share | None:
        """The mean score in percent; without fractions that of correct answers."""
        return share_in(self.get("score", SCORE)) if self.has_fractions else self.share

    # --- places

    @property
    def variants(self) -> list[Here]:
        """Its variants; of a task without variants that has depths or scores, one."""
        facts = self.result.facts
        names = facts.variants
        if not names and (facts.cells or self.result.all("score")):
            names = [""]
        return [self._replace(variant=name) for name in names]

    @property
    def series(self) -> list[Here]:
        """The variants that have depths."""
        found = []
        for one in self.variants:
            if one.variant and one.get("ninety_percent_to"):
                found.append(one)
        return found

    @property
    def scored(self) -> list[Here]:
        """The variants that have scores."""
        return [one for one in self.variants if one.all("score")]

    @property
    def cells(self) -> list[Here]:
        """Its variants at its depths."""
        cells = self.result.facts.cells
        return [self._replace(variant=name, depth=depth) for name, depth in cells]

    @property
    def grid(self) -> list[Here]:
        """The cells of variants."""
        return [cell for cell in self.cells if cell.variant]

    @property
    def depths(self) -> list[Here]:
        """The cells of a task without variants."""
        return [cell for cell in self.cells if not cell.variant]

    @property
    def grid_depths(self) -> list[int]:
        """The depths of its grid, in order."""
        return sorted({depth for name, depth in self.result.facts.cells if name})

    @property
    def usual_size(self) -> int:
        """The most frequent number of trials with a reply in a cell of its grid."""
        sizes = Counter(cell.measured for cell in self.grid)
        del sizes[0]
        for size, _ in sizes.most_common(1):
            return size
        return 0

    def axis_title(self, variants: Iterable[str]) -> str:
        """What the depths of these variants are."""
        if not self.has_digits:
            return "depth"
        names = set(variants)
        if names and names <= _DIVISIONS:
            return "digits of quotient and divisor"
        if names & _DIVISIONS:
            return "digits (of divisions: quotient and divisor)"
        return "digits"

    @property
    def curve(self) -> Curve:
        """The mean score by depth."""
        depths = self.result.facts.depths
        return known({depth: self._replace(depth=depth).mean_score for depth in depths})

    def curve_of(self, key: str, at: str = "") -> Curve:
        """A measure by depth; without an interval it has its value alone."""
        shares: dict[int, Share | None] = {}
        for depth in self.result.facts.depths:
            shares[depth] = share_in(self._replace(depth=depth).get(key, at))
        return known(shares)


def name_of(result: Result) -> str:
    """The model of a result, and its condition."""
    label = result.condition.label if result.condition else ""
    return f"{result.model}, {label}" if label else result.model


def short_name(text: str) -> str:
    """A name such as a model or a variant in the form that is shown, filtered by and
    linked to.
    """
    return sanitize_name(text, LONGEST_LABEL)


# --- shares ---------------------------------------------------------------------------


class Share(NamedTuple):
    """A percentage with its interval and its counts, `part` of a `whole` that is not 0;
    of a mean there is no part.

    Over cells `value` gives each cell the weight of its questions, so it may differ
    from `part` of `whole`.
    """

    value: float
    low: float
    high: float
    part: int | None
    whole: int

    @property
    def rounded(self) -> str:
        """Such as `61`; only all of it is 100, and only nothing is 0."""
        if self.value in (0, 100):
            return f"{self.value:.0f}"
        near = round(self.value)
        if near == 100:
            return ">99"
        return str(near) if near else "<1"

    @property
    def description(self) -> str:
        """Such as `49 of 80, 61.3 % (57.6-64.8)`, in titles of a chart; no interval if
        nothing varies.
        """
        counts = f"mean of {self.whole:,}"
        if self.part is not None:
            counts = f"{self.part:,} of {self.whole:,}"
        told = f"{counts}, {percent_text(self.value)} %"
        if self.low == self.high:
            return told
        return f"{told} ({ends_of(self.low, self.high)})"


Curve = Mapping[int, Share]  # by depth, carries or place in a sequence


def share_of(part: int, whole: int, found: Figure | None) -> Share | None:
    """A share with a known percentage; None if that has no value or no interval."""
    if found is None or found.value is None or found.low is None or found.high is None:
        return None
    return Share(float(found.value), found.low, found.high, part, whole)


def share_in(found: Figure | None) -> Share | None:
    """A figure in percent, or a mean; one without an interval has its value alone."""
    if found is None or found.value is None:
        return None
    value, whole = float(found.value), found.n or 0
    low = value if found.low is None else found.low
    high = value if found.high is None else found.high
    part = None if found.method in _OF_MEANS else round(value * whole / 100)
    return Share(value, low, high, part, whole)


def known(shares: Mapping[int, Share | None]) -> Curve:
    """The shares that are known."""
    return {place: found for place, found in shares.items() if found}
