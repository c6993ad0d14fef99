"""The mistakes of a simulated model, one named function each. It knows a calculation, no problem and no grade.

A slip is a pure function of a source of chance and a calculation. It gives another number than the truth, written
the same way, or `None` where the calculation offers no occasion for it. `SLIPS` is the table of them all, weighted
as language models were seen to err. Each stays off its neighbours' ground where it can: one digit off by one is a
carry lost and nothing else, a result whose digits are all right but for zeros at the end a power of ten.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from types import MappingProxyType

from pytest_llmarith.models.embedded.calculation import Calculation, solve, wide_enough
from pytest_llmarith.models.embedded.digits import Written, carried
from pytest_llmarith.values import Op


def carry_lost(draw: Random, calculation: Calculation) -> str | None:
    """A carry or a borrow is forgotten: a digit that took one is off by one, all others are right."""
    number, step = Written.of(calculation.truth), 1 if calculation.op is Op.SUB else -1
    digits = {place: int(number.digits[place]) + step for place in carried(calculation)}
    lowest = {0: 1}  # a number does not begin with a zero
    changes = [{place: str(digit)} for place, digit in digits.items() if lowest.get(place, 0) <= digit <= 9]
    return str(number.with_digits(draw.choice(changes))) if changes else None


def wrong_digit(draw: Random, calculation: Calculation) -> str:
    """One digit is another one, off by two or more; in sums most often the fourth from the left."""
    return _redrawn(draw, calculation, count=1, off_by=2)


def wrong_digits(draw: Random, calculation: Calculation) -> str | None:
    """Several digits are others: in the middle of a product, towards the end of a quotient."""
    available = len(Written.of(calculation.truth).digits)
    if available < 2:
        return None
    return _redrawn(draw, calculation, count=draw.randint(2, max(2, available // 2)), off_by=1)


def transposed(draw: Random, calculation: Calculation) -> str | None:
    """Two neighbouring digits, not the same, change places; a zero does not come first."""
    number = Written.of(calculation.truth)
    pairs = [(place, *number.digits[place : place + 2]) for place in range(len(number.digits) - 1)]
    swaps = [{place: right, place + 1: left} for place, left, right in pairs if left != right]
    changes = [swap for swap in swaps if swap.get(0) != "0"]
    return str(number.with_digits(draw.choice(changes))) if changes else None


def group_dropped(draw: Random, calculation: Calculation) -> str | None:
    """A whole group of three digits before the decimal point is left out, never the leading one."""
    number = Written.of(calculation.truth)
    shorter = (number.with_run(start, start + 3, "") for start in number.groups())
    return _pick(draw, (str(other) for other in shorter if not _same_but_for_zeros(other, number)))


def group_added(draw: Random, calculation: Calculation) -> str | None:
    """Three digits too many behind a group before the decimal point: zeros, or the group's digits said again."""
    number = Written.of(calculation.truth)
    ends = [*number.groups(), number.whole]
    runs = ((end, run) for end in ends for run in ("000", number.digits[max(0, end - 3) : end].rjust(3, "0")))
    longer = (number.with_run(end, end, run) for end, run in runs)
    return _pick(draw, (str(other) for other in longer if not _same_but_for_zeros(other, number)))


def power_of_ten(draw: Random, calculation: Calculation) -> str | None:
    """All digits are right and the decimal point is not; an integer has zeros too many, or too few."""
    number = Written.of(calculation.truth)
    to_the_left = 3 if number.decimals else min(3, len(number.digits) - len(number.digits.rstrip("0")))
    by = draw.choice([by for by in range(-to_the_left, 4) if by])
    return _another(calculation, str(number.moved(by)))


def rounded(draw: Random, calculation: Calculation) -> str | None:
    """The truth rounded to fewer decimals, where that changes it and leaves something."""
    truth, context = Decimal(calculation.truth), wide_enough(calculation.truth)
    units = (Decimal(1).scaleb(-places) for places in range(Written.of(calculation.truth).decimals))
    shorter = (truth.quantize(unit, context=context) for unit in units)
    return _pick(draw, (format(number, "f") for number in shorter if number and number != truth))


def sign_lost(draw: Random, calculation: Calculation) -> str | None:
    """A negative result without its sign."""
    return calculation.truth[1:] if calculation.truth.startswith("-") else None


def misaligned(draw: Random, calculation: Calculation) -> str | None:
    """One operand of a sum or difference stands a column too far to the left; the sign does not tell it."""
    if calculation.op not in (Op.ADD, Op.SUB):
        return None
    op, lhs, rhs = calculation.op, Written.of(calculation.lhs), Written.of(calculation.rhs)
    results = [solve(op, str(lhs.moved(1)), str(rhs)), solve(op, str(lhs), str(rhs.moved(1)))]
    same_sign = (text for text in results if text.startswith("-") == calculation.truth.startswith("-"))
    return _pick(draw, (text for text in same_sign if _another(calculation, text)))


@dataclass(frozen=True, slots=True)
class Slip:
    """A way to go wrong, and its share among the slips of an operation when the calculation is ten digits long.

    The share goes with the length to the power of `growth`.
    """

    make: Callable[[Random, Calculation], str | None]
    shares: Mapping[Op, float]
    growth: float = 0.0

    def weight(self, calculation: Calculation) -> float:
        return self.shares[calculation.op] * math.pow(calculation.length / 10, self.growth)


def _per_op(add: float, sub: float, mul: float, div: float) -> Mapping[Op, float]:
    return MappingProxyType({Op.ADD: add, Op.SUB: sub, Op.MUL: mul, Op.DIV: div})


SLIPS: Mapping[str, Slip] = MappingProxyType(
    {
        "carry_lost": Slip(carry_lost, _per_op(35, 35, 8, 5)),
        "wrong_digit": Slip(wrong_digit, _per_op(19, 19, 6, 5)),
        "wrong_digits": Slip(wrong_digits, _per_op(34, 30, 54, 26)),
        "transposed": Slip(transposed, _per_op(3, 3, 2, 2)),
        "group_dropped": Slip(group_dropped, _per_op(4, 4, 14, 26), growth=1.0),
        "group_added": Slip(group_added, _per_op(3, 3, 8, 16), growth=1.0),
        "power_of_ten": Slip(power_of_ten, _per_op(1, 1, 4, 16)),
        "rounded": Slip(rounded, _per_op(8, 8, 8, 4)),
        "sign_lost": Slip(sign_lost, _per_op(0, 12, 0, 0)),
        "misaligned": Slip(misaligned, _per_op(2, 2, 0, 0), growth=3.5),
    }
)

# A sum is as many columns as it has digits, a product or quotient nearly that many lines of that many columns,
# to be added up besides: the hazard is risk * length ** power.
_HAZARDS: Mapping[Op, tuple[float, float]] = MappingProxyType(
    {Op.ADD: (0.010, 1.0), Op.SUB: (0.011, 1.0), Op.MUL: (0.006, 2.7), Op.DIV: (0.007, 2.7)}
)

_GROUPED = 1.3  # the hazard of digits in groups, which fall apart into other tokens
_LONG_TALK = 20_000  # characters before the question that add the hazard once more


def likelihood(calculation: Calculation, temperature: float = 1.0) -> float:
    """How likely it is that such a calculation goes wrong at all; the hazard is as high as the temperature."""
    risk, power = _HAZARDS[calculation.op]
    return 1.0 - math.exp(-temperature * _distraction(calculation) * risk * math.pow(calculation.length, power))


def _distraction(calculation: Calculation) -> float:
    """How much the way in which the question is put adds to the hazard: 1 for the usual way."""
    return (_GROUPED if calculation.grouped else 1.0) * (1 + calculation.aside / _LONG_TALK)


def slip(draw: Random, calculation: Calculation) -> tuple[str, str]:
    """The name of a slip and the number it gives: one of those that the calculation offers, by their weights."""
    names = list(SLIPS)
    for place in _race(draw, [SLIPS[name].weight(calculation) for name in names]):
        if text := SLIPS[names[place]].make(draw, calculation):
            return names[place], text
    raise AssertionError("some digit can always be another one")


def _redrawn(draw: Random, calculation: Calculation, count: int, off_by: int) -> str:
    """The result with `count` digits drawn anew, each off by `off_by` or more."""
    number = Written.of(calculation.truth)
    places = _race(draw, _risks(calculation.op, len(number.digits)))[:count]
    changes = {place: draw.choice(_other_digits(place, number.digits[place], off_by)) for place in sorted(places)}
    return str(number.with_digits(changes))


def _other_digits(place: int, digit: str, off_by: int) -> list[str]:
    digits = range(1 if place == 0 else 0, 10)  # a number does not begin with a zero
    return [str(other) for other in digits if abs(other - int(digit)) >= off_by]


def _risks(op: Op, count: int) -> list[float]:
    """How prone each digit of a result is to be wrong, from the left."""
    match op:
        case Op.MUL:
            return [1 + 10 * min(place, count - 1 - place) for place in range(count)]
        case Op.DIV:
            return [1 + 4 * place for place in range(count)]
        case _:
            measured = [5, 9, 17, 53] + [27] * count
            return [*measured[: count - 1], 12]


def _race(draw: Random, weights: Sequence[float]) -> list[int]:
    """All positions whose weight is above 0, in an order drawn by their weights."""
    finish = {place: draw.expovariate(weight) for place, weight in enumerate(weights) if weight > 0}
    return sorted(finish, key=lambda place: finish[place])


def _pick(draw: Random, candidates: Iterable[str]) -> str | None:
    options = list(candidates)
    return draw.choice(options) if options else None


def _another(calculation: Calculation, text: str) -> str | None:
    return text if Decimal(text) != Decimal(calculation.truth) else None


def _same_but_for_zeros(one: Written, other: Written) -> bool:
    return one.digits.strip("0") == other.digits.strip("0")
