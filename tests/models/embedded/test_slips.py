"""The mistakes of the simulated model, one by one."""

import re
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from pytest_llmarith.models.embedded import slips
from pytest_llmarith.models.embedded.calculation import Calculation, solve
from pytest_llmarith.models.embedded.digits import Written
from pytest_llmarith.models.embedded.slips import SLIPS
from pytest_llmarith.values import Op

PLAIN = re.compile(r"-?(0|[1-9][0-9]*)([.][0-9]+)?")
WHOLE = "[1-9][0-9]{0,29}|0"
CHANCES = range(400)


def calculation(op: Op, lhs: str, rhs: str) -> Calculation:
    return Calculation(op, lhs, rhs, solve(op, lhs, rhs))


def outcomes(make: Callable[[Random, Calculation], str | None], op: Op, lhs: str, rhs: str) -> set[str | None]:
    """Everything that a slip makes of a calculation."""
    return {make(Random(chance), calculation(op, lhs, rhs)) for chance in CHANCES}


@st.composite
def calculations(draw: DrawFn, op: Op | None = None) -> Calculation:
    """Operands of one to thirty digits, zero among them, and divisions that need not be even."""
    op = op or draw(st.sampled_from(Op))
    numbers = st.from_regex(draw(st.sampled_from([WHOLE, f"({WHOLE})[.][0-9]{{2}}"])), fullmatch=True)
    lhs, rhs = draw(numbers), draw(numbers)
    assume(op is not Op.DIV or Decimal(rhs) != 0)
    return calculation(op, lhs, rhs)


def chances() -> st.SearchStrategy[int]:
    return st.integers(0, 2**32)


def changed_places(calculation: Calculation, text: str) -> list[int]:
    """Where two numbers of the same shape differ."""
    truth, other = Written.of(calculation.truth), Written.of(text)
    assert (truth.sign, len(truth.digits), truth.decimals) == (other.sign, len(other.digits), other.decimals)
    return [place for place, (a, b) in enumerate(zip(truth.digits, other.digits, strict=True)) if a != b]


def gap(calculation: Calculation, text: str, place: int) -> int:
    """By how much a digit is off."""
    return int(Written.of(text).digits[place]) - int(Written.of(calculation.truth).digits[place])


def favourite_places(make: Callable[[Random, Calculation], str | None], asked: Calculation) -> Counter[int]:
    """How often each place of a result is wrong."""
    return Counter(
        place for chance in CHANCES for place in changed_places(asked, make(Random(chance), asked) or asked.truth)
    )


@pytest.mark.parametrize("name", SLIPS)
@given(asked=calculations(), chance=chances())
def test_another_number(name: str, asked: Calculation, chance: int) -> None:
    """A slip gives another number than the truth, plainly written, and the same one every time, or nothing."""
    text = SLIPS[name].make(Random(chance), asked)
    assert text == SLIPS[name].make(Random(chance), asked)
    assert text is None or (PLAIN.fullmatch(text) and Decimal(text) != Decimal(asked.truth))


@pytest.mark.parametrize("name", SLIPS)
@pytest.mark.parametrize("op", Op)
def test_any_length(name: str, op: Op) -> None:
    """Numbers longer than Python converts to `int` by default are no obstacle."""
    asked = calculation(op, "1234567890" * 500 + ".25", "987" * 1000 + ".00")
    assert SLIPS[name].make(Random(0), asked) != asked.truth


@given(asked=calculations(), chance=chances())
def test_carry_lost_is_one_digit_off_by_one(asked: Calculation, chance: int) -> None:
    """A lost carry leaves exactly one digit one too small, a lost borrow one too large."""
    if text := slips.carry_lost(Random(chance), asked):
        (place,) = changed_places(asked, text)
        assert gap(asked, text, place) == (1 if asked.op is Op.SUB else -1)


@pytest.mark.parametrize(
    ("op", "lhs", "rhs", "wrong"),
    [
        (Op.ADD, "128", "45", {"163"}),
        (Op.ADD, "1.85", "2.30", {"3.15"}),
        (Op.SUB, "502", "37", {"475", "565"}),
        (Op.SUB, "37", "502", {"-475", "-565"}),
        (Op.ADD, "123", "456", {None}),
        (Op.ADD, "95", "7", {None}),  # 102: one place would become a leading zero, the other is one already
    ],
)
def test_carry_lost_where_there_is_one(op: Op, lhs: str, rhs: str, wrong: set[str | None]) -> None:
    """Only a digit that took a carry or lent one is off; without any there is no such slip."""
    assert outcomes(slips.carry_lost, op, lhs, rhs) == wrong


@given(asked=calculations(), chance=chances())
def test_wrong_digit_is_one_digit(asked: Calculation, chance: int) -> None:
    """Exactly one digit is another one, and not the neighbour that a carry would explain."""
    text = slips.wrong_digit(Random(chance), asked)
    (place,) = changed_places(asked, text)
    assert abs(gap(asked, text, place)) >= 2


def test_wrong_digit_of_sums_is_the_fourth() -> None:
    """In a long sum the fourth digit from the left is the one most often wrong."""
    asked = calculation(Op.ADD, "12345678", "45678912")
    assert favourite_places(slips.wrong_digit, asked).most_common(1)[0][0] == 3


@given(asked=calculations(), chance=chances())
def test_wrong_digits_are_several(asked: Calculation, chance: int) -> None:
    """Two digits or more are others, at most half of a long number; a single digit offers no occasion."""
    text = slips.wrong_digits(Random(chance), asked)
    count = len(Written.of(asked.truth).digits)
    assert (text is None) == (count < 2)
    if text:
        assert 2 <= len(changed_places(asked, text)) <= max(2, count // 2)


def test_wrong_digits_of_products_are_in_the_middle() -> None:
    """The first and the last digits of a product are mostly right."""
    asked = calculation(Op.MUL, "12345678", "45678912")
    places = favourite_places(slips.wrong_digits, asked)
    last = len(asked.truth) - 1
    assert max(places[0], places[last]) < min(places[last // 2], places[last // 2 + 1]) / 2


def test_wrong_digits_of_quotients_are_at_the_end() -> None:
    """The first digit of a quotient is mostly right, the last mostly wrong."""
    places = favourite_places(slips.wrong_digits, calculation(Op.DIV, "563929000000000", "45678912"))
    first, *_, last = (places[place] for place in sorted(places))
    assert first < last / 10


@given(asked=calculations(), chance=chances())
def test_transposed_swaps_neighbours(asked: Calculation, chance: int) -> None:
    """Two neighbouring digits have changed places, and all digits are still there."""
    if text := slips.transposed(Random(chance), asked):
        left, right = changed_places(asked, text)
        assert right == left + 1
        assert sorted(text) == sorted(asked.truth)


@pytest.mark.parametrize(
    ("result", "wrong"),
    [("123", {"213", "132"}), ("102", {"120"}), ("12.50", {"21.50", "15.20", "12.05"}), ("777", {None}), ("5", {None})],
)
def test_transposed(result: str, wrong: set[str | None]) -> None:
    """Equal neighbours offer no occasion, and no number begins with a zero."""
    assert outcomes(slips.transposed, Op.ADD, result, "0" if "." not in result else "0.00") == wrong


@pytest.mark.parametrize(
    ("result", "wrong"),
    [
        ("1234567", {"1567", "1234"}),
        ("12345.67", {"12.67"}),
        ("123", {None}),
        ("5000", {None}),  # 5 would be a power of ten
        ("0", {None}),
    ],
)
def test_group_dropped(result: str, wrong: set[str | None]) -> None:
    """One group of three digits is missing, but never the leading one."""
    assert outcomes(slips.group_dropped, Op.ADD, result, "0" if "." not in result else "0.00") == wrong


@pytest.mark.parametrize(
    ("result", "wrong"),
    [
        ("1234", {"1000234", "1001234", "1234234"}),
        ("123.45", {"123000.45", "123123.45"}),
        ("5", {"5005"}),
        ("0", {None}),
    ],
)
def test_group_added(result: str, wrong: set[str | None]) -> None:
    """Three digits too many stand behind a group: zeros, or the group once more."""
    assert outcomes(slips.group_added, Op.ADD, result, "0" if "." not in result else "0.00") == wrong


@pytest.mark.parametrize(
    ("result", "wrong"),
    [
        ("12", {"120", "1200", "12000"}),
        ("1200", {"12", "120", "12000", "120000", "1200000"}),
        ("1.50", {"0.00150", "0.0150", "0.150", "15.00", "150.00", "1500.00"}),
        ("0.00", {None}),
    ],
)
def test_power_of_ten(result: str, wrong: set[str | None]) -> None:
    """The point is up to three places off; an integer stays one."""
    assert outcomes(slips.power_of_ten, Op.ADD, result, "0" if "." not in result else "0.00") == wrong


@given(asked=calculations(), chance=chances())
def test_power_of_ten_is_one(asked: Calculation, chance: int) -> None:
    """The wrong number is the truth times a power of ten."""
    if text := slips.power_of_ten(Random(chance), asked):
        assert Fraction(text) / Fraction(asked.truth) in {Fraction(10) ** by for by in (-3, -2, -1, 1, 2, 3)}


@pytest.mark.parametrize(
    ("lhs", "rhs", "wrong"),
    [
        ("1.05", "1.05", {"1", "1.1", "1.10", "1.102"}),  # 1.1025
        ("1.50", "1.00", {"2"}),  # 1.5000
        ("0.10", "0.10", {None}),  # 0.0100: nothing would be left, or nothing changed
        ("12", "34", {None}),
    ],
)
def test_rounded(lhs: str, rhs: str, wrong: set[str | None]) -> None:
    """Fewer decimals, half even, but only where the number changes and is not rounded away."""
    assert outcomes(slips.rounded, Op.MUL, lhs, rhs) == wrong


@pytest.mark.parametrize(("lhs", "rhs", "wrong"), [("3", "12", {"9"}), ("12", "3", {None}), ("3", "3", {None})])
def test_sign_lost(lhs: str, rhs: str, wrong: set[str | None]) -> None:
    """Only a negative result has a sign to lose."""
    assert outcomes(slips.sign_lost, Op.SUB, lhs, rhs) == wrong


@pytest.mark.parametrize(
    ("op", "lhs", "rhs", "wrong"),
    [
        (Op.ADD, "1234", "56", {"12396", "1794"}),
        (Op.ADD, "1.20", "0.05", {"12.05", "1.70"}),
        (Op.SUB, "1234", "56", {"12284", "674"}),
        (Op.SUB, "100", "56", {"944"}),
        (Op.ADD, "0", "0", {None}),
        (Op.MUL, "12", "34", {None}),
        (Op.DIV, "12", "4", {None}),
    ],
)
def test_misaligned(op: Op, lhs: str, rhs: str, wrong: set[str | None]) -> None:
    """One operand of a sum or difference stands a column too far to the left, and the sign is kept."""
    assert outcomes(slips.misaligned, op, lhs, rhs) == wrong


def test_names() -> None:
    """Each slip stands in the table under the name of its function."""
    assert {name: slip.make.__name__ for name, slip in SLIPS.items()} == {name: name for name in SLIPS}


@given(asked=calculations(), chance=chances())
def test_slip_always_finds_one(asked: Calculation, chance: int) -> None:
    """Every calculation offers some slip, and it is the one that is named."""
    name, text = slips.slip(Random(chance), asked)
    assert name in SLIPS
    assert Decimal(text) != Decimal(asked.truth)


def shares(asked: Calculation) -> Counter[str]:
    return Counter(slips.slip(Random(chance), asked)[0] for chance in CHANCES)


def test_divisions_lose_groups_and_points() -> None:
    """More than half of the slips in a fixed point division are whole groups and powers of ten."""
    drawn = shares(calculation(Op.DIV, "959088889501163.45", "5147442.11"))
    assert drawn["group_dropped"] + drawn["group_added"] + drawn["power_of_ten"] > len(CHANCES) / 2


def test_long_sums_are_misaligned() -> None:
    """Operands out of line are rare in short sums and the most common slip at thirty digits."""
    short, long = shares(calculation(Op.ADD, "12345", "678")), shares(calculation(Op.ADD, "1234567890" * 3, "123" * 7))
    assert short["misaligned"] < len(CHANCES) / 20
    assert long.most_common(1)[0][0] == "misaligned"


@pytest.mark.parametrize("op", Op)
def test_likelihood_grows(op: Op) -> None:
    """The longer a calculation, the likelier a slip, and a very long one goes wrong for certain."""
    lengths = [*range(1, 31), 5000]
    curve = [slips.likelihood(Calculation(op, "1" * length, "1" * length, "")) for length in lengths]
    assert curve == sorted(curve)
    assert 0 < curve[0] < 0.1
    assert curve[-1] == pytest.approx(1)


def test_products_are_harder_than_sums() -> None:
    """At ten digits hardly a product or quotient comes out right, and most sums and differences do."""
    likelihood = {op: slips.likelihood(Calculation(op, "1" * 10, "1" * 10, "")) for op in (Op.ADD, Op.SUB, Op.MUL)}
    likelihood[Op.DIV] = slips.likelihood(Calculation(Op.DIV, "1" * 20, "1" * 10, ""))
    assert max(likelihood[Op.ADD], likelihood[Op.SUB]) < 0.2
    assert min(likelihood[Op.MUL], likelihood[Op.DIV]) > 0.9
