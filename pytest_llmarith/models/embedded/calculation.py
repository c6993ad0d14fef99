"""What the embedded models understand of a prompt. It sees text alone: no problem, no expected answer.

Everything is worked out from the two operands, in decimal contexts wide enough for them: exact at any length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal

from pytest_llmarith.values import Op

_SIGNS = {"+": Op.ADD, "-": Op.SUB, "*": Op.MUL, "×": Op.MUL, "/": Op.DIV, "÷": Op.DIV}
_NAMES = {"sum": Op.ADD, "difference": Op.SUB, "product": Op.MUL, "quotient": Op.DIV}
_SEPARATORS = str.maketrans("", "", ", _")
_INTEGER = r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,3}(?: [0-9]{3})+|[0-9]{1,3}(?:_[0-9]{3})+|[0-9]+)"
_NUMBER = rf"{_INTEGER}(?:\.[0-9]{{2}})?"
# Two numbers and nothing that could be a third, a sign of one of them, or a part of one.
_FREE = r"(?<![\w.,+*/×÷^-])(?<![0-9+*/×÷^-] )"
_ENDS = r"(?![\w^])(?![ ,.][0-9])(?! ?[-+*/×÷^] ?[0-9])"
_EXPRESSION = re.compile(rf"{_FREE}({_NUMBER}) ?([-+*/×÷]) ?({_NUMBER}){_ENDS}")
_NAMED = re.compile(rf"\b({'|'.join(_NAMES)}) (?:of|between) ({_NUMBER}) and ({_NUMBER}){_ENDS}", re.IGNORECASE)
_QUOTED_PAIR = re.compile(rf'"({_INTEGER})" "({_INTEGER})"')
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

    `terse` says that the prompt insists on the number and nothing else, `grouped` that digits stand in groups, and
    `aside` how many characters of other paragraphs come before the question.
    """

    op: Op
    lhs: str
    rhs: str
    truth: str
    terse: bool = False
    grouped: bool = False
    aside: int = 0

    @property
    def length(self) -> int:
        """How long the sum is by hand: the digits of the longer operand, half of them for a dividend."""
        lhs, rhs = (len(operand.replace(".", "")) for operand in (self.lhs, self.rhs))
        return max((lhs + 1) // 2 if self.op is Op.DIV else lhs, rhs)


def read(prompt: str) -> Calculation | None:
    """The last line's calculation, or that of the last line that has one; None where there is none with a result."""
    end = len(prompt)
    for line in reversed(prompt.split("\n")):
        start = end - len(line)
        if asked := _asked(line):
            return _calculation(*asked, aside=max(0, prompt.rfind("\n\n", 0, start)))
        end = start - 1
    return None


def _asked(line: str) -> tuple[Op, str, str, bool] | None:
    """Operation and operands as a line writes them, and whether it wants the bare number."""
    if not any(map(str.isdigit, line)):  # small talk is long
        return None
    if len(found := _EXPRESSION.findall(line)) == 1:
        lhs, sign, rhs = found[0]
        return _SIGNS[sign], lhs, rhs, False
    if len(found := _NAMED.findall(line)) == 1:
        name, lhs, rhs = found[0]
        return _NAMES[name.lower()], lhs, rhs, False
    instruction, _, operands = line.rstrip().rpartition(": ")
    if (match := _QUOTED_PAIR.fullmatch(operands)) and "sum" in instruction:
        return Op.ADD, match[1], match[2], True
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


def _calculation(op: Op, written_lhs: str, written_rhs: str, terse: bool, aside: int) -> Calculation | None:
    lhs, rhs = (operand.translate(_SEPARATORS) for operand in (written_lhs, written_rhs))
    if op is Op.DIV and not Decimal(rhs):
        return None
    grouped = (lhs, rhs) != (written_lhs, written_rhs)
    return Calculation(op, lhs, rhs, solve(op, lhs, rhs), terse, grouped, aside)
