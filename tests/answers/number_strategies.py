"""Hypothesis strategies for numbers and for every way to write one down in a reply.

They do not know how replies are read. A way of writing is composed: the digits, how they are grouped, what decorates
them, what leads in, what trails, and a thought before all. `written` draws all of it around one number.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import NamedTuple

from hypothesis import strategies as st

from pytest_llmarith.values import Dtype

Write = Callable[[str], str]


class Numeral(NamedTuple):
    """A number of `scaled` units of `10**-decimals`."""

    scaled: int
    decimals: int

    @property
    def text(self) -> str:
        """Plain fixed point, without anything that a reader could stumble over."""
        digits = str(abs(self.scaled)).rjust(self.decimals + 1, "0")
        whole = len(digits) - self.decimals
        point = "." if self.decimals else ""
        return f"{'-' * (self.scaled < 0)}{digits[:whole]}{point}{digits[whole:]}"

    @property
    def value(self) -> Decimal:
        return Decimal(self.text)

    @property
    def successor(self) -> Numeral:
        """The number and one."""
        return self._replace(scaled=self.scaled + 10**self.decimals)


def numerals(dtype: Dtype, longest: int = 40) -> st.SearchStrategy[Numeral]:
    """Integers, or fixed-point numbers with four decimals, of up to `longest` digits and either sign."""
    scaled = st.integers(0, longest).flatmap(lambda digits: st.integers(-(10**digits), 10**digits))
    return scaled.map(lambda number: Numeral(number, 4 if dtype is Dtype.FLOAT else 0))


def grouped(text: str, mark: str, point: str = ".") -> str:
    """The digits before the point in groups of three."""
    sign, digits = text[: text.startswith("-")], text.lstrip("-")
    whole, has_point, decimals = digits.partition(".")
    head = len(whole) % 3 or 3
    groups = [whole[:head], *(whole[at : at + 3] for at in range(head, len(whole), 3))]
    return sign + mark.join(groups) + (point if has_point else "") + decimals


def scientific(text: str, form: str) -> str:
    """Mantissa and power of ten; `form` has places for both."""
    sign, digits, exponent = Decimal(text).as_tuple()
    assert isinstance(exponent, int)
    mantissa = "".join(map(str, digits))
    power = len(mantissa) - 1 + exponent
    raised = str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return form.format(
        mantissa="-" * sign + mantissa[0] + ("." + mantissa[1:] if mantissa[1:] else ""), power=power, raised=raised
    )


def _minus(sign: str) -> Write:
    return lambda text: text.replace("-", sign)


def _digits(zero: str) -> Write:
    table = {ord("0") + digit: ord(zero) + digit for digit in range(10)}
    return lambda text: text.translate(table)


def _grouping(mark: str) -> Write:
    return lambda text: grouped(text, mark)


def _power(form: str) -> Write:
    return lambda text: scientific(text, form)


def _decimal_comma(mark: str) -> Write:
    """With groups by points; a number that has no decimals keeps to groups, which a lone point could not show."""
    return lambda text: grouped(text, mark, ",") if "." in text else grouped(text, ",")


def _around(before: str, after: str) -> Write:
    return lambda text: f"{before}{text}{after}"


PLAIN = _around("", "")
GROUPINGS = (PLAIN, *map(_grouping, (",", " ", "\u00a0", "\u2009", "\u202f", "_", "'", "’", "{,}", "\\,", ",\\!")))
POWERS = tuple(
    map(
        _power,
        (
            "{mantissa}×10{raised}",
            "{mantissa} × 10^{power}",
            "{mantissa} x 10^{power}",
            "{mantissa}*10^{power}",
            "{mantissa}e{power}",
            "{mantissa}E{power:+d}",
            "{mantissa} \\times 10^{{{power}}}",
            "{mantissa} \\cdot 10^{{{power}}}",
            "{mantissa} × 10<sup>{power}</sup>",
        ),
    )
)
DIGITS = (PLAIN, *map(_minus, ("−", "–", "－")), _digits("０"), _digits("٠"), _digits("०"))
COMMAS = tuple(map(_decimal_comma, (".", " ", "'")))
WRITINGS = (*GROUPINGS, *POWERS, *DIGITS, *COMMAS)

# What may stand around any number.
DECORATIONS = tuple(
    _around(before, after)
    for before, after in (
        ("", ""),
        ("**", "**"),
        ("*", "*"),
        ("__", "__"),
        ("***", "***"),
        ("`", "`"),
        ("$", "$"),
        ("\\(", "\\)"),
        ("\\[ ", " \\]"),
        ("$$\n", "\n$$"),
        ("```\n", "\n```"),
        ("```text\n", "\n```"),
        ("\\boxed{", "}"),
        ("$\\boxed{\\mathbf{", "}}$"),
        ("\\boxed{\\text{", "}}"),
        ("\\[\\boxed{", "}\\]"),
        ("**\\boxed{", "}**"),
        ("<b>", "</b>"),
        ("<answer>", "</answer>"),
        ('"', '"'),
        ("(", ")"),
        ("€", ""),
        ("", " USD"),
    )
)
LEAD_INS = (
    "",
    "= ",
    "=",
    "≈ ",
    "Answer: ",
    "**Answer:** ",
    "**Answer**: ",
    "Final answer:\n\n",
    "### Final Answer\n\n",
    "#### ",
    "# ",
    "> ",
    "* ",
    "1. ",
    "The result is ",
    "The answer is approximately ",
    "**Result**\n",
    "∴ ",
    "12 + 34 = ",
    "12 × 34\n\n= ",
    "\\frac{12}{34} = ",
    "$$12 \\times 34$$ equals ",
    "The sum of 12 and 34 is ",
    "Step 1: 5 + 7 = 12\nStep 2: 2 × 6 = 12\n\nFinal: ",
    "1. Take 12.\n2. Add 34 to 12.\n\n**Answer:** ",
    "The answer is 99. Wait, that is wrong. The answer is ",
    "\\boxed{99} is wrong, so the answer is ",
)
TRAILERS = ("", ".", "\n", " ", "!", ".\n\n", " ✓", " (exactly)", " is the result.", "\n\nHope this helps!", "</s>")
THOUGHTS = (
    "",
    "<think>12 + 34 = 99</think>",
    "<think>\nMaybe 99?\n</think>\n\n",
    "so it is 99.\n</think>\n",
    "<thinking>99</thinking>",
    "[THINK]99[/THINK]",
)


def written(numeral: Numeral) -> st.SearchStrategy[str]:
    """Replies that give the number, in any way of writing it, with anything around it."""
    return st.builds(
        lambda write, decorate, lead_in, trailer, thought: (
            f"{thought}{_led(lead_in, decorate(write(numeral.text)))}{trailer}"
        ),
        st.sampled_from(WRITINGS),
        st.sampled_from(DECORATIONS),
        st.sampled_from(LEAD_INS),
        st.sampled_from(TRAILERS),
        st.sampled_from(THOUGHTS),
    )


def _led(lead_in: str, number: str) -> str:
    """A box that was written earlier is only taken back by another box."""
    return lead_in.replace("\\boxed", "") + number if "\\boxed" not in number else lead_in + number
