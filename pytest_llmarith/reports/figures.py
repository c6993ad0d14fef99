"""Numbers as a table shows them: short, and never more certain than they are. It does not know the tables."""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from math import ceil

from pytest_llmarith.records import Difference, ErrorSizes, Percentage, ReliableDepth, Repeats, Result, Tokens
from pytest_llmarith.results.differences import SIGNIFICANT
from pytest_llmarith.results.statistics import percent

UNKNOWN = "-"
NO_INTERVAL = "`-` in place of an interval: nothing varies, so that the spread cannot be estimated."
_SMALLEST_P = 0.0001

_TWO_DIGITS = Context(prec=2, Emax=MAX_EMAX, Emin=MIN_EMIN)


def share(part: int, whole: int) -> str:
    """A percentage such as `61.3`; only all is 100, and only nothing is 0."""
    if whole == 0:
        return UNKNOWN
    if part in (0, whole):
        return "100.0" if part else "0.0"
    shown = percent(part, whole)
    if shown == 100:
        return ">99.9"
    return "<0.1" if shown == 0 else str(shown)


def percent_of(percentage: Percentage | None) -> str:
    """A percentage of a summary, such as `61.3`; unknown where a cell has no reply. Only all is 100, only nothing 0."""
    return percent_text(percentage.percent if percentage else None)


def percent_text(exact: float | None) -> str:
    """The same of the number alone."""
    if exact is None:
        return UNKNOWN
    shown = f"{Decimal(str(exact)):.1f}"
    if exact in (0, 100):
        return shown
    return {"100.0": ">99.9", "0.0": "<0.1"}.get(shown, shown)


def one_decimal(percentage: Percentage | None) -> str:
    """A percentage rounded to one decimal, such as `61.3`; `percent_of` keeps what is nearly all or nothing apart."""
    return UNKNOWN if percentage is None or percentage.percent is None else f"{percentage.percent:.1f}"


def leading_digits(sizes: ErrorSizes) -> str:
    """The median of the leading digits that are right; none where it is of answers of another length than the truth."""
    median, others = sizes.median_leading_digits, sizes.other_length
    binned = sum(one.count for one in sizes.log10_bins)
    return UNKNOWN if median == 0 and others and 2 * others >= binned else count(median)


def interval(percentage: Percentage | None) -> str:
    """An interval in percent such as `57.6-64.8`."""
    if percentage is None or percentage.low is None or percentage.high is None:
        return UNKNOWN
    return "-".join(f"{end:.1f}".replace("100.0", "100") for end in (percentage.low, percentage.high))


def low(percentage: Percentage | None) -> str:
    """The lower end of an interval in percent."""
    return UNKNOWN if percentage is None or percentage.low is None else f"{percentage.low:.1f}"


def high(percentage: Percentage | None) -> str:
    """The upper end of an interval in percent."""
    return UNKNOWN if percentage is None or percentage.high is None else f"{percentage.high:.1f}"


def reliable(found: ReliableDepth) -> str:
    """Such as `6`, `6, unproven 9`, `unproven 2, needs 35`, `unproven 3`, `-, needs 69` or `none: at most 32 %`."""
    depth, observed, needs = found.depth, found.observed, found.needs
    if depth is None and observed is None and needs is None:
        return f"none: at most {ceil(found.at_most or 0)} %"
    proven = str(depth) if depth is not None else UNKNOWN if observed is None else ""
    return ", ".join(
        filter(None, (proven, f"unproven {observed}" * (observed != depth), f"needs {needs}" * (needs is not None)))
    )


def dollars(cost: float | None, unpriced: int = 0) -> str:
    """A cost such as `$0.0123`; a plus says that some replies have no known price."""
    if cost is None:
        return UNKNOWN
    return _amount(cost) + ("+" if unpriced else "")


def _amount(cost: float) -> str:
    if 0 < cost < 0.0001:
        return "<$0.0001"
    if cost >= 100 or cost == 0:
        return f"${cost:,.0f}"
    return f"${cost:.2f}" if cost >= 1 else f"${cost:.4f}"


def price(cost: float | None) -> str:
    """What one reply costs, in two digits, such as `$0.000040`: most are far below a cent."""
    if cost is None or cost == 0 or cost >= 1:
        return dollars(cost)
    if cost < 1e-7:
        return "<$0.0000001"
    return f"${Decimal(f'{cost:.1e}'):f}"


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
    """A count, or the middle of counts, such as `31`, `31.5` or `12.3k`."""
    if number is None or number >= 1_000:
        return thousands(number)
    return f"{number:.1f}".removesuffix(".0")


def short(number: str | None) -> str:
    """A number of any size in two digits, such as `0.012`, `482` or `4.8e+21`."""
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


def times(result: Result, repeats: Repeats) -> str:
    """How often the problems of a result were put, such as `5`, or `up to 5` where some of that has no reply yet."""
    return f"{'up to ' * (result.measured < repeats.k * repeats.problems)}{repeats.k}"


def seconds(number: float | None) -> str:
    """A time such as `1.8`, `127` or `1,080`."""
    if number is None:
        return UNKNOWN
    return f"{number:.1f}" if number < 99.95 else f"{number:,.0f}"


def points_of(difference: Difference | None) -> str:
    """A difference such as `-11.7`, `+0.3` or `0.0`."""
    return UNKNOWN if difference is None else signed(difference.points)


def interval_of(difference: Difference | None) -> str:
    """An interval such as `-15.3 to -8.2`."""
    if difference is None or difference.low is None or difference.high is None:
        return UNKNOWN
    return f"{signed(difference.low)} to {signed(difference.high)}"


def p_of(p: float | None) -> str:
    """A p value such as `0.0123`; it is never 0, and 1 only where there is no difference at all."""
    if p is None:
        return UNKNOWN
    if p < _SMALLEST_P:
        return f"<{_SMALLEST_P:.4f}"
    return "1" if p == 1 else f"{p:.4f}" if p < 0.99995 else ">0.9999"


def star(p_holm: float | None) -> str:
    """`*` if a test is significant also after Holm's correction for the tests beside it, else nothing."""
    return "*" if p_holm is not None and p_holm < SIGNIFICANT else ""


def signed(points: float | None) -> str:
    """Percentage points such as `-11.7`, `+0.3` or `0.0`."""
    if points is None:
        return UNKNOWN
    shown = f"{points:+.1f}"
    return "0.0" if shown in ("+0.0", "-0.0") else shown


def prompt_and_completion(tokens: Tokens) -> int | None:
    """All tokens that are paid for; None where nobody says of one kind how many there were."""
    prompt, completion = tokens["prompt"], tokens["completion"]
    return None if prompt is None or completion is None else prompt + completion


def unpriced(result: Result) -> str:
    """What is said of replies whose cost is in no sum, where there is a sum."""
    return f"{result.unpriced:,} unpriced" if result.unpriced and result.cost_usd is not None else ""
