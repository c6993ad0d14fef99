"""What the answers of a program for n after the listed ones show of a lookup table.

A table has no values there, or its values follow from the listed terms alone: a fitted
polynomial, recurrence or generating function says nothing new. What is computed from
the answers is computed modulo a prime, as a hostile program may print thousands of
digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import cycle, groupby, islice, pairwise
from math import log2

from pytest_llmarith.tasks.oeis.lookup_table.matching import BITS_BEYOND_CHANCE

_PRIME = (1 << 127) - 1
_MIN_TERMS = 8  # fewer terms may follow a short rule by chance
# So many equal values in a row among the listed ones are a rule of the sequence.
_SETTLED = 4
_MIN_ROUNDED = 1000
_TIMES_LARGER = 8


def sign_of_answers(
    terms: Sequence[int], near: Sequence[int], far: int | None
) -> str | None:
    """A line that says how the answers are those of a table, or None.

    `near` are the answers after the listed terms, `far` is one far away.
    """
    starts_again = list(near) == list(islice(cycle(terms), len(near)))
    if starts_again and not _contains(terms[1:], near):
        return "it starts again with the first term after the last one"
    if len(set(near)) == 1 and not _may_be_constant(terms, near, far):
        return (
            f"it gives {_shortened(near[0])} for every n after the listed ones, which "
            f"never have one value as often in a row"
        )
    if _ascends(terms):
        if not _ascends([terms[-1], *near]):
            return (
                "its answers after the listed terms are out of order, and the "
                "listed terms are not"
            )
    elif len(near) >= _MIN_TERMS and _outgrow(near, terms):
        earlier = terms[: -len(near)]
        last = terms[-len(near) :]
        if not _outgrow(last, earlier):
            return (
                "its answers after the listed terms are larger than all of these, "
                "which do not grow so"
            )
    if len(terms) < _MIN_TERMS or not any(terms):
        return None
    return _sign_of_short_rule(terms, near) or _sign_of_recurrence(terms, near)


def _shortened(value: int) -> str:
    text = str(value)
    if len(text) > 20:
        text = f"{text[:8]}… ({len(text)} digits)"
    return text


def _may_be_constant(
    terms: Sequence[int], near: Sequence[int], far: int | None
) -> bool:
    """Whether the listed terms have, or could have, one value as often in a row."""
    if _ascends(terms):
        longest = max(len(list(run)) for _, run in groupby(terms))
        if longest == len(terms):
            return True
        return longest >= len(near) and far != near[0]
    share = (1 + terms.count(near[0])) / (1 + len(terms))
    bits = len(near) * -log2(share)
    return bits < BITS_BEYOND_CHANCE or _contains(terms, near)


def _ascends(values: Sequence[int]) -> bool:
    return all(a <= b for a, b in pairwise(values))


def _outgrow(values: Sequence[int], earlier: Sequence[int]) -> bool:
    """Whether half of the values are much larger than every earlier one.

    True also if there are too few earlier ones to say.
    """
    if len(earlier) < _MIN_TERMS:
        return True
    limit = _TIMES_LARGER * max(abs(value) for value in earlier)
    much_larger = sum(abs(value) > limit for value in values)
    return 2 * much_larger >= len(values)


def _contains(values: Sequence[int], part: Sequence[int]) -> bool:
    length = len(part)
    for start in range(len(values) - length + 1):
        stretch = values[start : start + length]
        if list(stretch) == list(part):
            return True
    return False


# --- answers that follow from the listed terms ----------------------------------------


def _sign_of_short_rule(terms: Sequence[int], near: Sequence[int]) -> str | None:
    """A rule that begins to hold with the answers after the listed terms, or None."""
    listed = len(terms)
    values = [value % _PRIME for value in (*terms, *near)]
    for name, numbers in _transforms(values):
        # The transform of a series has one number for each term; it may begin some
        # terms later.
        begins = len(values) - len(numbers)
        known = numbers[: listed - begins]
        beyond = numbers[listed - begins :]
        if len(set(beyond)) != 1:
            continue
        is_known = known[-2:] == beyond[:2] or _contains(known, beyond[:_SETTLED])
        if not is_known:
            return (
                f"after the listed terms its answers have {name}, and the listed "
                f"terms do not"
            )
    return None


def _sign_of_recurrence(terms: Sequence[int], near: Sequence[int]) -> str | None:
    """A recurrence with as many numbers as listed terms, or None.

    It counts if it gives the answers after the terms.
    """
    recurrence = _recurrence(terms)
    order = len(recurrence)
    if 2 * order < len(terms) - 1 or len(set(near)) == 1:
        return None
    fitted = [Fraction(term) for term in terms]
    for value in near:
        following = Fraction(0)
        for back, coefficient in enumerate(recurrence, 1):
            following += coefficient * fitted[-back]
        fitted.append(following)
        error = abs(following - value)
        # It may print the integer below or above.
        is_rounded = error < 1 and abs(value) >= _MIN_ROUNDED
        if error != 0 and not is_rounded:
            return None
    return (
        f"a recurrence of order {order}, fitted to the {len(terms)} listed terms, "
        f"gives its answers"
    )


def _transforms(values: Sequence[int]) -> Iterator[tuple[str, list[int]]]:
    """Names of rules, and the numbers that a table stores of each for the values.

    One number repeats where the table ends.
    """
    steps = _steps(values)
    yield "equal steps", steps
    yield "equal differences of steps", _steps(steps)
    yield "no further differences of Newton's polynomial", _newton(values)
    first = 0
    if any(values):
        while values[first] == 0:
            first += 1
    for series in (values[first:], [1, *values[1:]], [1, *values]):
        yield (
            "no further coefficients of a recurrence over all terms",
            _reciprocal(series),
        )
        inverse = pow(series[0], -1, _PRIME)
        normed = [value * inverse for value in series]
        yield "no further exponents of Euler's product", _euler(normed)


def _steps(values: Sequence[int]) -> list[int]:
    return [(after - before) % _PRIME for before, after in pairwise(values)]


def _newton(values: Sequence[int]) -> list[int]:
    """The first of each row of differences: coefficients of binomials."""
    found = []
    while values:
        found.append(values[0])
        values = _steps(values)
    return found


def _reciprocal(series: Sequence[int]) -> list[int]:
    """The coefficients of 1 divided by the power series, whose first term is not 0."""
    inverse = pow(series[0], -1, _PRIME)
    found = [inverse]
    for n in range(1, len(series)):
        total = sum(found[k] * series[n - k] for k in range(n))
        found.append(-total * inverse % _PRIME)
    return found


def _euler(series: Sequence[int]) -> list[int]:
    """The exponents e with the product over k of (1 - x^k)^-e(k) equal to the series.

    The first term of the power series is 1.
    """
    sums = [0]  # of d e(d) over the divisors d of each n
    shares = [0 for _ in series]
    exponents = [0]
    for n in range(1, len(series)):
        known = sum(sums[k] * series[n - k] for k in range(1, n))
        total = (n * series[n] - known) % _PRIME
        sums.append(total)
        exponent = (total - shares[n]) * pow(n, -1, _PRIME) % _PRIME
        exponents.append(exponent)
        for multiple in range(n, len(series), n):
            shares[multiple] += n * exponent
    return exponents


def _recurrence(terms: Sequence[int]) -> list[Fraction]:
    """The coefficients of the shortest linear recurrence that gives the terms.

    This is the algorithm of Berlekamp and Massey.
    """
    one = Fraction(1)
    current = [one]
    before = [one]
    last = one  # the error that the one before had
    order = 0
    gap = 1
    for n in range(len(terms)):
        error = Fraction(0)
        for back, coefficient in enumerate(current[: order + 1]):
            error += coefficient * terms[n - back]
        if error == 0:
            gap += 1
            continue
        old = current
        current = _padded(current, len(before) + gap)
        for k, coefficient in enumerate(before, gap):
            current[k] -= error / last * coefficient
        if 2 * order <= n:
            order = n + 1 - order
            before = old
            last = error
            gap = 1
        else:
            gap += 1
    current = _padded(current, order + 1)
    return [-coefficient for coefficient in current[1 : order + 1]]


def _padded(coefficients: list[Fraction], length: int) -> list[Fraction]:
    """A copy with zeroes up to this length."""
    missing = range(length - len(coefficients))
    return [*coefficients, *(Fraction(0) for _ in missing)]
