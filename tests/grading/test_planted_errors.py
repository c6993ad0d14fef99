"""An error that is planted is found as what was planted.

Problems are so long that chance makes no operand of an answer and no answer of an
operand. Where an error of one kind can be one of another kind too, the test says so and
plants it where it cannot.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from itertools import pairwise

from hypothesis import assume, given
from hypothesis import strategies as st

from pytest_llmarith.exact import Case, carries, error_class
from pytest_llmarith.tasks.task import TaskProblem
from pytest_llmarith.types import TOLERANCES, Dtype, ErrorClass, Op
from tests.asked import of, operands
from tests.tasks.problem_strategies import arithmetic_problems

LONG = st.integers(7, 30)
PROBLEMS = arithmetic_problems(depth=LONG)
SUMS = arithmetic_problems(ops=[Op.ADD, Op.SUB], depth=LONG)
PRODUCTS = arithmetic_problems([Dtype.INT], [Op.MUL], LONG)
EXACT = Context(prec=1000)


def found(problem: TaskProblem, answer: str | Decimal) -> ErrorClass | None:
    asked = of(problem)
    case = Case.of(*asked, problem.expected, Decimal(answer), TOLERANCES[asked.dtype])
    return error_class(case)


class Written:
    """The truth as its digits stand, to be changed."""

    def __init__(self, problem: TaskProblem) -> None:
        self.sign: str = "-" if problem.expected.startswith("-") else ""
        self.whole: str
        self.decimals: str
        self.whole, _, self.decimals = problem.expected.lstrip("-").partition(".")
        assume(len(self.whole) >= 6)  # a difference may be short

    @property
    def digits(self) -> str:
        return self.whole + self.decimals

    def with_whole(self, whole: str) -> str:
        return f"{self.sign}{whole}.{self.decimals or '0'}"

    def with_digits(self, digits: str) -> str:
        end = len(self.whole)
        return f"{self.sign}{digits[:end]}.{digits[end:] or '0'}"


@given(
    arithmetic_problems([Dtype.FLOAT], [Op.ADD, Op.SUB, Op.MUL], LONG),
    st.integers(0, 3),
)
def test_rounded(problem: TaskProblem, decimals: int) -> None:
    answer = Decimal(problem.expected).quantize(
        Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN, EXACT
    )
    assume(answer != Decimal(problem.expected))
    assert found(problem, answer) is ErrorClass.ROUNDED


@given(PROBLEMS)
def test_sign(problem: TaskProblem) -> None:
    answer = Decimal(problem.expected).copy_negate()
    assume(answer)
    assert found(problem, answer) is ErrorClass.SIGN


@given(PROBLEMS, st.integers(-8, 8).filter(bool))
def test_power_of_ten(problem: TaskProblem, exponent: int) -> None:
    truth = Decimal(problem.expected)
    assume(truth)
    assert found(problem, truth.scaleb(exponent, EXACT)) is ErrorClass.POWER_OF_TEN


@given(PROBLEMS, st.sampled_from([0, 1]), st.sampled_from(["", "-"]))
def test_operand_echoed(problem: TaskProblem, which: int, sign: str) -> None:
    assert found(problem, sign + operands(problem)[which]) is ErrorClass.OPERAND_ECHOED


OPERATIONS: dict[Op, Callable[[Fraction, Fraction], Fraction]] = {
    Op.ADD: lambda lhs, rhs: lhs + rhs,
    Op.SUB: lambda lhs, rhs: lhs - rhs,
    Op.MUL: lambda lhs, rhs: lhs * rhs,
    Op.DIV: lambda lhs, rhs: lhs / rhs,
}


@given(PROBLEMS, st.sampled_from(Op), st.booleans())
def test_wrong_operation(problem: TaskProblem, op: Op, swapped: bool) -> None:
    """What another operation gives, to four decimals, operands either way round.

    A difference the other way round differs in its sign, which is another class; a sum
    and a product do not differ.
    """
    assume(op is not of(problem).op or (op is Op.DIV and swapped))
    lhs, rhs = map(
        Fraction, reversed(operands(problem)) if swapped else operands(problem)
    )
    result = round(OPERATIONS[op](lhs, rhs) * 10**4)
    assume(result)  # a quotient of numbers of such different lengths may be nothing
    assert (
        found(problem, Decimal(result).scaleb(-4, EXACT)) is ErrorClass.WRONG_OPERATION
    )


@given(SUMS, st.integers(-2, 40).filter(bool), st.booleans())
def test_misaligned(problem: TaskProblem, columns: int, left: bool) -> None:
    lhs, rhs = map(Decimal, operands(problem))
    lhs, rhs = (
        (lhs.scaleb(columns, EXACT), rhs) if left else (lhs, rhs.scaleb(columns, EXACT))
    )
    answer = (
        EXACT.add(lhs, rhs) if of(problem).op is Op.ADD else EXACT.subtract(lhs, rhs)
    )
    assert found(problem, answer) is ErrorClass.MISALIGNED


@given(SUMS, st.data())
def test_carry(problem: TaskProblem, data: st.DataObject) -> None:
    """Some carries are forgotten, or borrows.

    Only before the point: behind it, that may be a rounding.
    """
    lhs, rhs = map(Decimal, operands(problem))
    columns = carries(of(problem).op, lhs, rhs)
    assert columns is not None
    places = [
        place - columns.decimals
        for place, taking in enumerate(columns.columns)
        if taking
    ]
    places = [place for place in places if place >= 0]
    assume(places)
    forgotten = data.draw(st.sets(st.sampled_from(places), min_size=1))
    error = sum(10**place for place in forgotten) * (
        1 if of(problem).op is Op.ADD else -1
    )
    truth = Decimal(problem.expected)
    answer = EXACT.subtract(truth.copy_abs(), Decimal(error))
    assume(answer > 0)  # who forgets the first carry has no use for the one behind it
    assert found(problem, answer.copy_sign(truth)) is ErrorClass.CARRY


@given(PROBLEMS, st.data())
def test_lengths(problem: TaskProblem, data: st.DataObject) -> None:
    written = Written(problem)
    size = data.draw(st.sampled_from((1, 2, 3, 4, 5, 6, 9)))
    whole = _of_another_length(written.whole, data, size)
    assume(
        min(
            len((number + written.decimals).strip("0"))
            for number in (whole, written.whole)
        )
        > 1
    )
    expected = ErrorClass.GROUP_OF_THREE if size % 3 == 0 else ErrorClass.OTHER_LENGTH
    assert found(problem, written.with_whole(whole)) is expected


def _of_another_length(whole: str, data: st.DataObject, size: int) -> str:
    """The first digit stays.

    Zeros at the end are a power of ten, and a difference of ones and zeros may be
    carries.
    """
    start = data.draw(st.integers(1, len(whole)))
    run = data.draw(st.none() | st.text("0123456789", min_size=size, max_size=size))
    assume(run is not None or start + size <= len(whole))
    changed = whole[:start] + (
        whole[start + size :] if run is None else run + whole[start:]
    )
    assume(changed.rstrip("0") != whole.rstrip("0"))
    assume(set(str(int(changed) - int(whole))) - set("-01"))
    return changed


@given(PROBLEMS, st.data())
def test_transposition(problem: TaskProblem, data: st.DataObject) -> None:
    """Two neighbours that differ change places; a zero does not come first."""
    written = Written(problem)
    digits = written.digits
    places = [
        place
        for place, (left, right) in enumerate(pairwise(digits))
        if left != right and (place or right != "0")
    ]
    assume(places)
    place = data.draw(st.sampled_from(places))
    swapped = digits[:place] + digits[place + 1] + digits[place] + digits[place + 2 :]
    assert found(problem, written.with_digits(swapped)) is ErrorClass.TRANSPOSITION


@given(PROBLEMS, st.data())
def test_one_digit(problem: TaskProblem, data: st.DataObject) -> None:
    written = Written(problem)
    place = data.draw(st.integers(0, len(written.whole) - 1))
    digit = int(written.whole[place])
    others = [other for other in range(place == 0, 10) if abs(other - digit) > 1]
    whole = f"{written.whole[:place]}{data.draw(st.sampled_from(others))}{written.whole[place + 1 :]}"
    assert found(problem, written.with_whole(whole)) is ErrorClass.ONE_DIGIT


@given(PRODUCTS, st.data())
def test_where_digits_are_wrong(problem: TaskProblem, data: st.DataObject) -> None:
    """A tail, a stretch in the middle, or places far apart; single digits within a
    stretch may be right by chance.
    """
    length = len(problem.expected)
    expected = data.draw(
        st.sampled_from((ErrorClass.TAIL, ErrorClass.MIDDLE, ErrorClass.SCATTERED))
    )
    if expected is ErrorClass.TAIL:
        places = _stretch(
            data.draw(st.integers(length - length // 2, length - 2)), length - 1, data
        )
    elif expected is ErrorClass.MIDDLE:
        first = data.draw(st.integers(1, length - 3))
        last = data.draw(
            st.integers(first + 1, min(length - 2, first + length // 2 - 1))
        )
        places = _stretch(first, last, data)
    else:
        first = data.draw(st.integers(0, length - 4))
        places = [
            first,
            data.draw(st.integers(first + (3 if first else 1), length - 1)),
        ]
    assert found(problem, _wrong_at(problem, places, data)) is expected


def _stretch(first: int, last: int, data: st.DataObject) -> list[int]:
    places = [first]
    while places[-1] < last:
        places.append(min(last, places[-1] + data.draw(st.integers(1, 2))))
    return places


def _wrong_at(problem: TaskProblem, places: list[int], data: st.DataObject) -> str:
    digits = list(problem.expected)
    for place in places:
        digits[place] = data.draw(
            st.sampled_from("123456789" if place == 0 else "0123456789")
        )
        assume(digits[place] != problem.expected[place])
    assume(
        sorted(digits) != sorted(problem.expected)
    )  # two neighbours may have changed places
    return "".join(digits)


@given(PROBLEMS, st.data())
def test_unrelated(problem: TaskProblem, data: st.DataObject) -> None:
    """Another number of any length: no digit is in place, counted from either end, and
    the first is far off.
    """
    written = Written(problem)
    length = data.draw(st.integers(2, 2 * len(written.whole))) + len(written.decimals)
    digits = []
    for place in range(length):
        taken = {
            written.digits[place : place + 1],
            _from_right(written.digits, length - place),
        }
        taken |= set(
            _near(written.digits[0])
            if place == 0
            else "0"
            if place == length - 1
            else ""
        )
        digits.append(
            data.draw(
                st.sampled_from([digit for digit in "0123456789" if digit not in taken])
            )
        )
    answer = Decimal(f"{written.sign}{''.join(digits)}").scaleb(
        -len(written.decimals), EXACT
    )
    assert found(problem, answer) is ErrorClass.UNRELATED


def _from_right(digits: str, place: int) -> str:
    return digits[-place] if place <= len(digits) else ""


def _near(first: str) -> str:
    """With what a number may begin that is off by less than a tenth, whatever its
    length; and 0.
    """
    return {"1": "9012", "9": "8901"}.get(
        first
    ) or f"0{int(first) - 1}{first}{int(first) + 1}"
