"""How a simulated model says a number. It does not know whether the number is right.

Every wording says the same number in full; how often each comes up stands in `WORDINGS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from types import MappingProxyType

from pytest_llmarith.models.embedded.calculation import Calculation
from pytest_llmarith.models.embedded.digits import Written
from pytest_llmarith.values import Op

MakeWording = Callable[[Calculation, str], str]

_SIGNS = {Op.ADD: "+", Op.SUB: "-", Op.MUL: "×", Op.DIV: "÷"}
_LATEX_SIGNS = {Op.ADD: "+", Op.SUB: "-", Op.MUL: r"\times", Op.DIV: r"\div"}
_NAMES = {Op.ADD: "sum", Op.SUB: "difference", Op.MUL: "product", Op.DIV: "quotient"}


def bare(calculation: Calculation, number: str) -> str:
    return number


def with_commas(calculation: Calculation, number: str, comma: str = ",") -> str:
    written = Written.of(number)
    whole, point, decimals = number.partition(".")
    for start in reversed(written.groups()):
        cut = start + len(written.sign)
        whole = whole[:cut] + comma + whole[cut:]
    return whole + point + decimals


def bold(calculation: Calculation, number: str) -> str:
    return f"**{with_commas(calculation, number)}**"


def boxed(calculation: Calculation, number: str) -> str:
    return rf"\boxed{{{number}}}"


def latex(calculation: Calculation, number: str) -> str:
    sign = _LATEX_SIGNS[calculation.op]
    return f"${calculation.lhs} {sign} {calculation.rhs} = {with_commas(calculation, number, '{,}')}$"


def sentence(calculation: Calculation, number: str) -> str:
    return f"The answer is {number}."


def named_sentence(calculation: Calculation, number: str) -> str:
    return f"The {_NAMES[calculation.op]} is **{with_commas(calculation, number)}**."


def equals(calculation: Calculation, number: str) -> str:
    return f"= {number}"


def equation(calculation: Calculation, number: str) -> str:
    return f"{expression(calculation)} = {number}"


def fenced(calculation: Calculation, number: str) -> str:
    return f"```\n{number}\n```"


def scientific(calculation: Calculation, number: str) -> str:
    """Every digit, and a power of ten; a number of one digit before the point is written as it is."""
    written = Written.of(number)
    if written.whole < 2 or written.digits.startswith("0"):
        return number
    digits = written.digits.rstrip("0")
    mantissa = f"{digits[0]}.{digits[1:]}" if digits[1:] else digits
    return f"{written.sign}{mantissa} × 10^{written.whole - 1}"


def thought(calculation: Calculation, number: str) -> str:
    return f"<think>\n{musing(calculation)}\n</think>\n\n{number}"


def worked(calculation: Calculation, number: str) -> str:
    return f"{musing(calculation)}\n\n{expression(calculation)}\n= {number}\n\n**Answer:** {number}"


WORDINGS: Mapping[str, tuple[MakeWording, float]] = MappingProxyType(
    {
        "bare": (bare, 60),
        "with_commas": (with_commas, 8),
        "bold": (bold, 4),
        "boxed": (boxed, 4),
        "latex": (latex, 3),
        "sentence": (sentence, 4),
        "named_sentence": (named_sentence, 2),
        "equals": (equals, 3),
        "equation": (equation, 2),
        "fenced": (fenced, 2),
        "scientific": (scientific, 2),
        "thought": (thought, 4),
        "worked": (worked, 2),
    }
)
_TERSE_SHARE = 0.9


def phrase(draw: Random, calculation: Calculation, number: str) -> str:
    """Say a number in one of the wordings; bare nearly always where the prompt insists on it."""
    if calculation.terse and draw.random() < _TERSE_SHARE:
        return number
    makers, weights = zip(*WORDINGS.values(), strict=True)
    make: MakeWording = draw.choices(makers, weights)[0]
    return make(calculation, number)


def expression(calculation: Calculation) -> str:
    return f"{calculation.lhs} {_SIGNS[calculation.op]} {calculation.rhs}"


def musing(calculation: Calculation) -> str:
    """What a model says to itself before it answers: the operands come up, no result does."""
    line = f"Okay, I need the {_NAMES[calculation.op]} of {calculation.lhs} and {calculation.rhs}."
    return f"{line} Let me go through it digit by digit and keep track of what is carried."
