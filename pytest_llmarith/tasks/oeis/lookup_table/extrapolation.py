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
_SETTLED = (
    4  # so many equal values in a row among the listed ones are a rule of the sequence
)
_MIN_ROUNDED = 1000
_TIMES_LARGER = 8


def sign_of_answers(
    terms: Sequence[int], near: Sequence[int], far: int | None
) -> str | None:
    """A line that says how the answers after the listed terms, and one far away, are
    those of a table, or None.
    """
    if [*near] == [*islice(cycle(terms), len(near))] and not _contains(terms[1:], near):
        return "it starts again with the first term after the last one"
    if len({*near}) == 1 and not _may_be_constant(terms, near, far):
        text = str(near[0])
        value = text if len(text) <= 20 else f"{text[:8]}… ({len(text)} digits)"
        return (
            f"it gives {value} for every n after the listed ones, which never have "
            f"one value as often in a row"
        )
    if _ascends(terms):
        if not _ascends([terms[-1], *near]):
            return (
                "its answers after the listed terms are out of order, and the "
                "listed terms are not"
            )
    elif (
        len(near) >= _MIN_TERMS
        and _outgrow(near, terms)
        and not _outgrow(terms[-len(near) :], terms[: -len(near)])
    ):
        return (
            "its answers after the listed terms are larger than all of these, "
            "which do not grow so"
        )
    return _sign_of_fit(terms, near)


def _may_be_constant(
    terms: Sequence[int], near: Sequence[int], far: int | None
) -> bool:
    """Whether the listed terms have one value as often in a row, or could have it by
    chance.
    """
    if _ascends(terms):
        longest = max(len([*run]) for _, run in groupby(terms))
        return longest == len(terms) or (longest >= len(near) and far != near[0])
    share = (1 + sum(term == near[0] for term in terms)) / (1 + len(terms))
    return len(near) * -log2(share) < BITS_BEYOND_CHANCE or _contains(terms, near)


def _ascends(values: Sequence[int]) -> bool:
    return all(a <= b for a, b in pairwise(values))


def _outgrow(values: Sequence[int], earlier: Sequence[int]) -> bool:
    """Whether half of the values are much larger than every earlier one, or there are
    too few of these to say.
    """
    if len(earlier) < _MIN_TERMS:
        return True
    largest = max(map(abs, earlier))
    return 2 * sum(abs(value) > _TIMES_LARGER * largest for value in values) >= len(
        values
    )


def _contains(values: Sequence[int], part: Sequence[int]) -> bool:
    return any(
        [*values[k : k + len(part)]] == [*part]
        for k in range(len(values) - len(part) + 1)
    )


# --- answers that follow from the listed terms ----------------------------------------


def _sign_of_fit(terms: Sequence[int], near: Sequence[int]) -> str | None:
    """How a rule with as many numbers as there are listed terms gives the answers after
    them, or None.
    """
    if len(terms) < _MIN_TERMS or not any(terms):
        return None
    listed = len(terms)
    values = [value % _PRIME for value in (*terms, *near)]
    for name, numbers in _transforms(values):
        # The transform of a series has one number for each term; it may begin some
        # terms later.
        begins = len(values) - len(numbers)
        known, beyond = numbers[: listed - begins], numbers[listed - begins :]
        is_known = known[-2:] == beyond[:2] or _contains(known, beyond[:_SETTLED])
        if len({*beyond}) == 1 and not is_known:
            return (
                f"after the listed terms its answers have {name}, and the listed "
                f"terms do not"
            )
    recurrence = _recurrence(terms)
    if 2 * len(recurrence) < listed - 1 or len({*near}) == 1:
        return None
    fitted = [Fraction(term) for term in terms]
    for value in near:
        fitted.append(
            sum((c * fitted[-k] for k, c in enumerate(recurrence, 1)), Fraction(0))
        )
        error = abs(fitted[-1] - value)
        if error >= 1 or (
            error and abs(value) < _MIN_ROUNDED
        ):  # it may print the integer below or above
            return None
    return (
        f"a recurrence of order {len(recurrence)}, fitted to the {listed} listed "
        f"terms, gives its answers"
    )


def _transforms(values: Sequence[int]) -> Iterator[tuple[str, list[int]]]:
    """Names of rules, and the numbers that a table stores of it for the values: one
    number repeats where it ends.
    """
    steps = [(b - a) % _PRIME for a, b in pairwise(values)]
    yield "equal steps", steps
    yield "equal differences of steps", [(b - a) % _PRIME for a, b in pairwise(steps)]
    yield "no further differences of Newton's polynomial", _newton(values)
    first = next((k for k, value in enumerate(values) if value), 0)
    for series in (values[first:], [1, *values[1:]], [1, *values]):
        yield (
            "no further coefficients of a recurrence over all terms",
            _reciprocal(series),
        )
        yield (
            "no further exponents of Euler's product",
            _euler([value * pow(series[0], -1, _PRIME) for value in series]),
        )


def _newton(values: Sequence[int]) -> list[int]:
    """The first of each row of differences: coefficients of binomials."""
    found = []
    while values:
        found.append(values[0])
        values = [(b - a) % _PRIME for a, b in pairwise(values)]
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
    """The exponents e with product over k of (1 - x^k)^-e(k) equal to the power series,
    whose first term is 1.
    """
    sums = [0]  # of d e(d) over the divisors d of each n
    shares = [0] * len(series)
    exponents = [0]
    for n in range(1, len(series)):
        total = (
            n * series[n] - sum(sums[k] * series[n - k] for k in range(1, n))
        ) % _PRIME
        sums.append(total)
        exponent = (total - shares[n]) * pow(n, -1, _PRIME) % _PRIME
        exponents.append(exponent)
        for multiple in range(n, len(series), n):
            shares[multiple] += n * exponent
    return exponents


def _recurrence(terms: Sequence[int]) -> list[Fraction]:
    """The coefficients of the shortest linear recurrence that gives the terms
    (Berlekamp and Massey).
    """
    current, before = [Fraction(1)], [Fraction(1)]
    order, gap, last = 0, 1, Fraction(1)
    for n in range(len(terms)):
        error = sum(
            (c * terms[n - k] for k, c in enumerate(current[: order + 1])), Fraction(0)
        )
        if error == 0:
            gap += 1
            continue
        old = current
        current = [*current, *[Fraction(0)] * (len(before) + gap - len(current))]
        for k, b in enumerate(before):
            current[k + gap] -= error / last * b
        if 2 * order <= n:
            order, before, last, gap = n + 1 - order, old, error, 1
        else:
            gap += 1
    current += [Fraction(0)] * (order + 1 - len(current))
    return [-c for c in current[1 : order + 1]]
