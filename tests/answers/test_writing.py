"""For every number and every way to write it: it is read, it is correct, and it is not its neighbour."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_llmarith.answers import read
from pytest_llmarith.grading import grade
from pytest_llmarith.values import Dtype, Outcome
from tests.answers.number_strategies import Numeral, numerals, written

OPERANDS = ("12", "34")  # as the lead-ins of the strategies have them

REPLIES = st.sampled_from(Dtype).flatmap(
    lambda dtype: numerals(dtype).flatmap(lambda numeral: st.tuples(st.just(dtype), st.just(numeral), written(numeral)))
)


@given(REPLIES)
@settings(deadline=None, max_examples=1_000, suppress_health_check=[HealthCheck.too_slow])
def test_every_way_of_writing_is_read(reply: tuple[Dtype, Numeral, str]) -> None:
    """Reading gives n; grading against n is correct, and against n + 1 is not."""
    dtype, numeral, text = reply
    answer = read(text, OPERANDS, dtype).tolerant
    assert answer == numeral.value
    assert grade(answer, numeral.text).outcome is Outcome.CORRECT
    assert grade(answer, numeral.successor.text).outcome is Outcome.DEVIATE


@given(st.sampled_from(Dtype).flatmap(lambda dtype: st.tuples(st.just(dtype), numerals(dtype))))
@settings(deadline=None)
def test_a_bare_number_is_read_both_ways(bare: tuple[Dtype, Numeral]) -> None:
    """Where the strict reading finds a number, the tolerant one finds the same."""
    dtype, numeral = bare
    readings = read(f" {numeral.text}\n", OPERANDS, dtype)
    assert readings.strict == readings.tolerant == numeral.value
    assert readings.reason is None


@given(st.text(max_size=60), st.sampled_from(Dtype))
@settings(deadline=None, max_examples=500)
def test_any_text_is_read_or_has_a_reason(text: str, dtype: Dtype) -> None:
    """There is an answer or a reason, never both, and no text raises."""
    readings = read(text, OPERANDS, dtype)
    assert (readings.tolerant is None) is (readings.reason is not None)


@given(st.text(st.sampled_from("\\{}$*_`^~×=≈-+.,'() \n\u20091230eEx<>think/boxedfrac"), max_size=80))
@settings(deadline=None, max_examples=500)
def test_scraps_of_markup_are_read_or_have_a_reason(text: str) -> None:
    """Texts made of scraps of markup are read, or have a reason why not."""
    readings = read(text, OPERANDS)
    assert (readings.tolerant is None) is (readings.reason is not None)
