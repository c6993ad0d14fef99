"""The kinds of values in tables: how they are shown, and what they are as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from pytest_llmarith.figures.searches import Threshold
from pytest_llmarith.records import Minimum
from pytest_llmarith.types import SearchEnd
from pytest_llmarith.views import formatting
from pytest_llmarith.views.formatting import Percentage
from pytest_llmarith.views.places import Share, short_name
from pytest_llmarith.views.table import UNKNOWN, Kind, Shown


class ModelLabel(NamedTuple):
    """A model as it is labelled, with marks such as `simulated`, and its own name."""

    label: str
    name: str
    marks: tuple[str, ...] = ()


def model(label: str, name: str, *, is_simulated: bool) -> ModelLabel:
    """A model with its mark if it is a fake one."""
    marks = ("simulated",) if is_simulated else ()
    return ModelLabel(label, name, marks)


class Cost(NamedTuple):
    """A cost, and how many replies have no known price."""

    usd: float | None
    unpriced: int = 0


class Heat(NamedTuple):
    """A share in a matrix: on the page its colour tells how large it is, `right` in
    blue, `wrong` in orange, and without a hue in the colour of the card.
    """

    share: Share
    text: str
    hue: str = ""
    interval: str = ""


def heat(share: Share | None, hue: str = "") -> Heat | None:
    """A share with its percentage; None if it is unknown."""
    return Heat(share, share.rounded, hue) if share else None


class Test(NamedTuple):
    """The p of a test, alone and corrected for all tests of its table."""

    p: float
    p_holm: float | None = None


def plain(
    show: Callable[[Any], str], unit: str = "", *, is_text: bool = False
) -> Kind[Any]:
    """A kind whose values are numbers or texts."""
    return Kind(lambda v: Shown(show(v)), unit=unit, is_text=is_text)


def _named(model: ModelLabel) -> Shown:
    return Shown(model.label, notes=model.marks)


def _percent(found: Percentage) -> Shown:
    if found.value is None:  # its ends are bounds, as a cell has no reply
        return Shown(UNKNOWN)
    text = formatting.percent_of(found)
    if found.low is None:
        return Shown(text)
    return Shown(text, formatting.ends_of(found.low, found.high))


def _figure(found: Percentage) -> Shown:
    if isinstance(found.value, str):  # a word
        return Shown(short_name(found.value))
    text = formatting.count(found.value)
    if found.low is None or found.high is None:
        return Shown(text)
    low, high = formatting.count(found.low), formatting.count(found.high)
    return Shown(text, f"{low} to {high}")


def _points(found: Percentage) -> Shown:
    if found.value is None:
        return Shown(UNKNOWN)
    text = formatting.signed(found.value)
    if found.low is None:
        return Shown(text)
    return Shown(text, formatting.interval_of(found))


def _d50(found: Threshold) -> Shown:
    text, interval = formatting.d50_of(found)
    notes = []
    if not found.fits:
        notes.append("no fit")
    if found.ended == SearchEnd.NOT_REACHED:
        notes.append("not reached")
    if found.ended:
        notes.append(f"{found.questions:,} asked")
    return Shown(text, interval, tuple(notes))


def _d50_of_side(found: Threshold) -> Shown:
    shown = _d50(found)
    return shown._replace(notes=() if found.fits else ("no fit",))


def _wrong(found: Minimum) -> Shown:
    return Shown(formatting.wrong_answer(found))


SHOWN: Kind[Shown] = Kind(lambda v: v, lambda v: v.text, is_text=True)
NAME: Kind[str] = Kind(Shown, is_name=True, is_text=True)
MODEL: Kind[ModelLabel] = Kind(_named, lambda v: v.name, is_name=True, is_text=True)
TEXT: Kind[str] = Kind(Shown, is_text=True, is_sorted=False, is_left=True)
DATE = plain(str, is_text=True)
COUNT = plain("{:,}".format)
PERCENT: Kind[Percentage] = Kind(_percent, unit="%")
FIGURE: Kind[Percentage] = Kind(_figure)
SHARE = plain(formatting.percent_text, "%")
POINTS: Kind[Percentage] = Kind(_points, unit="percentage points", is_signed=True)
HEAT: Kind[Heat] = Kind(
    lambda v: Shown(v.text, v.interval), lambda v: v.share.value, "%"
)
GAIN = plain("{:.1f}".format, "percentage points")
P: Kind[Test] = Kind(
    lambda v: Shown(formatting.p_of(v.p) + formatting.star(v.p_holm)), lambda v: v.p
)
MONEY: Kind[Cost] = Kind(
    lambda v: Shown(formatting.dollars(v.usd, v.unpriced)),
    lambda v: v.usd,
    "US dollars",
)
TOKENS = plain(formatting.thousands, "tokens")
SECONDS = plain(formatting.seconds, "s")
SIZE = plain(formatting.short, is_text=True)
DEPTHS: Kind[Percentage] = Kind(
    lambda v: Shown(formatting.ninety_percent_to(v)),
    lambda v: v.low,
    "depth",
    unknown="",
)
D50: Kind[Threshold] = Kind(_d50, lambda v: v.d50, "depth")
# Their intervals say whether the wanted one is reached.
D50_OF_SIDE: Kind[Threshold] = replace(D50, show=_d50_of_side)
WRONG: Kind[Minimum] = Kind(_wrong, lambda v: v.question, is_sorted=False, is_left=True)


class Amounts(NamedTuple):
    """The sum, the median and the 90th percentile of the amounts of replies; the sum is
    None if it has no meaning.
    """

    sum: float | None
    median: float
    p90: float


def amounts(show: Callable[[float | None], str], unit: str) -> Kind[Amounts]:
    return Kind(
        lambda v: Shown(
            " / ".join(show(one) for one in (v.median, v.p90, v.sum) if one is not None)
        ),
        lambda v: v.median,
        unit,
    )
