"""A percentage of trials as every part of the page shows it: with its interval, and how strong its colour is."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_llmarith.records import Percentage, Result
from pytest_llmarith.reports import figures
from pytest_llmarith.reports.percents import percentage
from pytest_llmarith.values import Outcome

STEPS = 10  # of colour, from none to all


@dataclass(frozen=True, slots=True)
class Share:
    """`part` of `whole`, which is not 0; `low` and `high` are the 95 % interval, in percent.

    Over cells `percent` gives each the weight of its questions, so it may differ from `part` of `whole`.
    """

    part: int
    whole: int
    percent: float
    low: float
    high: float

    @property
    def text(self) -> str:
        """Such as `61.3`; only all is 100, and only nothing is 0."""
        return figures.percent_of(self._percentage)

    @property
    def rounded(self) -> str:
        """Such as `61`, where there is room for no more; only all is 100, and only nothing is 0."""
        if self.percent in (0, 100):
            return "100" if self.percent else "0"
        near = round(self.percent)
        return ">99" if near == 100 else "<1" if near == 0 else str(near)

    @property
    def interval(self) -> str:
        """Such as `57.6-64.8`."""
        return figures.interval(self._percentage)

    @property
    def _percentage(self) -> Percentage:
        return Percentage(self.percent, self.low, self.high)

    @property
    def step(self) -> int:
        """The step of colour; only all has the last one and only nothing the first."""
        if self.percent in (0, 100):
            return STEPS if self.percent else 0
        return min(STEPS - 1, max(1, round(STEPS * self.percent / 100)))

    @property
    def description(self) -> str:
        """In words, for a picture's titles and for tables."""
        return f"{self.part:,} of {self.whole:,}, {self.text} % ({self.interval})"


def share(part: int, whole: int) -> Share | None:
    """None where nothing was measured."""
    return share_of(part, whole, percentage(part, whole))


def share_of(part: int, whole: int, found: Percentage | None) -> Share | None:
    """With a percentage of a summary; None where there is none."""
    if found is None or found.percent is None or found.low is None or found.high is None:
        return None
    return Share(part, whole, found.percent, found.low, found.high)


def overall_share(result: Result, outcome: Outcome) -> Share | None:
    """The overall percentage of an outcome, as the summary has it; None where a cell has no reply."""
    return share_of(getattr(result.outcomes, outcome), result.measured, result.percentages[outcome])
