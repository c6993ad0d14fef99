"""Formats numbers: they are short, and an unknown one is `-`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal

from pytest_llmarith.records import Minimum
from pytest_llmarith.safe_text import sanitize
from pytest_llmarith.statistics.pairs import SIGNIFICANT
from pytest_llmarith.summaries import (
    Difference,
    ErrorSizes,
    NinetyPercentTo,
    Percentage,
    Result,
    Threshold,
)
from pytest_llmarith.types import SearchEnd

UNKNOWN = "-"
NO_INTERVAL = "No interval: nothing varies, so the spread cannot be estimated."
UNLIMITED = 10_000  # characters
_LONGEST_ANSWER = 60
_SMALLEST_P = 0.0001
_TWO_DIGITS = Context(prec=2, Emax=MAX_EMAX, Emin=MIN_EMIN)

# --- percentages and tests ------------------------------------------------------------


def share(part: int, whole: int) -> str:
    """A part of a whole in percent, such as `61.3`.

    Only all of it is 100, and only nothing is 0.
    """
    return percent_text(100 * part / whole if whole else None)


def percent_of(percentage: Percentage | None) -> str:
    """The same for a percentage of a summary."""
    return percent_text(percentage.percent if percentage else None)


def percent_text(percent: float | None) -> str:
    """The same for a number in percent."""
    if percent is None:
        return UNKNOWN
    text = f"{Decimal(str(percent)):.1f}"
    return (
        text
        if percent in (0, 100)
        else {"100.0": ">99.9", "0.0": "<0.1"}.get(text, text)
    )


def interval(percentage: Percentage | None) -> str:
    """The interval of a percentage, such as `57.6-64.8`."""
    if percentage is None or percentage.low is None or percentage.high is None:
        return UNKNOWN
    return "-".join(
        f"{end:.1f}".replace("100.0", "100")
        for end in (percentage.low, percentage.high)
    )


def with_interval(percentage: Percentage | None) -> str:
    """Such as `61.3 (57.6-64.8)`."""
    return f"{percent_of(percentage)} ({interval(percentage)})"


def signed(points: float | None) -> str:
    """Percentage points such as `-11.7`, `+0.3` or `0.0`."""
    text = UNKNOWN if points is None else f"{points:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text


def points_of(difference: Difference | None) -> str:
    """The percentage points of a difference."""
    return signed(difference.points if difference else None)


def interval_of(difference: Difference | None) -> str:
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
    return "1" if p == 1 else f"{p:.4f}" if p < 0.99995 else ">0.9999"


def star(p_holm: float | None) -> str:
    """`*` if a test is significant after Holm's correction, else empty."""
    return "*" if p_holm is not None and p_holm < SIGNIFICANT else ""


# --- money, counts, sizes -------------------------------------------------------------


def dollars(cost: float | None, unpriced: int = 0, decimals: int | None = None) -> str:
    """A cost such as `$0.0123`. A plus means that some replies have no known price."""
    if cost is None:
        return UNKNOWN
    if decimals is not None:
        text = f"${cost:,.{decimals}f}"
    elif 0 < cost < 0.0001:
        text = "<$0.0001"
    elif cost >= 100 or cost == 0:
        text = f"${cost:,.0f}"
    else:
        text = f"${cost:.2f}" if cost >= 1 else f"${cost:.4f}"
    return text + "+" * bool(unpriced)


def price(cost: float | None) -> str:
    """The cost of one reply in two digits, such as `$0.000040`."""
    if cost is None or cost == 0 or cost >= 1:
        return dollars(cost)
    return "<$0.0000001" if cost < 1e-7 else f"${Decimal(f'{cost:.1e}'):f}"


def thousands(number: float | None) -> str:
    """A count such as `12.3k` or `4.5M`."""
    if number is None:
        return UNKNOWN
    if number < 1_000:
        return str(number)
    for size, unit in ((1e3, "k"), (1e6, "M"), (1e9, "G")):
        if (scaled := number / size) < 999.95:
            return f"{scaled:.1f}{unit}"
    return f"{number:.1e}"


def count(number: float | None) -> str:
    """A count or a median of counts, such as `31`, `31.5` or `12.3k`."""
    if number is None or number >= 1_000:
        return thousands(number)
    return f"{number:.1f}".removesuffix(".0")


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
    return f"{number:.1f}" if number < 99.95 else f"{number:,.0f}"


def cost_of(result: Result, decimals: int | None = None) -> str:
    """The cost of a result."""
    return dollars(result.cost_usd, result.unpriced, decimals)


def prompt_and_completion(result: Result) -> int | None:
    """The sum of prompt and completion tokens; None if either is unknown."""
    prompt, completion = (
        result.spending["prompt_tokens"],
        result.spending["completion_tokens"],
    )
    return (
        None
        if prompt is None or completion is None
        else int(prompt.sum + completion.sum)
    )


def median_latency(result: Result) -> float | None:
    """The median seconds of a reply; None if they are unknown."""
    known = result.spending["latency_s"]
    return known.median if known else None


def unpriced(result: Result) -> str:
    """How many replies are missing in the sum of costs, such as `3 unpriced`; empty if
    there is no sum.
    """
    return (
        f"{result.unpriced:,} unpriced"
        if result.unpriced and result.cost_usd is not None
        else ""
    )


# --- parts of a result ----------------------------------------------------------------


def leading_digits(sizes: ErrorSizes, deviates: int) -> str:
    """The median of the leading digits that are right; `-` if most answers have another
    length than the truth.
    """
    median, others = sizes.median_leading_digits, sizes.other_length
    return (
        UNKNOWN if median == 0 and others and 2 * others >= deviates else count(median)
    )


def ninety_percent_to(found: NinetyPercentTo) -> str:
    """`6` if it is shown, `6 (10?)` if 10 is possible, `10?` if none is shown, and `-`
    if none is possible.
    """
    if found.possible is None:
        return UNKNOWN
    if found.shown is None:
        return f"{found.possible}?"
    return (
        str(found.shown)
        if found.shown == found.possible
        else f"{found.shown} ({found.possible}?)"
    )


def d50_of(found: Threshold) -> str:
    """D50 and its interval, such as `3.4 (3.0 to 3.8)`, `9.1 (8.2 to >10)`, `> 10 (9.3
    to >10)` or `> 10`.

    It adds `no fit`, and `not reached` if adaptive asking ended without the wanted
    interval.
    """
    low, high = found.interval
    ends = (
        f"<{found.first}" if low is None else f"{low:.1f}",
        f">{found.last}" if high is None else f"{high:.1f}",
    )
    if found.d50 is not None:
        text = f"{found.d50:.1f}"
    else:
        text = f"< {found.first}" if found.place == "below" else f"> {found.last}"
    is_shown_outside = high == found.first or low == found.last
    if not is_shown_outside:
        text += f" ({' to '.join(ends)})"
    if not found.fits:
        text += ", no fit"
    if found.ended == SearchEnd.NOT_REACHED:
        text += ", not reached"
    return text


# --- texts ----------------------------------------------------------------------------


def ascii_keys(texts: Iterable[str]) -> list[str]:
    """A key for each text, of ASCII letters, digits and hyphens; each is different."""
    keys: list[str] = []
    for text in texts:
        key, number = (base := re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")), 1
        while key in keys:
            key, number = f"{base}-{number + 1}", number + 1
        keys.append(key)
    return keys


# --- wrong answers --------------------------------------------------------------------


def wrong_answer(wrong: Minimum, width: int = UNLIMITED) -> str:
    """Such as `49 * 97 = 4753, not 4653`; the question is left out if the line is too
    long.
    """
    answer = sanitize(wrong.answer or wrong.reason or "no answer", _LONGEST_ANSWER)
    question, expected = (
        sanitize(text or "", _LONGEST_ANSWER)
        for text in (wrong.question, wrong.expected)
    )
    not_this = f"not {answer}" if wrong.answer else answer
    for text in (
        f"{question} = {expected}, {not_this}",
        f"{question}, {not_this}",
        question,
    ):
        if len(text) <= width:
            return text
    return question[: width - 3] + "..."


def sanitize_reasons(reasons: Mapping[str, int]) -> str:
    """Counts by reason, such as `4 empty, 2 filtered`."""
    texts = (f"{count:,} {sanitize(one, 40)}" for one, count in reasons.items())
    return ", ".join(texts)
