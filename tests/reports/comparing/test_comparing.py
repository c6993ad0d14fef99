"""Runs beside each other: which trials asked the same, what the figures say, and what is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.reports.comparing import Request, as_json, as_markdown, as_text, compare, failures, parse_points
from pytest_llmarith.reports.comparing.asked import Asked
from pytest_llmarith.reports.comparing.pairing import Pairing, pair
from pytest_llmarith.reports.mistake import Mistake

Record = dict[str, Any]

WORDS = {"c": "correct", "d": "deviate", "n": "nan", "h": "cheat", "u": "unanswered"}
FACTS: dict[str, Any] = {
    "id": "one",
    "started_at": "2026-11-22T00:31:05+00:00",
    "seed": 0,
    "symbols": "ascii",
    "reading": None,
    "limits": {"concurrency": 16},
    "models": [{"name": "m", "target": "openai/m", "params": {"temperature": 0}, "api_base": None, "simulated": False}],
    "versions": {"python": "3.11.7"},
    "oeis": {"limits": [0.5, 4.0]},
}


@dataclass
class Opened:
    """A run as it is read, in memory."""

    path: Path
    trials: Sequence[Record]
    facts: Mapping[str, Any] = field(default_factory=dict)
    size: int = 0

    def records(self) -> Iterator[Record]:
        return iter(self.trials)


def sums(
    outcomes: str, variant: str = "int_add", model: str = "m", first: int = 0, seed: int | None = 0
) -> list[Record]:
    """Records of sums, a letter each; the same number is the same sum."""
    return [
        {
            "task": "arithmetic",
            "model": model,
            "simulated": False,
            "outcome": WORDS[letter],
            "reading": "tolerant",
            "problem": {
                "seed": seed,
                "trial": number,
                "variant": variant,
                "depth": 2,
                "lhs": str(number),
                "rhs": "1",
                "expected": str(number + 1),
            },
            "prompt": f"{variant}: {number}, 1",
            "reply": None if letter == "u" else {"text": "", "served_model": "m-2026"},
        }
        for number, letter in enumerate(outcomes, first)
    ]


def programs(scores: Sequence[float | None], name: str = "starter", model: str = "m") -> list[Record]:
    """Records of programs by their score in 4 s; in 0.5 s it is half of that. None is unanswered."""
    return [
        {
            "task": "oeis",
            "model": model,
            "simulated": False,
            "outcome": "unanswered" if score is None else "correct" if score == 1 else "deviate",
            "problem": {"set": name, "number": f"A{number:06}", "offset": 1, "name": "x", "keywords": ["easy"]},
            "prompt": f"Name: {number}",
            "reply": None,
            "oeis": {"scores": None if score is None else {"0.5": score / 2, "4": score}},
        }
        for number, score in enumerate(scores)
    ]


def run(*trials: Sequence[Record], name: str = "one", facts: Mapping[str, Any] | None = None) -> Opened:
    return Opened(Path(name), [record for some in trials for record in some], FACTS if facts is None else facts)


def compared(first: Opened, second: Opened, **wanted: Any) -> dict[str, Any]:
    """The only comparison of two runs."""
    (comparison,) = compare(Request(first, [second], **wanted))["comparisons"]
    found: dict[str, Any] = comparison
    return found


def refusal(first: Opened, *others: Opened, **wanted: Any) -> str:
    """Why these runs are not compared."""
    with pytest.raises(Mistake) as caught:
        compare(Request(first, others, **wanted))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def row_of(comparison: Mapping[str, Any], *what: str) -> dict[str, Any]:
    """The row of a variant, a set or a task; that over all without a name."""
    names = what or (None,)
    found: dict[str, Any] = next(row for row in comparison["rows"] if (row["name"] or row["task"]) == names[0])
    return found


# --- what asked the same question -------------------------------------------------------------------------------------


def question(number: int, prompt: int | None, place: int) -> Asked:
    """A trial by its question, its prompt and its place alone."""
    written = None if prompt is None else bytes([prompt])
    return Asked(bytes([number]), written, str(place), "arithmetic", None, "", True, True, ())


def put(trials: Sequence[Record], repeat: int = 0, **condition: str) -> list[Record]:
    """The same questions in another condition, or again; commas change the prompt, a system prompt does not."""
    whole = {"numbers": "plain", "symbols": "ascii", "context": None, "prompt": None, "system": None} | condition
    comma = ", with commas" * (whole["numbers"] == "comma")
    return [one | {"condition": whole, "repeat": repeat, "prompt": one["prompt"] + comma} for one in trials]


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


def test_repeats_are_no_further_evidence() -> None:
    """A question is one toss of the coin: asked three times, two that got lost are not six."""
    first, second = ([one for repeat in range(3) for one in put(sums(text), repeat)] for text in ("cccc", "ccdd"))
    row = row_of(compared(run(first), run(second)))
    assert (row["pairs"]["only_first"], row["p"]) == (6, 0.5)


def test_a_question_is_won_by_who_is_right_more_often() -> None:
    """Two of three times beat one, and one each is a draw."""
    asked = [put(sums(text), repeat) for repeat, text in enumerate(("cc", "cd", "dd"))]
    others = [put(sums(text), repeat) for repeat, text in enumerate(("dd", "cd", "dc"))]
    row = row_of(compared(run(*asked), run(*others)))
    assert (row["pairs"]["only_first"], row["pairs"]["only_second"], row["p"]) == (2, 1, 1.0)


def test_a_loss_in_one_condition_fails_the_gate() -> None:
    """Over all conditions it would be too small to be seen."""
    usual, comma, lost = sums("c" * 90), *(put(sums(letter * 10), numbers="comma") for letter in "cd")
    worse = compare(Request(run(usual, comma), [run(usual, lost)]))
    (line,) = failures(worse, Decimal(20))
    assert "numbers_comma: 100.0 points lower" in line
    assert [row["kind"] for row in worse["comparisons"][0]["rows"]] == ["all", "condition", "condition"]


def test_unpaired_conditions_are_compared_with_themselves() -> None:
    """What only one side has is left out; where each side has a single one, that is what is compared."""
    usual, comma, others = sums("cccc", seed=1, first=9), put(sums("dddd"), numbers="comma"), sums("cccc")
    comparison = compared(run(usual, comma), run(others), unpaired=True)
    assert row_of(comparison)["first"] == {"correct": 4, "measured": 4, "percent": 100.0}
    assert comparison["questions"]["first"]["others"] == 4
    difference = row_of(compared(run(usual), run(comma), unpaired=True))["difference"]
    assert difference["points"] == -100


def in_two_conditions(usual: str, comma: str, same: int) -> Opened:
    """A run in which so many of the first sums have no number that takes a comma."""
    first, other = put(sums(usual)), put(sums(comma), numbers="comma")
    alike = [one | {"prompt": beside["prompt"]} for one, beside in zip(other[:same], first, strict=False)]
    return run(first, alike, other[same:])


def test_what_conditions_put_in_the_same_words_is_left_out() -> None:
    """It is one request, whose reply stands in both: that is no evidence, and it is counted."""
    found = compare(Request(in_two_conditions("cccccc", "ccccdd", 3), (), conditions=["usual:numbers_comma"]))
    (comparison,) = found["comparisons"]
    assert row_of(comparison)["pairs"] == {"both": 1, "only_first": 2, "only_second": 0, "neither": 0}
    assert comparison["questions"]["same_words"] == 3
    assert "paired: 3 questions; 3 put in the same words, left out; only in A 0" in as_text(found, 200)


def test_conditions_that_put_all_alike_are_refused() -> None:
    """One line: a difference of 0 would be said of a condition that nobody was in."""
    assert refusal(in_two_conditions("cc", "cc", 2), conditions=["usual:numbers_comma"]) == (
        "m, usual and m, numbers_comma in one: all 2 pairs were put in the same words, which tells nothing of these "
        "conditions; compare them on problems that they put differently, such as larger numbers"
    )


def test_scores_are_of_a_condition() -> None:
    """A mean over conditions would be nobody's score."""
    usual, other = programs([1.0, 0.5]), put(programs([0.0, 0.0]), numbers="comma")
    scores = compared(run(usual, other), run(usual, other))["scores"]
    assert [(one["condition"], one["seconds"], one["first"]["percent"]) for one in scores] == [
        *((None, 0.5, 37.5), (None, 4.0, 75.0)),
        *(("numbers_comma", 0.5, 0.0), ("numbers_comma", 4.0, 0.0)),
    ]


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
    comparison = compared(run(sums("cccc")), other, allow_partial=True)
    assert comparison["questions"]["compared"] == 2
    assert [comparison["questions"][side]["others"] for side in ("first", "second")] == [2, 2]


@pytest.mark.parametrize("key", ["lhs", "rhs", "expected", "variant", "depth"])
def test_another_problem_is_another_question(key: str) -> None:
    """Numbers, operation, depth and expected answer are the question."""
    other = sums("c")
    other[0]["problem"][key] = "9"
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


def searches(outcomes: str, budget: int = 80, seed: int = 0) -> list[Record]:
    """Records of searches for a breaking point, a variant each; the prompt is the question at which one ended."""
    return [
        {
            "task": "breaking_point",
            "model": "m",
            "simulated": False,
            "outcome": WORDS[letter],
            "problem": {"seed": seed, "of": "arithmetic", "variant": f"variant_{number}", "budget": budget},
            "prompt": f"the question that was {WORDS[letter]} in the end",
            "reply": None,
            "search": {},
        }
        for number, letter in enumerate(outcomes)
    ]


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
    """An outage is no measurement, on either side."""
    comparison = compared(run(sums("cucud")), run(sums("ccuud"), name="other"))
    questions = comparison["questions"]
    assert (questions["compared"], questions["unanswered"]) == (2, 3)
    assert (questions["first"]["unanswered"], questions["second"]["unanswered"]) == (2, 2)
    assert row_of(comparison)["first"]["measured"] == 2


# --- what is refused --------------------------------------------------------------------------------------------------


def test_other_seeds_are_refused() -> None:
    """One line: how little is the same, why, and what to write instead."""
    said = refusal(run(sums("cccc")), run(sums("cccc", seed=1, first=3), name="other"))
    assert said == (
        "one and other: only 1 of 4 trials asked the same question, as their seeds differ (0 and 1); compare them "
        "without pairing with --unpaired, or pair these few with --allow-partial"
    )


def test_questions_without_a_seed_are_refused() -> None:
    """Nothing in common is never paired, not even where a part may be."""
    said = refusal(run(sums("cc", seed=None)), run(sums("cc", seed=None, first=9), name="other"), allow_partial=True)
    assert said == (
        "one and other: no two trials asked the same question, as no seed is known of them; compare them without "
        "pairing with --unpaired"
    )


def test_other_conditions_are_refused_with_the_option_that_compares_them() -> None:
    """Without pairing nobody would learn what the condition does; where several may be meant, they are named."""
    usual, comma, spaced = sums("cc"), put(sums("cc"), numbers="comma"), put(sums("cc"), numbers="space")
    spaced = [one | {"prompt": one["prompt"] + ", with spaces"} for one in spaced]
    assert refusal(run(usual), run(comma, name="two")) == (
        "one and two: no two trials asked the same question, as they were put in other conditions; compare these with "
        "--condition=usual:numbers_comma"
    )
    assert refusal(run(usual), run(comma, spaced, name="two")).endswith(
        "--condition=A:B, where A is one of usual and B one of numbers_comma, numbers_space"
    )
    seeds = refusal(run(usual), run(put(sums("cc", first=9, seed=1), numbers="comma"), name="two"))
    assert "as their seeds differ" in seeds


@pytest.mark.parametrize(("common", "is_paired"), [(3, False), (4, True)])
def test_half_of_the_smaller_run_is_paired(common: int, is_paired: bool) -> None:
    """The greater run may have asked anything else besides."""
    first, second = run(sums("c" * 100)), run(sums("c" * 8, first=100 - common), name="other")
    if is_paired:
        assert compared(first, second)["questions"]["compared"] == common
    else:
        assert f"only {common} of 8 trials" in refusal(first, second)
        assert compared(first, second, allow_partial=True)["questions"]["compared"] == common


def test_without_pairing() -> None:
    """Two groups: Newcombe's hybrid interval and Fisher's exact test, and the method says so."""
    comparison = compared(run(sums("ccccdddddd")), run(sums("ccccccccdd", first=50, seed=1)), unpaired=True)
    assert comparison["method"] == "unpaired"
    row = row_of(comparison)
    assert (row["first"]["correct"], row["second"]["correct"], row["pairs"]) == (4, 8, None)
    assert row["difference"] == {"points": 40.0, "low": -2.2558, "high": 67.2544}
    assert row["p"] == pytest.approx(0.16980, abs=1e-5)


def test_without_pairing_only_what_is_alike_is_compared() -> None:
    """Other variants and depths would make a difference that no model makes."""
    first = run(sums("cd"), sums("dddd", "int_div"))
    second = run(sums("cdu", first=50, seed=1), sums("cc", "int_mul", first=50, seed=1))
    comparison = compared(first, second, unpaired=True)
    assert (row_of(comparison)["first"]["measured"], row_of(comparison)["second"]["measured"]) == (2, 2)
    assert comparison["questions"]["first"] == {"others": 4, "unanswered": 0}
    assert comparison["questions"]["second"] == {"others": 2, "unanswered": 1}


def test_what_an_outage_left_out_is_not_compared() -> None:
    """A run that has no answer to the hard questions is not better than one that has them."""
    first = run(sums("ccc"), sums("uuuu", "int_div"))
    second = run(sums("ccc", first=50, seed=1), sums("dddd", "int_div", first=50, seed=1))
    comparison = compared(first, second, unpaired=True)
    assert row_of(comparison)["difference"]["points"] == 0
    assert comparison["questions"]["first"] == {"others": 0, "unanswered": 4}
    assert comparison["questions"]["second"] == {"others": 4, "unanswered": 0}


def test_what_can_be_paired_is_paired() -> None:
    """--unpaired is for runs that did not ask the same; the others are paired all the same."""
    comparisons = compare(Request(run(sums("cd")), [run(sums("cc")), run(sums("cc", first=9))], unpaired=True))
    assert [one["method"] for one in comparisons["comparisons"]] == ["paired", "unpaired"]


# --- which models -----------------------------------------------------------------------------------------------------


def models_of(comparisons: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(one["first"]["model"], one["second"]["model"]) for one in comparisons["comparisons"]]


def test_models_of_one_name_are_compared() -> None:
    """Each with itself; one that only one run has is not, even though it is the only one left."""
    first = run(sums("c", model="a"), sums("c", model="b"), sums("c", model="x"))
    second = run(sums("c", model="b"), sums("c", model="a"), sums("c", model="y"))
    assert models_of(compare(Request(first, [second]))) == [("a", "a"), ("b", "b")]


def test_models_that_are_left_alone_are_named() -> None:
    """Nobody thinks that they were compared."""
    first, second = run(sums("c", model="a"), sums("c", model="x")), run(sums("c", model="a"), name="two")
    comparisons = compare(Request(first, [second, second]))
    assert comparisons["not_compared"] == [{"run": "one", "model": "x"}]
    for text in (as_text(comparisons, 200), as_markdown(comparisons)):
        assert "not compared, as the other run has no model of this name: x in one" in text
    assert compare(Request(first, [second], ["x:a"]))["not_compared"] == []


def test_the_only_models_are_compared() -> None:
    """Whatever they are called."""
    assert models_of(compare(Request(run(sums("c", model="a")), [run(sums("c", model="b"))]))) == [("a", "b")]


@pytest.mark.parametrize(
    ("wanted", "models"),
    [
        (["a"], [("a", "a")]),
        (["a:b"], [("a", "b")]),
        (["a:b", "b"], [("a", "b"), ("b", "b")]),
        (["a:llama3:8b"], [("a", "llama3:8b")]),
        (["llama3:8b"], [("llama3:8b", "llama3:8b")]),
        (["llama3:8b:a"], [("llama3:8b", "a")]),
    ],
)
def test_wanted_models_are_compared(wanted: list[str], models: list[tuple[str, str]]) -> None:
    """A alone, A with B, several; names may hold colons."""
    trials = [sums("c", model=name) for name in ("a", "b", "llama3:8b")]
    assert models_of(compare(Request(run(*trials), [run(*trials)], wanted))) == models


def test_one_run_compares_two_of_its_models() -> None:
    """The questions are the same, so they are paired."""
    both = run(sums("ccdd", model="a"), sums("cddd", model="b"))
    (comparison,) = compare(Request(both, [], ["a:b"]))["comparisons"]
    assert comparison["questions"]["compared"] == 4
    assert comparison["differing"][0] == {"what": "model", "first": "a", "second": "b"}


@pytest.mark.parametrize(
    ("others", "wanted", "said"),
    [
        (
            [],
            [],
            "by --model=A:B, where A and B are models of it, or by --condition=A:B; it holds a, b",
        ),
        ([], ["a"], "--model=a: one run is named, so name two models of it: --model=A:B"),
        (
            ["c", "d"],
            [],
            "have no model of the same name; say which to compare with --model=A:B, where A is one of a, b",
        ),
        (["a"], ["c"], "--model=c: no such models; write --model=A:B, where A is one of a, b and B one of a"),
        (["a"], ["a:b"], "--model=a:b: no such models"),
    ],
)
def test_models_that_are_not_there(others: list[str], wanted: list[str], said: str) -> None:
    """One line that names what there is."""
    trials = [run(*(sums("c", model=name) for name in others), name="other")] if others else []
    assert said in refusal(run(sums("c", model="a"), sums("c", model="b")), *trials, models=wanted)


def test_colons_that_can_be_read_in_two_ways() -> None:
    """Nobody guesses."""
    trials = [sums("c", model=name) for name in ("a", "a:b", "b:c", "c")]
    assert "can be read in 2 ways" in refusal(run(*trials), run(*trials), models=["a:b:c"])


def test_a_run_without_trials() -> None:
    """There is nothing to compare, and that is said of the run that has none."""
    assert refusal(run(sums("c")), run(name="other")).startswith("other: there is no trial in it")
    assert refusal(run(), run(sums("c"), name="other")).startswith("one: there is no trial in it")


# --- the figures ------------------------------------------------------------------------------------------------------


def test_the_figures_of_pairs() -> None:
    """Counts, percentages, Newcombe's interval, McNemar's exact p; everything but correct is not correct."""
    comparison = compared(run(sums("cccccccddd")), run(sums("ccdnhdddcd")))
    row = row_of(comparison)
    assert row["pairs"] == {"both": 2, "only_first": 5, "only_second": 1, "neither": 2}
    assert (row["first"]["percent"], row["second"]["percent"]) == (70.0, 30.0)
    assert row["difference"]["points"] == -40.0
    assert row["difference"]["low"] < -40 < row["difference"]["high"]
    assert row["p"] == row["p_holm"] == pytest.approx(0.21875)


@given(st.text("cdnhu", min_size=1, max_size=30), st.text("cdnhu", min_size=1, max_size=30))
def test_the_other_way_round_is_the_mirror(one: str, other: str) -> None:
    """Who is the baseline changes the sign of a difference and nothing else."""
    first, second = run(sums(one)), run(sums(other), name="other")
    there, back = row_of(compared(first, second)), row_of(compared(second, first))
    assert there["p"] == back["p"]
    assert (there["first"], there["second"]) == (back["second"], back["first"])
    if there["difference"] is not None:
        assert there["difference"]["points"] == -back["difference"]["points"]
        assert there["difference"]["low"] == pytest.approx(-back["difference"]["high"], abs=1e-3)


@given(st.text("cdnhu", min_size=1, max_size=30))
def test_a_run_is_no_other_than_itself(outcomes: str) -> None:
    """Every trial is paired with itself, nothing differs, and every gate passes."""
    comparisons = compare(Request(run(sums(outcomes + "c")), [run(sums(outcomes + "c"))]))
    (comparison,) = comparisons["comparisons"]
    row = row_of(comparison)
    assert (row["p"], row["difference"]["points"]) == (1, 0)
    assert row["pairs"]["only_first"] == row["pairs"]["only_second"] == 0
    assert comparison["differing"] == []
    assert failures(comparisons, Decimal(0)) == []


def test_rows_are_not_said_twice() -> None:
    """The only task and the only variant are what stands over all; several tasks and variants have rows."""
    alone = compared(run(sums("cd")), run(sums("cd")))
    assert [row["kind"] for row in alone["rows"]] == ["all"]
    both = [*sums("cd"), *sums("cc", "int_div"), *sums("cc", "float_add"), *programs([1.0, 0.5])]
    several = compared(run(both), run(both))
    assert [(row["kind"], row["name"] or row["task"]) for row in several["rows"]] == [
        ("all", None),
        ("task", "arithmetic"),
        ("variant", "int_add"),
        ("variant", "int_div"),
        ("variant", "float_add"),
        ("task", "oeis"),
    ]
    assert row_of(several)["first"]["measured"] == 8


def test_tests_beside_each_other_are_corrected() -> None:
    """Holm's correction: one family are the parts of all comparisons, the other those over all."""
    base = run(sums("c" * 10), sums("c" * 10, "int_div"))
    worse, same = run(sums("d" * 6 + "cccc"), sums("c" * 10, "int_div"), name="worse"), run(*[base.trials], name="same")
    comparisons = compare(Request(base, [worse, same]))
    assert comparisons["families"] == {"over_all": 2, "parts": 4}
    first, second = comparisons["comparisons"]
    assert row_of(first)["p"] == pytest.approx(0.03125)
    assert row_of(first)["p_holm"] == pytest.approx(0.0625)
    assert row_of(first, "int_add")["p_holm"] == pytest.approx(4 * 0.03125)
    assert row_of(second)["p_holm"] == 1


def test_the_scores_of_programs() -> None:
    """Per set and limit the difference of the mean scores of the same sequences, with a bootstrap interval."""
    first, second = programs([1, 0.5, 0, 1, None]), programs([1, 1, 0.5, 0.5, 1])
    comparison = compared(run(first), run(second))
    fast, slow = comparison["scores"]
    assert (slow["set"], slow["seconds"], fast["seconds"]) == ("starter", 4, 0.5)
    assert slow["first"] == {"sequences": 4, "percent": 62.5}
    assert slow["second"] == {"sequences": 4, "percent": 75.0}
    assert slow["difference"]["points"] == 12.5
    assert slow["difference"]["low"] < 12.5 < slow["difference"]["high"]
    assert fast["difference"]["points"] == 6.25
    assert row_of(comparison)["first"]["correct"] == 2


def test_scores_without_pairing() -> None:
    """Sequences of a set that the two did not share are two groups."""
    other = programs([0.5, 0.25, 0.25])
    for record in other:
        record["problem"]["number"] += "9"
    comparison = compared(run(programs([1, 0.5])), run(other), unpaired=True)
    slow = comparison["scores"][1]
    assert (slow["first"]["sequences"], slow["second"]["sequences"]) == (2, 3)
    assert slow["difference"]["points"] == pytest.approx(-41.6667)
    assert slow["difference"]["low"] < slow["difference"]["points"] < slow["difference"]["high"]


def test_what_differed() -> None:
    """What may change an answer is named with both values; when the run was and how it was paced is not."""
    model = FACTS["models"][0] | {"params": {"temperature": 1, "stop": ["x"]}}
    other = FACTS | {"models": [model], "versions": {"python": "3.12.1"}, "id": "two", "limits": {"concurrency": 1}}
    second = sums("c")
    second[0]["reply"]["served_model"] = "m-2025"
    assert compared(run(sums("c")), run(second, facts=other))["differing"] == [
        {"what": "served model", "first": "m-2026", "second": "m-2025"},
        {"what": "params.temperature", "first": 0, "second": 1},
        {"what": "versions.python", "first": "3.11.7", "second": "3.12.1"},
        {"what": "params.stop", "first": None, "second": ["x"]},
    ]


def test_conditions_that_differ_are_named() -> None:
    """As people know them, and what one run alone has before the rest, which may be cut."""
    usual: dict[str, Any] = {"numbers": "plain", "symbols": "ascii", "context": None, "prompt": None, "system": None}
    comma, long = usual | {"numbers": "comma"}, usual | {"context": "4k"}
    one, other = ({**FACTS, "conditions": some} for some in ([usual, comma], [usual, comma, long]))
    text = as_text(compare(Request(run(sums("c"), facts=one), [run(sums("c"), facts=other)])), 200)
    assert "differing: conditions (usual + numbers_comma and context_4k + usual + numbers_comma)" in text


def test_what_records_tell() -> None:
    """Where programs ran and which seed there was stands in them, also where nobody knows the facts of the run."""
    first, second = programs([1.0]), programs([1.0])
    for record, level in ((first[0], "strict"), (second[0], "basic")):
        record["oeis"]["isolation"] = {"level": level}
    one, other = run([*first, *sums("c", seed=3)], facts={}), run([*second, *sums("c", seed=4)])
    assert compared(one, other)["differing"] == [
        {"what": "seed", "first": "3", "second": "4"},
        {"what": "sandbox level", "first": "strict", "second": "basic"},
    ]


def test_a_run_that_says_nothing_of_itself() -> None:
    """Its records still tell the model and the reading; the rest is not a list of unknowns."""
    other = run(sums("c", model="x"), facts={})
    comparison = compared(run(sums("c")), other)
    assert comparison["differing"] == [{"what": "model", "first": "m", "second": "x"}]
    assert "B says nothing of versions and parameters" in as_text(compare(Request(run(sums("c")), [other])), 200)


# --- the gate ---------------------------------------------------------------------------------------------------------


def gated(outcomes: str, points: str, first: str | None = None) -> list[str]:
    """What the gate says of a run beside one that got everything right."""
    comparisons = compare(Request(run(sums(first or "c" * len(outcomes))), [run(sums(outcomes), name="other")]))
    return failures(comparisons, Decimal(points))


def test_a_run_that_is_worse_fails() -> None:
    """One line: how much worse than what, how sure, and what is allowed."""
    (line,) = gated("d" * 10 + "c" * 90, "2")
    assert line == "other, m, over all: 10.0 points lower than one (95 % -17.4 to -4.2, p 0.0020), 2 are allowed"


@pytest.mark.parametrize(
    ("outcomes", "points"),
    [
        ("d" * 10 + "c" * 90, "10"),  # not lower by more
        ("d" * 10 + "c" * 90, "10.5"),
        ("d" * 5 + "c" * 95, "2"),  # p 0.0625
        ("c" * 100, "0"),
    ],
)
def test_what_is_allowed_or_may_be_chance_passes(outcomes: str, points: str) -> None:
    """It has to be lower by more than is allowed, and significantly so."""
    assert gated(outcomes, points) == []


def test_a_run_that_is_better_passes() -> None:
    """A gate looks one way."""
    assert gated("c" * 100, "2", first="d" * 50 + "c" * 50) == []


def test_the_gate_compares_exactly() -> None:
    """A tenth of a point too many is seen, and shown."""
    (line,) = gated("d" * 31 + "c" * 2969, "1.03")
    assert "1.033 points lower" in line


def test_parts_have_the_gate_too() -> None:
    """A variant that broke is named, even where the whole hides it."""
    first = run(sums("c" * 40), sums("d" * 20 + "c" * 20, "int_div"))
    second = run(sums("d" * 20 + "c" * 20), sums("c" * 40, "int_div"), name="other")
    (line,) = failures(compare(Request(first, [second])), Decimal(5))
    assert line.startswith("other, m, int_add: 50.0 points lower than one")


def test_nothing_compared_fails() -> None:
    """Nobody knows whether it is worse."""
    assert gated("uu", "2") == ["other, m: nothing could be compared, 2 points lower are allowed"]


@pytest.mark.parametrize("text", ["0", "2", "2.5", "100"])
def test_points_are_read(text: str) -> None:
    """Percentage points, exactly."""
    assert parse_points(text) == Decimal(text)


@pytest.mark.parametrize("text", ["", "-1", "101", "nan", "two", "2%", "1e1", "٣"])
def test_points_that_are_none(text: str) -> None:
    """One line that says what to write."""
    with pytest.raises(ValueError, match=r"from 0 to 100; write 2 or 2\.5"):
        parse_points(text)


# --- how it is shown --------------------------------------------------------------------------------------------------


def everything() -> dict[str, Any]:
    """Comparisons with every kind of table."""
    base = run(sums("ccdcc"), sums("cdcdc", "int_div"), programs([1, 0.5, 0]))
    paired = run(sums("cddcc"), sums("cdddc", "int_div"), programs([1, 1, 0]), name="two")
    other = run(sums("cddcc", first=50, seed=1), sums("c", "int_div", first=50, seed=1), name="three")
    return compare(Request(base, [paired, other], unpaired=True))


def test_the_text_of_comparisons() -> None:
    """Who, how many questions, what differed, the rows, the scores, all of them in a row each, and the columns."""
    lines = as_text(everything(), 90).splitlines()
    assert lines[:4] == [
        "A: one, m",
        "B: two, m",
        "paired: 13 questions; only in A 0, only in B 0; unanswered in A 0, in B 0",
        "differing: nothing that is known",
    ]
    assert any(line.split()[:4] == ["over", "all", "13", "61.5"] for line in lines)
    assert any(line.startswith("starter, 4 s") for line in lines)
    assert any(line.startswith("not paired, as A and B did not ask the same questions") for line in lines)
    assert any(line.startswith("three") and "unpaired" in line for line in lines)
    assert "Holm-corrected" in " ".join(lines)
    assert max(map(len, lines)) <= 90


def test_the_markdown_of_comparisons() -> None:
    """Tables whose rows have as many cells as their heads."""
    lines = as_markdown(everything()).splitlines()
    tables = [line for line in lines if line.startswith("|")]
    assert "| `over all` | 13 | 61.5 | 53.8 | -7.7 |" in "\n".join(tables)
    for rule in (number for number, line in enumerate(lines) if line.startswith("| ---")):
        cells = lines[rule].count("|")
        assert lines[rule - 1].count("|") == lines[rule + 1].count("|") == cells


def test_the_json_of_comparisons() -> None:
    """All figures, with a format of their own."""
    comparisons = everything()
    assert json.loads(as_json(comparisons)) == comparisons
    assert comparisons["format"] == 1


def repeated(first: str, second: str, repeats: int = 3) -> str:
    """The text of two runs that asked each question so often, and say the same each time."""
    one, other = ([one for repeat in range(repeats) for one in put(sums(text), repeat)] for text in (first, second))
    return as_text(compare(Request(run(one), [run(other)])), 500)


def test_the_text_of_repeats() -> None:
    """How many questions went better and worse is what the test counts; pairs of one question are no questions."""
    lines = repeated("ccccd", "ccddc").splitlines()
    assert lines[2] == "paired: 15 pairs of 5 questions; only in A 0, only in B 0; unanswered in A 0, in B 0"
    assert lines[5].split()[:2] == ["pairs", "questions"]
    assert lines[5].split()[-3:] == ["better", "worse", "p"]
    assert lines[7].split()[:4] == ["over", "all", "15", "5"]
    assert lines[7].split()[-3:] == ["1", "2", "1"]
    assert "Better, worse: questions that B got right more often" in lines[-1]
    assert "Only A" not in lines[-1]
    assert "A - for an interval" not in lines[-1]


def test_an_interval_that_nobody_knows() -> None:
    """Where all questions went alike, the line below the table says why there is none."""
    lines = repeated("ccdd", "ccdd").splitlines()
    assert lines[7].split()[-5:] == ["0.0", "-", "0", "0", "1"]
    assert (
        "A - for an interval: all questions went alike, so that nothing is known of how far they differ." in lines[-1]
    )


HOSTILE = "\x1b[31m|<script>alert(1)</script>`*_[x](javascript:1)\u202e\n# " + "9" * 300


@pytest.mark.parametrize("shown", [as_json, as_markdown, lambda comparisons: as_text(comparisons, 80)])
def test_hostile_names_are_harmless(shown: Callable[[Any], str]) -> None:
    """Neither a terminal nor markdown obeys what stands in names, facts and variants."""
    facts = FACTS | {HOSTILE: {HOSTILE: HOSTILE}, "models": HOSTILE, "versions": [HOSTILE]}
    first = run(sums("cd", HOSTILE, HOSTILE), sums("c", "x", HOSTILE), name="a" + HOSTILE.replace("/", ""))
    second = run(sums("cd", HOSTILE, HOSTILE), sums("c", "x", HOSTILE), facts=facts)
    text = shown(compare(Request(first, [second])))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert all(line.isprintable() for line in text.splitlines())
    if shown is as_markdown:
        assert "<script>" not in re.sub(r"(`+)[^`].*?\1", "", text)
        assert "\n# 9" not in text


def test_hostile_names_stay_on_the_line_of_a_failure() -> None:
    """A refusal and a failed gate are one line each."""
    first, second = run(sums("c" * 20, model=HOSTILE)), run(sums("d" * 20, model=HOSTILE), name=HOSTILE)
    (line,) = failures(compare(Request(first, [second])), Decimal(1))
    assert line.isprintable()
    assert refusal(first, run(sums("c", first=50), name=HOSTILE)).isprintable()


def test_repeats_make_no_interval_narrower() -> None:
    """Four pairs of the same question say no more than one: the interval is one over questions."""
    once = sums("cccccccdddd"), sums("cddddddcddd")
    again = [[record | {"repeat": repeat} for record in records for repeat in range(4)] for records in once]
    one, four = (compared(run(first), run(second))["rows"][0] for first, second in (once, again))
    assert (four["first"]["measured"], four["difference"]["points"]) == (44, one["difference"]["points"])
    widths = [row["difference"]["high"] - row["difference"]["low"] for row in (one, four)]
    assert widths[1] > 0.9 * widths[0]
    assert one["p"] == four["p"]
