"""A share of trials as every part of the page shows it: percent, interval, and how strong its colour is."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_llmarith.reports import figures
from pytest_llmarith.reports.statistics import wilson

STEPS = 10  # of colour, from none to all


@dataclass(frozen=True, slots=True)
class Share:
    """`part` of `whole`, which is not 0; `low` and `high` are the Wilson 95 % interval, in percent."""

    part: int
    whole: int
    low: float
    high: float

    @property
    def percent(self) -> float:
        return 100 * self.part / self.whole

    @property
    def text(self) -> str:
        """Such as `61.3`; only all is 100, and only nothing is 0."""
        return figures.share(self.part, self.whole)

    @property
    def rounded(self) -> str:
        """Such as `61`, where there is room for no more; only all is 100, and only nothing is 0."""
        if self.part in (0, self.whole):
            return "100" if self.part else "0"
        near = round(self.percent)
        return ">99" if near == 100 else "<1" if near == 0 else str(near)

    @property
    def interval(self) -> str:
        """Such as `57.6-64.8`."""
        return figures.interval({"low": self.low, "high": self.high})

    @property
    def step(self) -> int:
        """The step of colour; only all has the last one and only nothing the first."""
        if self.part in (0, self.whole):
            return STEPS if self.part else 0
        return min(STEPS - 1, max(1, round(STEPS * self.part / self.whole)))

    @property
    def description(self) -> str:
        """In words, for a picture's titles and for tables."""
        return f"{self.part:,} of {self.whole:,}, {self.text} % ({self.interval})"


def share(part: int, whole: int) -> Share | None:
    """None where nothing was measured."""
    interval = wilson(part, whole)
    return interval and Share(part, whole, 100 * interval.low, 100 * interval.high)
