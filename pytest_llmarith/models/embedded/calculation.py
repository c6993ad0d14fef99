"""Room: what the embedded models understand of a prompt. It sees text alone: no problem, no expected answer.

Everything is worked out from the two operands, in decimal contexts wide enough for them: exact at any length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal

from pytest_llmarith.values import Op

_SIGNS = {"+": Op.ADD, "-": Op.SUB, "*": Op.MUL, "×": Op.MUL, "/": Op.DIV, "÷": Op.DIV}
_NUMBER = r"[0-9]+(?:\.[0-9]{2})?"
_ARITHMETIC = re.compile(rf"\s*({_NUMBER}) ([-+*/×÷]) ({_NUMBER})\s*")
_QUOTED_PAIR = re.compile(r'"([0-9]+)" "([0-9]+)"')
_FOUR_DECIMALS = Decimal("0.0001")
_OPERATIONS: Mapping[Op, Callable[[Context, Decimal, Decimal], Decimal]] = {
    Op.ADD: Context.add,
    Op.SUB: Context.subtract,
    Op.MUL: Context.multiply,
    Op.DIV: Context.divide,
}


@dataclass(frozen=True, slots=True)
class Calculation:
    """What a prompt asks for and what comes out; numbers are unsigned decimal text, `truth` may be negative.

    `terse` says that the prompt insists on the number and nothing else.
    """

    op: Op
    lhs: str
    rhs: str
    truth: str
    terse: bool = False

    @property
    def length(self) -> int:
        """How long the sum is by hand: the digits of the longer operand, half of them for a dividend."""
        lhs, rhs = (len(operand.replace(".", "")) for operand in (self.lhs, self.rhs))
        return max((lhs + 1) // 2 if self.op is Op.DIV else lhs, rhs)


def read(prompt: str) -> Calculation | None:
    """The calculation that the last line of a prompt asks for, if there is one that has a result."""
    line = prompt.rstrip().rpartition("\n")[2]
    if match := _ARITHMETIC.fullmatch(line):
        lhs, sign, rhs = match.groups()
        return _calculation(_SIGNS[sign], lhs, rhs)
    instruction, _, operands = line.rpartition(": ")
    if (match := _QUOTED_PAIR.fullmatch(operands)) and "sum" in instruction:
        int1, int2 = match.groups()
        return _calculation(Op.ADD, int1, int2, terse=True)
    return None


def solve(op: Op, lhs: str, rhs: str) -> str:
    """The result as decimal text: sums, differences and products exact, quotients to four decimals, half even.

    A quotient of integers loses its trailing zeros, so that an even division gives an integer.
    """
    context = wide_enough(lhs, rhs)
    result = _OPERATIONS[op](context, Decimal(lhs), Decimal(rhs))
    if op is not Op.DIV:
        return format(result, "f")
    text = format(result.quantize(_FOUR_DECIMALS, context=context), "f")
    return text if "." in lhs + rhs else text.rstrip("0").rstrip(".")


def wide_enough(*numbers: str) -> Context:
    """A context in which no result of these numbers is rounded by accident.

    Twice their digits also keep a quotient from being rounded onto a tie that it only comes close to.
    """
    return Context(prec=2 * sum(map(len, numbers)) + 20, Emax=MAX_EMAX, Emin=MIN_EMIN)


def _calculation(op: Op, lhs: str, rhs: str, terse: bool = False) -> Calculation | None:
    if op is Op.DIV and not Decimal(rhs):
        return None
    return Calculation(op, lhs, rhs, solve(op, lhs, rhs), terse)
