"""The usual replies have a pattern of their own, which reads them as the rules for all
replies do.
"""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.exact import Dtype, extract, read

FORMS = (
    *("The answer is {}.", "Answer: {}", "#### {}", "\\boxed{{{}}}"),
    *("The final answer is {}", "{a} {op} {b} = {}", "**{}**", "**{}**."),
    "The answer is **{}**.",
)


@given(
    form=st.sampled_from(FORMS),
    number=st.integers(-(10**12), 10**12)
    | st.integers(0, 6).flatmap(
        lambda places: st.decimals(-(10**6), 10**6, places=places)
    ),
    a=st.integers(0, 10**6),
    b=st.integers(0, 10**6),
    op=st.sampled_from("+-*/×÷"),
    dtype=st.sampled_from(Dtype),
    grouped=st.booleans(),
    is_asked=st.booleans(),
)
def test_both_ways_read_alike(
    form: str,
    number: int | Decimal,
    a: int,
    b: int,
    op: str,
    dtype: Dtype,
    grouped: bool,
    is_asked: bool,
) -> None:
    text = form.format(format(number, ",f" if grouped else "f"), a=a, b=b, op=op)
    operands = (str(a), str(b)) if is_asked else ()
    found = read(text, operands, dtype)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(extract, "_LONGEST_ANNOUNCED", 0)
        assert read(text, operands, dtype) == found
