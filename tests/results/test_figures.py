"""Figures that are worked out by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pytest_llmarith.figures.estimates import Leaf, Result
from pytest_llmarith.figures.shares import percentage_of_clusters, share
from pytest_llmarith.statistics.proportions import Cluster
from tests.runs_on_disk import added, asked, record_of, searched, summed_up


def result_of(*records: dict[str, Any]) -> Result:
    """The only result of these records."""
    (result,) = summed_up(records).results
    return result


def test_tokens_a_second_with_the_interval_of_a_ratio() -> None:
    """Three replies of 2 s each: 60 tokens in 6 s; the residuals are -10, 0 and 10,
    their mean has the error 10 / sqrt(3), and t for two degrees of freedom is 4.303.
    """
    found = result_of(
        *(
            added("{}", trial, completion_tokens=tokens, latency_s=2.0)
            for trial, tokens in enumerate((10, 20, 30))
        )
    ).get("tokens_a_second")
    assert found is not None
    assert (found.value, found.n, found.low) == (10, 3, 0)
    assert found.high == pytest.approx(10 + 4.30265 * 10 / 3**0.5 * 3 / 6, abs=1e-3)


@pytest.mark.parametrize("seconds", [0.0, 5e-324, 1e-9])
def test_a_reply_in_no_time_has_no_speed(seconds: float) -> None:
    replies = (added("{}", trial, latency_s=seconds) for trial in range(2))
    found = result_of(*replies, added("{}", 2, completion_tokens=9, latency_s=3.0))
    speed = found.get("tokens_a_second")
    assert speed is not None
    assert (speed.value, speed.n) == (3, 1)


def test_a_stored_reply_is_not_asked() -> None:
    found = result_of(added("{}"), added("{}", 1, stored=True))
    counts = {key: found.count(key) for key in ("replies", "stored", "asked")}
    assert counts == {"replies": 2, "stored": 1, "asked": 1}


def test_only_a_reply_of_digits_is_a_bare_number() -> None:
    found = result_of(added("{}"), added("The answer is {}.", 1)).get("bare_number")
    assert found is not None
    assert (found.value, found.n) == (50, 2)


def test_the_most_frequent_reason_comes_first() -> None:
    texts = ("", "No number.", "No number here.")
    found = result_of(*(asked(text, trial=place) for place, text in enumerate(texts)))
    counts = [figure.value for figure in found.all("nan_reason").values()]
    assert counts == [2, 1]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)])
def test_the_first_wrong_answer_is_that_of_the_lowest_trial(
    order: tuple[int, ...],
) -> None:
    found = result_of(*(asked("7", depth=2, trial=trial) for trial in order))
    (wrong,) = found.examples("first_wrong")
    assert wrong.question == record_of(asked("7", depth=2)).problem.short


def test_d50_of_adaptive_asking_counts_the_right_answers() -> None:
    """At depth 3 more than half of the replies are right, at depth 4 fewer."""
    right = {2: 6, 3: 5, 4: 1, 5: 0}
    trail = [
        {
            "question": "6 * 7",
            "before": one,
            "outcome": "correct" if one < correct else "deviate",
            "reply": None,
            "depth": depth,
        }
        for depth, correct in right.items()
        for one in range(6)
    ]
    found = result_of(searched(trail=trail, depths=[2, 3, 4, 5], ended="reached")).get(
        "adaptive_d50", "int_mul"
    )
    assert found is not None
    assert found.value is not None
    assert 3 < found.value < 4  # type: ignore[operator]


def test_repeats_are_clustered_in_a_share_of_a_task() -> None:
    """Two problems, each asked three times: six trials, but two clusters."""
    measure = share("short", "short %", "short replies", lambda values: values["short"])
    counter = measure.counter()
    for problem, is_short in ((1, 1), (1, 1), (1, 0), (2, 0), (2, 0), (2, 0)):
        trial: Any = SimpleNamespace(details={"short": is_short}, problem=problem)
        counter.add(trial)
    (found,) = measure.figures([Leaf("", None, counter)])
    assert found.method == "clustered"
    assert found == percentage_of_clusters([Cluster(2, 3), Cluster(0, 3)])


def test_scores_of_0_and_1_have_the_interval_of_a_share() -> None:
    graded = (
        asked("{}" if score else "1", trial=trial)
        | {"task": "mine", "reading": None}
        | {"grade": {"score": score, "scores": {"length": score}}}
        for trial, score in enumerate((1.0, 0.0, 1.0))
    )
    found = result_of(*graded).get("score", "length")
    assert found is not None
    assert (found.value, found.method) == (66.6667, "wilson")


def test_models_with_few_common_questions_are_not_compared() -> None:
    one = [added("{}", trial) for trial in range(10)]
    other = [added("{}", trial, model="gpt-4.1") for trial in range(7, 17)]
    assert summed_up([*one, *other]).differences == []
    common = [added("{}", trial, model="gpt-4.1") for trial in range(5, 15)]
    (found,) = summed_up([*one, *common]).differences
    assert found.questions == 5


def test_a_question_in_two_conditions_is_one() -> None:
    """Right and then wrong beside right twice."""
    trials = [
        added(text, model=model) | {"condition": {"context": context}}
        for model, texts in (("o4-mini", ("{}", "1")), ("gpt-4.1", ("{}", "{}")))
        for context, text in zip(("none", "2k"), texts, strict=True)
    ]
    found, *_ = summed_up(trials).contrasts("model")
    assert found.questions == 1
    assert (found.value("correct_beside"), found.value("correct")) == (1, 2)
