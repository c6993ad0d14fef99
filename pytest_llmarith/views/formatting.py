"""Formats numbers: they are short, and an unknown one is `-`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import Any, Protocol

from pytest_llmarith.figures.searches import Threshold
from pytest_llmarith.records import Minimum
from pytest_llmarith.safe_text import sanitize, sanitize_name
from pytest_llmarith.statistics.pairs import SIGNIFICANT

UNKNOWN = "-"
ANY_DEPTH = "any depth"  # an interval that is open on both ends
NO_INTERVAL = "No interval: nothing varies, so the spread cannot be estimated."
UNLIMITED = 10_000  # characters
_LONGEST_ANSWER = 60
_LONGEST_NAME = 30
MOST_NAMED = 3
_SMALLEST_P = 0.0001
_TWO_DIGITS = Context(prec=2, Emax=MAX_EMAX, Emin=MIN_EMIN)


class Percentage(Protocol):
    """A figure in percent, or a depth, with its interval."""

    @property
    def value(self) -> Any: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


# --- percentages and tests ------------------------------------------------------------


def share(part: int, whole: int) -> str:
    """A part of a whole in percent, such as `61.3`.

    Only all of it is 100, and only nothing is 0.
    """
    if not whole:
        return UNKNOWN
    return percent_text(100 * part / whole)


def percent_of(found: Percentage | None) -> str:
    """The same for a figure in percent."""
    if found is None:
        return UNKNOWN
    return percent_text(found.value)


def percent_text(percent: float | None) -> str:
    """The same for a number in percent."""
    if percent is None:
        return UNKNOWN
    text = f"{Decimal(str(percent)):.1f}"
    if text == "100.0" and percent != 100:
        return ">99.9"
    if text == "0.0" and percent != 0:
        return "<0.1"
    return text


def ends_of(low: float | None, high: float | None) -> str:
    """The interval of a percentage, such as `57.6-64.8`."""
    if low is None or high is None:
        return UNKNOWN
    return f"{low:.1f}-{high:.1f}".replace("100.0", "100")


def with_interval(found: Percentage | None) -> str:
    """Such as `61.3 (57.6-64.8)`."""
    if found is None:
        return f"{UNKNOWN} ({UNKNOWN})"
    return f"{percent_of(found)} ({ends_of(found.low, found.high)})"


def signed(points: float | None) -> str:
    """Percentage points such as `-11.7`, `+0.3` or `0.0`."""
    if points is None:
        return UNKNOWN
    text = f"{points:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text


def interval_of(difference: Percentage | None) -> str:
    """The interval of a difference, such as `-15.3 to -8.2`."""
    if difference is None or difference.low is None or difference.high is None:
        return UNKNOWN
    return f"{signed(difference.low)} to {signed(difference.high)}"


def p_of(p: float | None) -> str:
    """A p value such as `0.0123`.

    It is never 0, and 1 only if there is no difference.
    """
    if p is None:
        return UNKNOWN
    if p < _SMALLEST_P:
        return f"<{_SMALLEST_P:.4f}"
    if p == 1:
        return "1"
    if p >= 0.99995:
        return ">0.9999"
    return f"{p:.4f}"


def star(p_holm: float | None) -> str:
    """`*` if a test is significant after Holm's correction, else empty."""
    return "*" if p_holm is not None and p_holm < SIGNIFICANT else ""


# --- money, counts, sizes -------------------------------------------------------------


def dollars(cost: float | None, unpriced: int = 0) -> str:
    """A cost such as `$0.0123`. A plus means that some replies have no known price."""
    if cost is None:
        return UNKNOWN
    if 0 < cost < 0.0001:
        text = "<$0.0001"
    elif cost >= 100 or cost == 0:
        text = f"${cost:,.0f}"
    elif cost >= 1:
        text = f"${cost:.2f}"
    else:
        text = f"${cost:.4f}"
    return f"{text}+" if unpriced else text


def price(cost: float | None) -> str:
    """The cost of one reply in two digits, such as `$0.000040`."""
    if cost is None or cost == 0 or cost >= 1:
        return dollars(cost)
    if cost < 1e-7:
        return "<$0.0000001"
    two_digits = Decimal(f"{cost:.1e}")
    return f"${two_digits:f}"


def counted(number: int, noun: str) -> str:
    """A count and what is counted, such as `1 trial` or `1,200 trials`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def thousands(number: float | None) -> str:
    """A count such as `12.3k` or `4.5M`."""
    if number is None:
        return UNKNOWN
    if number < 1_000:
        return str(number)
    for size, unit in ((1e3, "k"), (1e6, "M"), (1e9, "G")):
        scaled = number / size
        if scaled < 999.95:
            return f"{scaled:.1f}{unit}"
    return f"{number:.1e}"


def count(number: float | None) -> str:
    """A count, a median or a ratio, such as `31`, `31.5`, `0.97`, `0.0012` or
    `12.3k`.
    """
    if number is None or number >= 1_000:
        return thousands(number)
    if 0 < abs(number) < 0.1:
        return f"{number:.2g}"
    decimals = 2 if abs(number) < 10 else 1
    return f"{number:.{decimals}f}".rstrip("0").removesuffix(".")


def short(number: str | None) -> str:
    """A decimal number of any size in two digits, such as `0.012`, `482` or
    `4.8e+21`.
    """
    if number is None:
        return UNKNOWN
    rounded = _TWO_DIGITS.create_decimal(number)
    if rounded == 0:
        return "0"
    exponent = rounded.adjusted()
    if -3 <= exponent < 2:
        return format(rounded, "f")
    if 2 <= exponent < 5:
        return f"{Decimal(number):.0f}"
    return f"{rounded.scaleb(-exponent, _TWO_DIGITS):.1f}e{exponent:+03d}"


def seconds(number: float | None) -> str:
    """A time such as `1.8`, `127` or `1,080`."""
    if number is None:
        return UNKNOWN
    if number < 99.95:
        return f"{number:.1f}"
    return f"{number:,.0f}"


# --- parts of a result ----------------------------------------------------------------


def leading_digits(median: float | None, other_length: int, deviates: int) -> str:
    """The median of the leading digits that are right; `-` if most answers have another
    length than the truth.
    """
    are_most = other_length and 2 * other_length >= deviates
    if median == 0 and are_most:
        return UNKNOWN
    return count(median)


def ninety_percent_to(found: Percentage) -> str:
    """`6` if it is shown, `6 (10?)` if 10 is possible, `10?` if none is shown, and `-`
    if none is possible.
    """
    shown, possible = found.low, found.high
    if possible is None:
        return UNKNOWN
    if shown is None:
        return f"{possible}?"
    if shown == possible:
        return str(shown)
    return f"{shown} ({possible}?)"


def d50_of(found: Threshold) -> tuple[str, str]:
    """D50 such as `3.4`, `> 10` or `unknown`, and its interval such as `3.0 to 3.8`,
    which is empty if all of it is outside of the depths.
    """
    text = "unknown"
    if found.d50 is not None:
        text = f"{found.d50:.1f}"
    elif found.place == "below":
        text = f"< {found.first}"
    elif found.place == "above":
        text = f"> {found.last}"
    return text, _interval_of_d50(found)


def _interval_of_d50(found: Threshold) -> str:
    low, high = found.interval
    if low is None and high is None:
        return ANY_DEPTH
    if high == found.first or low == found.last:
        return ""
    lowest = f"<{found.first}" if low is None else f"{low:.1f}"
    highest = f">{found.last}" if high is None else f"{high:.1f}"
    return f"{lowest} to {highest}"


# --- texts ----------------------------------------------------------------------------


def ascii_keys(texts: Iterable[str]) -> list[str]:
    """A key for each text, of ASCII letters, digits and hyphens; each is different."""
    keys = []
    for text in texts:
        base = re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")
        key, number = base, 1
        while key in keys:
            number += 1
            key = f"{base}-{number}"
        keys.append(key)
    return keys


# --- wrong answers --------------------------------------------------------------------


def wrong_answer(wrong: Minimum) -> str:
    """Such as `49 * 97 = 4753, not 4653`, or `first: too long` of an answer that has
    nothing expected beside it.
    """
    answer = wrong.answer or wrong.reason or "no answer"
    question = sanitize(wrong.question or "", _LONGEST_ANSWER)
    if not wrong.expected:  # then the reason tells what is wrong
        name, _, _ = question.partition(" ")
        return f"{name}: {sanitize(answer, UNLIMITED)}"
    answer = sanitize(answer, _LONGEST_ANSWER)
    if wrong.answer:
        answer = f"not {answer}"
    return f"{question} = {sanitize(wrong.expected, _LONGEST_ANSWER)}, {answer}"


def named(names: Iterable[str]) -> str:
    """The first names."""
    found = [sanitize_name(name, _LONGEST_NAME) for name in names]
    if len(found) > MOST_NAMED:
        found[MOST_NAMED:] = ["..."]
    return ", ".join(found)
