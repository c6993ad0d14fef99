"""The arithmetic task: what is drawn, what is expected, and how it is asked."""

import json
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

import pytest
from hypothesis import given

from pytest_llmarith.tasks import arithmetic
from pytest_llmarith.values import ArithmeticProblem, Condition, Dtype, Op, Reading, Symbols
from tests.tasks.problem_strategies import arithmetic_problems, depths

APPLY = {
    Op.ADD: Fraction.__add__,
    Op.SUB: Fraction.__sub__,
    Op.MUL: Fraction.__mul__,
    Op.DIV: Fraction.__truediv__,
}

# Published runs are compared problem by problem: these never change.
PINNED = [
    ("int_add-depth_2-trial_0", "68", "65", "133"),
    ("int_add-depth_7-trial_3", "6338105", "7592638", "13930743"),
    ("int_sub-depth_2-trial_0", "79", "26", "53"),
    ("int_sub-depth_7-trial_3", "3720737", "8125661", "-4404924"),
    ("int_mul-depth_2-trial_0", "32", "98", "3136"),
    ("int_mul-depth_7-trial_3", "9876905", "1702884", "16819223494020"),
    ("int_div-depth_2-trial_0", "2088", "24", "87"),
    ("int_div-depth_7-trial_3", "43784772364467", "6786951", "6451317"),
    ("float_add-depth_2-trial_0", "37.01", "56.39", "93.40"),
    ("float_add-depth_7-trial_3", "2500895.53", "5997964.96", "8498860.49"),
    ("float_sub-depth_2-trial_0", "29.72", "28.43", "1.29"),
    ("float_sub-depth_7-trial_3", "2448168.59", "6917196.98", "-4469028.39"),
    ("float_mul-depth_2-trial_0", "47.40", "89.57", "4245.6180"),
    ("float_mul-depth_7-trial_3", "2057644.64", "6210167.27", "12778317396618.9328"),
    ("float_div-depth_2-trial_0", "76102.32", "54.32", "1401.0000"),
    ("float_div-depth_7-trial_3", "959088889501163.45", "5147442.11", "186323395.0000"),
]


def decimals(number: str) -> int:
    return len(number.partition(".")[2])


def default_problems() -> list[ArithmeticProblem]:
    return list(arithmetic.problems(0, range(2, 11), 10))


@given(arithmetic_problems())
def test_expected_is_exact(problem: ArithmeticProblem) -> None:
    """What is expected equals the result in fractions, at every depth up to sixty digits."""
    lhs, rhs = map(Fraction, problem.operands)
    assert Fraction(problem.expected) == APPLY[problem.op](lhs, rhs)


@given(arithmetic_problems())
def test_expected_survives_quantizing(problem: ArithmeticProblem) -> None:
    """No result needs more decimals than are written, so quantizing to them changes nothing."""
    unit = Decimal(1).scaleb(-decimals(problem.expected))
    expected = Decimal(problem.expected)
    assert str(expected.quantize(unit, ROUND_HALF_EVEN, Context(prec=200))) == problem.expected


@given(arithmetic_problems(dtypes=[Dtype.INT], ops=[Op.ADD, Op.SUB, Op.MUL]))
def test_integers_have_depth_digits(problem: ArithmeticProblem) -> None:
    """Both integers at depth d have d digits and no leading zero."""
    assert [len(str(int(operand))) for operand in problem.operands] == [problem.depth] * 2


@given(arithmetic_problems(dtypes=[Dtype.INT], ops=[Op.DIV]))
def test_integer_division_is_even(problem: ArithmeticProblem) -> None:
    """Divisor and quotient have d digits each, the dividend is their product."""
    assert len(problem.rhs) == len(problem.expected) == problem.depth
    assert int(problem.lhs) == int(problem.rhs) * int(problem.expected)


@given(arithmetic_problems(dtypes=[Dtype.FLOAT], ops=[Op.ADD, Op.SUB, Op.MUL]))
def test_fixed_point_range(problem: ArithmeticProblem) -> None:
    """Fixed point operands go from 10^(d-1) to 10^d - 1 and are written with two decimals."""
    for operand in problem.operands:
        assert 10 ** (problem.depth - 1) <= Fraction(operand) <= 10**problem.depth - 1
        assert decimals(operand) == 2


@given(arithmetic_problems(dtypes=[Dtype.FLOAT], ops=[Op.DIV]))
def test_fixed_point_division(problem: ArithmeticProblem) -> None:
    """The quotient is an integer from the range in hundredths, dividend and divisor have two decimals."""
    quotient = Fraction(problem.expected)
    assert quotient.denominator == 1
    assert 10 ** (problem.depth - 1) * 100 <= quotient <= (10**problem.depth - 1) * 100
    assert 10 ** (problem.depth - 1) <= Fraction(problem.rhs) <= 10**problem.depth - 1
    assert [decimals(operand) for operand in problem.operands] == [2, 2]


@pytest.mark.parametrize(
    ("dtype", "op", "places"),
    [
        *[(Dtype.INT, op, 0) for op in Op],
        (Dtype.FLOAT, Op.ADD, 2),
        (Dtype.FLOAT, Op.SUB, 2),
        (Dtype.FLOAT, Op.MUL, 4),
        (Dtype.FLOAT, Op.DIV, 4),
    ],
)
def test_decimals_of_expected(dtype: Dtype, op: Op, places: int) -> None:
    """Sums and differences of fixed point have two decimals, products and quotients four, integers none."""
    results = [arithmetic.problem(0, dtype, op, depth, 0).expected for depth in range(1, 31)]
    assert {decimals(result) for result in results} == {places}


@pytest.mark.parametrize("depth", [1, 2])
def test_draws_reach_both_ends(depth: int) -> None:
    """The lowest and the highest number of a range are drawn too."""
    drawn = {arithmetic.problem(0, Dtype.INT, Op.ADD, depth, trial).lhs for trial in range(1000)}
    assert {str(10 ** (depth - 1)), str(10**depth - 1)} <= drawn


@pytest.mark.parametrize(
    ("op", "symbols", "line"),
    [
        (Op.ADD, Symbols.ASCII, "   12 + 5"),
        (Op.SUB, Symbols.ASCII, "   12 - 5"),
        (Op.MUL, Symbols.ASCII, "   12 * 5"),
        (Op.DIV, Symbols.ASCII, "   12 / 5"),
        (Op.ADD, Symbols.UNICODE, "   12 + 5"),
        (Op.SUB, Symbols.UNICODE, "   12 - 5"),
        (Op.MUL, Symbols.UNICODE, "   12 \N{MULTIPLICATION SIGN} 5"),
        (Op.DIV, Symbols.UNICODE, "   12 \N{DIVISION SIGN} 5"),
    ],
)
def test_prompt(op: Op, symbols: Symbols, line: str) -> None:
    """The prompt is one instruction, a line break, three spaces and the calculation."""
    problem = ArithmeticProblem(0, op, Dtype.INT, 2, 0, "12", "5", "")
    instruction = "Compute the following and reply with just the numeric result (no explanation):"
    assert arithmetic.prompt(problem, Condition(symbols=symbols)) == f"{instruction}\n{line}"


def test_prompt_is_ascii_by_default() -> None:
    """Without a word about symbols the signs are those of a keyboard."""
    problem = arithmetic.problem(0, Dtype.FLOAT, Op.DIV, 2, 0)
    assert arithmetic.prompt(problem) == arithmetic.prompt(problem, Condition(symbols=Symbols.ASCII))
    assert arithmetic.prompt(problem).isascii()


def test_default_bench() -> None:
    """Eight variants, nine depths and ten trials are 720 problems, each with a label of its own."""
    labels = [problem.label for problem in default_problems()]
    assert len(labels) == len(set(labels)) == 720


def test_problems_go_variant_by_variant() -> None:
    """Problems come in the order of variants, then depths, then trials."""
    order = [(problem.dtype, problem.op, problem.depth, problem.trial) for problem in arithmetic.problems(0, [3, 2], 2)]
    cells = [(depth, trial) for depth in (3, 2) for trial in (0, 1)]
    assert order == [(*variant, *cell) for variant in arithmetic.VARIANTS for cell in cells]


def test_neighbours_change_nothing() -> None:
    """A problem is the same whatever other depths and trials are asked for."""
    alone = set(arithmetic.problems(0, [4], 3))
    assert alone < set(arithmetic.problems(0, range(2, 8), 12))


def test_depths_may_be_an_iterator() -> None:
    """Depths that can be gone through only once still serve all variants."""
    assert len(list(arithmetic.problems(0, iter([2, 3]), 1))) == 16


def test_seeds_differ() -> None:
    """Another seed asks other questions."""
    ours, theirs = ({p.operands for p in arithmetic.problems(seed, [6], 10)} for seed in (0, 1))
    assert not ours & theirs


@pytest.mark.parametrize(("label", "lhs", "rhs", "expected"), PINNED)
def test_pinned(label: str, lhs: str, rhs: str, expected: str) -> None:
    """The problems of seed 0 stay what they were."""
    problem = {problem.label: problem for problem in default_problems()}[label]
    assert (problem.lhs, problem.rhs, problem.expected) == (lhs, rhs, expected)


@given(arithmetic_problems())
def test_fields_are_plain(problem: ArithmeticProblem) -> None:
    """Fields are builtins: they come back from JSON as they were."""
    fields = json.loads(json.dumps(problem.fields()))
    assert fields == problem.fields()


@given(depths())
def test_coordinates(depth: int) -> None:
    """Coordinates name the cell and the trial, and the fields hold them too."""
    problem = arithmetic.problem(0, Dtype.FLOAT, Op.MUL, depth, 5)
    assert problem.coordinates() == {"variant": "float_mul", "op": "mul", "dtype": "float", "depth": depth, "trial": 5}
    assert problem.coordinates().items() <= problem.fields().items()
    assert problem.label == f"float_mul-depth_{depth}-trial_5"


def test_graded_tolerantly() -> None:
    """The answer that a reply intends is what counts."""
    assert arithmetic.READING is Reading.TOLERANT
