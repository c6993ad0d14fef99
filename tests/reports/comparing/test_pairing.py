"""Which trials of two runs asked the same question, and are compared with each other."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.reports.comparing.asked import Asked
from pytest_llmarith.reports.comparing.pairing import Pairing, pair
from tests.reports.comparing.runs_in_memory import (
    FACTS,
    compared,
    programs,
    put,
    refusal,
    row_of,
    run,
    searches,
    sums,
)


def question(number: int, prompt: int | None, place: int) -> Asked:
    """A trial by its question, its prompt and its place alone."""
    written = None if prompt is None else bytes([prompt])
    return Asked(bytes([number]), written, str(place), "arithmetic", None, "", True, True, ())


def test_conditions_are_paired_with_themselves() -> None:
    """A system prompt does not stand in the prompt, and with several workers the order of records is chance."""
    facts = FACTS | {"wordings": {"templates": {}, "systems": {"1": "Be brief", "2": "Be long"}}}
    brief, long = put(sums("cccc"), system="1"), put(sums("dddd"), system="2")
    comparison = compared(run(brief, long, facts=facts), run(long, brief, facts=facts))
    assert row_of(comparison)["pairs"] == {"both": 4, "only_first": 0, "only_second": 0, "neither": 4}
    assert row_of(comparison, "system_1")["pairs"]["both"] == row_of(comparison, "system_2")["pairs"]["neither"] == 4


def test_the_number_of_a_system_prompt_is_not_its_text() -> None:
    """Another run may give it to another text; a run without a summary does not say, and the number decides."""
    texts: tuple[dict[str, str], dict[str, str]] = {"1": "a", "2": "b"}, {"1": "b", "2": "a"}
    first, second = (FACTS | {"wordings": {"systems": systems}} for systems in texts)
    trials = put(sums("cccc"), system="1"), put(sums("dddd"), system="2")
    swapped = put(sums("cccc"), system="2"), put(sums("dddd"), system="1")
    assert row_of(compared(run(*trials, facts=first), run(*swapped, facts=second)))["pairs"]["both"] == 4
    assert row_of(compared(run(*trials, facts=first), run(*trials, facts={})))["pairs"]["both"] == 4
    assert "no two trials asked the same" in refusal(run(trials[0], facts=first), run(trials[0], facts=second))


def test_repeats_are_paired_with_themselves() -> None:
    """The first time with the first, whatever the order of the records."""
    once, again = put(sums("ccd")), put(sums("dcc"), repeat=1)
    pairs = row_of(compared(run(once, again), run(again, once)))["pairs"]
    assert pairs == {"both": 4, "only_first": 0, "only_second": 0, "neither": 2}


TRIALS = st.lists(st.builds(question, st.integers(0, 3), st.none() | st.integers(0, 1), st.integers(0, 2)), max_size=12)


def may_pair(first: Asked, second: Asked) -> bool:
    return first.question == second.question and (
        first.prompt == second.prompt or first.prompt is None or second.prompt is None
    )


@given(TRIALS, TRIALS)
def test_every_trial_is_paired_once_or_left(first: list[Asked], second: list[Asked]) -> None:
    """Pairs ask the same, no trial is in two of them, none is lost, and no two that are left ask the same."""
    pairing = pair(first, second)
    assert sorted([one for one, _ in pairing.pairs] + pairing.only_first, key=repr) == sorted(first, key=repr)
    assert sorted([other for _, other in pairing.pairs] + pairing.only_second, key=repr) == sorted(second, key=repr)
    assert all(may_pair(one, other) for one, other in pairing.pairs)
    assert not any(may_pair(one, other) for one in pairing.only_first for other in pairing.only_second)


@given(TRIALS, st.randoms())
def test_the_order_of_trials_is_no_matter(trials: list[Asked], draw: Any) -> None:
    """With several workers it is chance: the same trials pair with their own numbers, whatever came first."""
    shuffled = list(trials)
    draw.shuffle(shuffled)
    pairing = pair(trials, shuffled)
    assert all(one.place == other.place for one, other in pairing.pairs)
    assert pairing == Pairing(pairing.pairs, [], [])


def test_a_question_that_stands_twice() -> None:
    """The trials of one number are paired first, then the others; what is too many on one side is left."""
    first, second = [question(1, 0, 5), question(1, 0, 3)], [question(1, 0, 3), question(1, 0, 4), question(1, 0, 6)]
    pairing = pair(first, second)
    assert sorted((one.place, other.place) for one, other in pairing.pairs) == [("3", "3"), ("5", "4")]
    assert [left.place for left in pairing.only_second] == ["6"]
    assert pairing.repeated == 1


def test_the_number_of_a_trial_is_not_its_question() -> None:
    """With another seed the same number asks something else, and the same sum may have another number."""
    other = run(sums("cccc", seed=1, first=2), name="other")
    comparison = compared(run(sums("cccc")), other)
    assert comparison["questions"]["compared"] == 2
    assert [comparison["questions"][side]["others"] for side in ("first", "second")] == [2, 2]


@pytest.mark.parametrize("key", ["lhs", "rhs", "expected", "variant", "depth"])
def test_another_problem_is_another_question(key: str) -> None:
    """Numbers, operation, depth and expected answer are the question."""
    other = sums("c")
    other[0]["problem"][key] = 9 if key == "depth" else "9"
    assert "no two trials asked the same question" in refusal(run(sums("c")), run(other, name="other"))


def test_another_prompt_is_another_question() -> None:
    """The same sum in other words; where a run does not know its prompts, the sum alone counts."""
    worded, silent = sums("cc"), sums("cc")
    for records, prompt in ((worded, "Please: 0 + 1"), (silent, None)):
        for record in records:
            record["prompt"] = prompt
    said = refusal(run(sums("cc")), run(worded, name="other"))
    assert "no two trials asked the same question, as the same problems have other prompts;" in said
    assert compared(run(sums("cc")), run(silent, name="other"))["questions"]["compared"] == 2
    assert compared(run(silent), run(sums("cc")))["questions"]["compared"] == 2


def test_a_sequence_is_a_question_in_any_set() -> None:
    """Its number and its prompt are; keywords that the OEIS changed are not."""
    other = programs([1, 0], name="classic_easy")
    other[0]["problem"]["keywords"] = ["easy", "nice"]
    comparison = compared(run(programs([1, 0])), run(other))
    assert comparison["questions"]["compared"] == 2


def test_searches_are_paired_whatever_they_came_to() -> None:
    """The question at which a search ended is its outcome: to pair by it would drop the searches that differ."""
    comparison = compared(run(searches("dcd")), run(searches("ccc")))
    assert row_of(comparison)["pairs"] == {"both": 1, "only_first": 0, "only_second": 2, "neither": 0}
    comma = searches("ccc"), put(searches("ddd"), numbers="comma")
    assert row_of(compared(run(*comma), run(*comma)), "numbers_comma")["pairs"]["neither"] == 3


@pytest.mark.parametrize("other", [{"budget": 40}, {"seed": 1}])
def test_another_search_is_not_paired(other: dict[str, int]) -> None:
    """One of another budget had another chance, and one of another seed goes another way."""
    assert "no two trials asked the same question" in refusal(run(searches("dc")), run(searches("dc", **other)))


def test_what_is_unanswered_is_counted_and_not_compared() -> None:
    """What either side left unanswered is counted and not compared."""
    comparison = compared(run(sums("cucud")), run(sums("ccuud"), name="other"))
    questions = comparison["questions"]
    assert (questions["compared"], questions["unanswered"]) == (2, 3)
    assert (questions["first"]["unanswered"], questions["second"]["unanswered"]) == (2, 2)
    assert row_of(comparison)["first"]["measured"] == 2
