"""For every product and every rounding of it in words: the exact number is the answer, wherever the words stand."""

from __future__ import annotations

from decimal import ROUND_DOWN, ROUND_HALF_UP, ROUND_UP, Context, Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_llmarith.answers import read
from tests.answers.number_strategies import grouped

WORDS = {" thousand": 3, " million": 6, " billion": 9, " trillion": 12, " quadrillion": 15, " quintillion": 18}
INDIAN = {" lakh": 5, " crore": 7, " lakh crore": 12}
LETTERS = {"k": 3, "K": 3, "M": 6, "B": 9, "bn": 9, "T": 12}

AROUND = (
    "{exact} (approximately {rounded})",
    "{exact} (about {rounded})",
    "{exact} (over {rounded})",
    "{exact} ({rounded})",
    "{exact} ≈ {rounded}",
    "**{exact}** (roughly {rounded})",
    "**{exact}**, or **about {rounded}**",
    "{exact}, or about {rounded}.",
    "{exact}, which is {rounded}",
    "{exact}, i.e. just under {rounded}!",
    "{exact} = {rounded}, rounded",
    "{exact}\n\nThat's nearly {rounded}.",
    "{exact}\n({rounded})",
    "{exact}\n\n≈ {rounded}",
    "{lhs} × {rhs} = {exact}, or about {rounded}.",
    "{lhs} × {rhs} = **{exact}**\n\nSo the product is roughly {rounded}.",
    "$${lhs} \\times {rhs} = {exact} \\approx {rounded}$$",
    "The product of {lhs} and {rhs} is {exact} (≈ {rounded}).",
    "The answer is {exact}, about {rounded}.",
    "Answer: {exact}\n\nIn words, that is {rounded}.",
    "\\boxed{{{exact}}} or {rounded}",
)
BEFORE = (
    "About {rounded} ({exact})",
    "It is {rounded}, or {exact} exactly.",
    "The product is approximately {rounded}. The exact answer is {exact}.",
    "≈ {rounded}\n\n{lhs} × {rhs} = {exact}",
)


@st.composite
def roundings(draw: st.DrawFn) -> tuple[int, int, str]:
    """Two operands, and their product rounded to one to four digits in words."""
    lhs, rhs = (
        draw(st.integers(2, 10).flatmap(lambda depth: st.integers(10 ** (depth - 1), 10**depth - 1))) for _ in "ab"
    )
    few = Context(prec=draw(st.integers(1, 4)), rounding=draw(st.sampled_from((ROUND_HALF_UP, ROUND_DOWN, ROUND_UP))))
    rounded = few.create_decimal(lhs * rhs)
    word, places = draw(
        st.sampled_from([one for one in {**WORDS, **INDIAN, **LETTERS}.items() if fits(rounded, one[1])])
    )
    return lhs, rhs, format(rounded.scaleb(-places), "f") + word


def fits(number: Decimal, places: int) -> bool:
    """Whether somebody would say the number so: 0.1 to 9,999 million."""
    return -1 <= number.adjusted() - places <= 3


@given(roundings(), st.sampled_from((*AROUND, *BEFORE)), st.sampled_from(("", ",", " ", "{,}")))
@settings(deadline=None, max_examples=1_000)
def test_a_rounding_in_words_is_not_the_answer(rounding: tuple[int, int, str], phrase: str, mark: str) -> None:
    """The exact product is, in whatever way the reply goes on to say how large it is."""
    lhs, rhs, rounded = rounding
    reply = phrase.format(exact=grouped(str(lhs * rhs), mark), rounded=rounded, lhs=lhs, rhs=rhs)
    assert read(reply, (str(lhs), str(rhs))).tolerant == lhs * rhs


@given(st.decimals(min_value=0, max_value=999, places=3), st.sampled_from(sorted({**WORDS, **INDIAN}.items())))
@settings(deadline=None)
def test_an_answer_in_words_is_that_number(number: Decimal, magnitude: tuple[str, int]) -> None:
    """Where the reply gives no other, `1.2 million` is 1200000."""
    word, places = magnitude
    assert read(f"The answer is {number}{word}.", ("12", "34")).tolerant == number.scaleb(places)
