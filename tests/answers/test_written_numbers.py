"""Every number in every way of writing it is read, and graded correct; roundings in
words beside it change nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import ROUND_DOWN, ROUND_HALF_UP, ROUND_UP, Context, Decimal
from functools import partial

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pytest_llmarith.exact import Case, read
from pytest_llmarith.types import TOLERANCES, Dtype, Op

OPERANDS = ("12", "34")  # as the lead-ins have them


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
    mantissa = f"{'-' * sign}{digits[0]}" + (
        "." + "".join(map(str, digits[1:])) if digits[1:] else ""
    )
    power = len(digits) - 1 + exponent
    raised = str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return form.format(mantissa=mantissa, power=power, raised=raised)


def other_digits(zero: str, text: str) -> str:
    return text.translate({ord("0") + digit: ord(zero) + digit for digit in range(10)})


def decimal_comma(mark: str, text: str) -> str:
    """Groups of three by `mark`; an integer has groups by commas, as a lone point would
    not show what it means.
    """
    return grouped(text, mark, ",") if "." in text else grouped(text, ",")


MARKS = (",", " ", "\u00a0", "\u2009", "\u202f", "_", "'", "’", "{,}", "\\,", ",\\!")
POWERS = (
    *("{mantissa}×10{raised}", "{mantissa} × 10^{power}", "{mantissa} x 10^{power}"),
    *("{mantissa}*10^{power}", "{mantissa}e{power}", "{mantissa}E{power:+d}"),
    *("{mantissa} \\times 10^{{{power}}}", "{mantissa} \\cdot 10^{{{power}}}"),
    "{mantissa} × 10<sup>{power}</sup>",
)
WRITINGS: tuple[Callable[[str], str], ...] = (
    str,
    *(partial(grouped, mark=mark) for mark in MARKS),
    *(partial(scientific, form=form) for form in POWERS),
    *(lambda text, sign=sign: text.replace("-", sign) for sign in "−–－"),
    *(partial(other_digits, zero) for zero in "０٠०"),
    *(partial(decimal_comma, mark) for mark in (".", " ", "'")),
)
# What may stand around any number.
DECORATIONS = (
    *("{}", "**{}**", "*{}*", "__{}__", "***{}***", "`{}`", "${}$", "\\({}\\)"),
    *("\\[ {} \\]", "$$\n{}\n$$", "```\n{}\n```", "```text\n{}\n```", "\\boxed{{{}}}"),
    *("$\\boxed{{\\mathbf{{{}}}}}$", "\\boxed{{\\text{{{}}}}}", "\\[\\boxed{{{}}}\\]"),
    *("**\\boxed{{{}}}**", "<b>{}</b>", "<answer>{}</answer>", '"{}"', "({})", "€{}"),
    "{} USD",
)
LEAD_INS = (
    *("", "= ", "=", "≈ ", "Answer: ", "**Answer:** ", "**Answer**: "),
    *("Final answer:\n\n", "### Final Answer\n\n", "#### ", "# ", "> ", "* ", "1. "),
    *("The result is ", "The answer is approximately ", "**Result**\n", "∴ "),
    *("12 + 34 = ", "12 × 34\n\n= ", "\\frac{12}{34} = ", "$$12 \\times 34$$ equals "),
    *("The sum of 12 and 34 is ", "Step 1: 5 + 7 = 12\nStep 2: 2 × 6 = 12\n\nFinal: "),
    "1. Take 12.\n2. Add 34 to 12.\n\n**Answer:** ",
    "The answer is 99. Wait, that is wrong. The answer is ",
    "\\boxed{99} is wrong, so the answer is ",
)
TRAILERS = (
    *("", ".", "\n", " ", "!", ".\n\n", " ✓", " (exactly)", " is the result."),
    *("\n\nHope this helps!", "</s>"),
)
THOUGHTS = (
    "",
    "<think>12 + 34 = 99</think>",
    "<think>\nMaybe 99?\n</think>\n\n",
    "so it is 99.\n</think>\n",
    "[THINK]99[/THINK]",
)


@st.composite
def fixed_points(draw: st.DrawFn, dtype: Dtype) -> str:
    """Integers, or fixed-point numbers with four decimals, of up to 40 digits and
    either sign.
    """
    scaled = draw(
        st.integers(0, 40).flatmap(
            lambda digits: st.integers(-(10**digits), 10**digits)
        )
    )
    return format(
        Decimal(scaled).scaleb(-4 if dtype is Dtype.FLOAT else 0, Context(prec=60)), "f"
    )


@st.composite
def replies(draw: st.DrawFn) -> tuple[Dtype, str, str]:
    """A number, and a reply that gives it."""
    dtype = draw(st.sampled_from(Dtype))
    number = draw(fixed_points(dtype))
    shown = draw(st.sampled_from(DECORATIONS)).format(
        draw(st.sampled_from(WRITINGS))(number)
    )
    lead_in = draw(st.sampled_from(LEAD_INS))
    if (
        "\\boxed" not in shown
    ):  # a box that was written earlier is taken back by another box only
        lead_in = lead_in.replace("\\boxed", "")
    trailer = draw(st.sampled_from(TRAILERS))
    if shown.endswith(")"):  # "(46) (exactly)" begins a list
        trailer = trailer.removeprefix(" (exactly)")
    return dtype, number, draw(st.sampled_from(THOUGHTS)) + lead_in + shown + trailer


@given(replies())
@settings(max_examples=300)
def test_every_way_of_writing_is_read(reply: tuple[Dtype, str, str]) -> None:
    """The number is read; graded against itself it is correct, and against its
    successor it is not.
    """
    dtype, number, text = reply
    assume(abs(Decimal(number)) not in map(Decimal, OPERANDS))  # the lead-ins say these
    # They also say 12, which 1.1e1 rounds.
    assume(
        abs(abs(Decimal(number)) - 12) > 2
        or not re.search("[eE^*¹]|10", text.rpartition("\n")[2])
    )
    answer = read(text, OPERANDS, dtype).tolerant
    assert answer == Decimal(number)
    successor = Context(prec=60).add(Decimal(number), Decimal(1))
    for truth, is_correct in ((number, True), (format(successor, "f"), False)):
        assert (
            Case.of(
                Op.ADD, dtype, OPERANDS, truth, answer, TOLERANCES[dtype]
            ).is_correct
            is is_correct
        )


# --- roundings in words ---------------------------------------------------------------

WORDS = {
    " thousand": 3,
    " lakh": 5,
    " million": 6,
    " crore": 7,
    " billion": 9,
    " lakh crore": 12,
    " trillion": 12,
}
WORDS |= {" quadrillion": 15, " quintillion": 18}
LETTERS = {"k": 3, "K": 3, "M": 6, "B": 9, "bn": 9, "T": 12}
PHRASES = (
    "{exact} (approximately {rounded})",
    "{exact} ({rounded})",
    "{exact} ≈ {rounded}",
    "**{exact}**, or **about {rounded}**",
    "{exact}, i.e. just under {rounded}!",
    "{exact} = {rounded}, rounded",
    "{exact}\n\nThat's nearly {rounded}.",
    "{exact}\n\n≈ {rounded}",
    "{lhs} × {rhs} = **{exact}**\n\nSo the product is roughly {rounded}.",
    "$${lhs} \\times {rhs} = {exact} \\approx {rounded}$$",
    "The product of {lhs} and {rhs} is {exact} (≈ {rounded}).",
    "Answer: {exact}\n\nIn words, that is {rounded}.",
    "\\boxed{{{exact}}} or {rounded}",
    "About {rounded} ({exact})",
    "It is {rounded}, or {exact} exactly.",
    "≈ {rounded}\n\n{lhs} × {rhs} = {exact}",
)


@st.composite
def roundings(draw: st.DrawFn) -> tuple[int, int, str]:
    """Two operands, and their product rounded to one to four digits in words: 0.1 to
    9,999 million.
    """
    depths = st.integers(2, 10).flatmap(
        lambda depth: st.integers(10 ** (depth - 1), 10**depth - 1)
    )
    lhs, rhs = draw(depths), draw(depths)
    few = Context(
        prec=draw(st.integers(1, 4)),
        rounding=draw(st.sampled_from((ROUND_HALF_UP, ROUND_DOWN, ROUND_UP))),
    )
    rounded = few.create_decimal(lhs * rhs)
    fitting = [
        one
        for one in (WORDS | LETTERS).items()
        if -1 <= rounded.adjusted() - one[1] <= 3
    ]
    word, places = draw(st.sampled_from(fitting))
    return lhs, rhs, format(rounded.scaleb(-places), "f") + word


@given(roundings(), st.sampled_from(PHRASES), st.sampled_from(("", ",", " ", "{,}")))
@settings(max_examples=300)
def test_a_rounding_in_words_is_not_the_answer(
    rounding: tuple[int, int, str], phrase: str, mark: str
) -> None:
    """The exact product is, however the reply says its size."""
    lhs, rhs, rounded = rounding
    reply = phrase.format(
        exact=grouped(str(lhs * rhs), mark), rounded=rounded, lhs=lhs, rhs=rhs
    )
    assert read(reply, (str(lhs), str(rhs))).tolerant == lhs * rhs


@given(
    st.decimals(min_value=0, max_value=999, places=3),
    st.sampled_from(sorted(WORDS.items())),
)
def test_an_answer_in_words_is_that_number(
    number: Decimal, magnitude: tuple[str, int]
) -> None:
    """Without another number, `1.2 million` is 1200000."""
    word, places = magnitude
    assert read(f"The answer is {number}{word}.", OPERANDS).tolerant == number.scaleb(
        places
    )


# --- fractions ------------------------------------------------------------------------

FRACTIONS = (
    "{over}/{under}",
    "\\frac{{{over}}}{{{under}}}",
    "{over} / {under}",
    "{over}÷{under}",
)
PLACES_OF_FRACTIONS = (
    *("{}", "**{}**", "The answer is {}.", "Answer: {}", "x = {}", "\\boxed{{{}}}"),
    "$${}$$",
)


@given(
    st.integers(1, 10**12),
    st.integers(0, 20),
    st.integers(0, 8),
    st.sampled_from(FRACTIONS),
    st.sampled_from(PLACES_OF_FRACTIONS),
)
def test_a_fraction_is_its_decimal_number(
    over: int, twos: int, fives: int, form: str, place: str
) -> None:
    """In lowest terms; the division of the operands is no answer."""
    under = 2**twos * 5**fives
    assume(math.gcd(over, under) == 1)
    reply = place.format(form.format(over=over, under=under))
    exact = Context(prec=80).divide(Decimal(over), Decimal(under))
    assert read(reply, ("7", "11"), Dtype.FLOAT).tolerant == exact
    assert read(reply, (str(over), str(under)), Dtype.FLOAT).tolerant is None
