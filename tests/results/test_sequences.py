"""Scores of sets of sequences."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from tests.runs_on_disk import counted, programmed

NUMBERS = count(100_000)


def recorded(
    outcome: str,
    scores: tuple[float, float] | None,
    static: bool | None = None,
    llm: bool | None = None,
    number: str | None = None,
    terms: str = "",
    level: str = "strict",
    **named: Any,
) -> dict[str, Any]:
    """The record of a program for another sequence each time; `terms` are the first
    letters of their statuses.
    """
    statuses = {
        status[0]: status
        for status in ("ok", "wrong", "late", "crashed", "killed", "inconclusive")
    }
    judges = {
        "static": None if static is None else {"cheat": static, "evidence": []},
        "llm": None if llm is None else {"cheat": llm, "model": "judge", "replies": []},
    }
    made = programmed(
        number or f"A{next(NUMBERS):06}",
        scores=scores and {"0.5": scores[0], "4": scores[1]},
        judges=judges,
        isolation={"level": level, "enforced": [], "remarks": []},
        terms=[
            {
                "n": place,
                "expected": "",
                "got": "",
                "status": statuses[letter],
                "seconds": place / 10,
            }
            for place, letter in enumerate(terms)
        ],
    )
    reply = None if outcome == "unanswered" else made["reply"]
    grade = made["grade"] | {
        "score": scores
        and (scores[1] if outcome == "deviate" else float(outcome == "correct"))
    }
    return (
        made
        | {"outcome": outcome, "reason": "why", "reply": reply, "grade": grade}
        | named
    )


def the_set(*records: dict[str, Any]) -> dict[str, Any]:
    (result,) = counted(records)["results"]
    (one,) = result["variants"]
    return {**one, **one["programs"]}


FOUR = (
    recorded("correct", (0.5, 1.0), static=False, llm=False),
    recorded("deviate", (0.25, 0.5), static=False, llm=True),
    recorded("cheat", (0.0, 0.0), static=True, llm=True),
    recorded("nan", (0.0, 0.0)),
)


def test_scores_by_limit() -> None:
    """The mean over sequences, cheats and missing programs at 0, how many are perfect,
    and the score of each.
    """
    one = the_set(*FOUR)
    assert (
        one["variant"],
        one["measured"],
        one["cheat"],
        one["cheating"]["percent"],
    ) == ("starter", 4, 1, 25.0)
    short, long = one["scores"]
    assert (short["name"], short["mean"]["percent"], short["perfect"]) == (
        "0.5",
        18.75,
        0,
    )
    assert (long["name"], long["mean"]["percent"], long["perfect"]) == ("4", 37.5, 1)
    assert (long["mean"]["low"], long["mean"]["high"]) == (None, None), (
        "four sequences are too few"
    )
    more = [recorded("deviate", (part / 10, part / 10)) for part in range(6)]
    ten = the_set(*FOUR, *more)["scores"][1]["mean"]
    assert ten["low"] < ten["percent"] < ten["high"]
    assert long["perfect_percentage"]["percent"] == 25.0
    assert the_set(*FOUR, recorded("deviate", (1 / 3, 2 / 3)))["scores"][0][
        "curve"
    ] == [0.5, 0.3333, 0.25, 0, 0]


def test_a_sequence_that_is_asked_several_times_is_one() -> None:
    """Its score is the mean of its repeats, and it is perfect if all of them are."""
    scores = {"A000045": (1.0, 0.5), "A000108": (1.0, 1.0)}
    records = [
        recorded(
            "correct" if score == 1 else "deviate",
            (score, score),
            number=number,
            repeat=repeat,
        )
        for number, of_one in scores.items()
        for repeat, score in enumerate(of_one)
    ]
    short, _ = the_set(*records)["scores"]
    assert (short["problems"], short["mean"]["percent"], short["perfect"]) == (
        2,
        87.5,
        1,
    )


def test_unanswered_is_in_no_figure() -> None:
    """Neither an outage nor a judge that failed."""
    outage = recorded("unanswered", None) | {"grade": None}
    assert the_set(*FOUR, outage, recorded("unanswered", None)) == the_set(*FOUR) | {
        "unanswered": 2
    }


def test_judges() -> None:
    """How often both agree, with Cohen's kappa.

    Without a judge the share of lookup tables is unknown, not 0.
    """
    found = the_set(*FOUR)["judges"]
    counts = [
        found[name] for name in ("judged", "both", "only_static", "only_llm", "neither")
    ]
    assert (counts, found["kappa"]) == ([3, 1, 0, 1, 1], pytest.approx(0.4))
    assert the_set(recorded("correct", (1.0, 1.0), static=False))["judges"] is None
    assert the_set(recorded("correct", (1.0, 1.0)))["cheating"] is None


def test_terms_by_their_place() -> None:
    """Of programs that are no lookup tables; a term that could not be timed is in no
    figure.
    """
    one = the_set(
        recorded("deviate", (0.5, 0.5), terms="owl"),
        recorded("deviate", (0.5, 0.5), terms="ooi"),
        recorded("cheat", (0.0, 0.0), terms="ooooo"),
        recorded("nan", (0.0, 0.0)),
    )
    assert [(term["term"], term["right"], term["run"]) for term in one["by_term"]] == [
        (1, 2, 2),
        (2, 1, 2),
        (3, 0, 1),
    ]
    assert one["term_statuses"] == {"ok": 3, "wrong": 1, "late": 1}
    assert one["term_seconds"] == {
        "median": 0.1,
        "p90": pytest.approx(0.16),
        "max": 0.2,
    }
    many = the_set(recorded("correct", (1.0, 1.0), terms="o" * 300))
    assert (len(many["by_term"]), many["term_seconds"]["max"]) == (
        100,
        pytest.approx(29.9),
    )


def test_unsolved_sequences() -> None:
    """Those without a right term at any limit, in order; one that another trial solved
    is none.
    """
    one = the_set(
        recorded("nan", (0.0, 0.0), number="A000030"),
        recorded("cheat", (0.0, 0.0), number="A000010"),
        recorded("deviate", (0.0, 0.1), number="A000020"),
        recorded("deviate", (0.0, 0.0), number="A000040"),
        recorded("correct", (1.0, 1.0), number="A000040"),
        recorded("unanswered", None, number="A000050"),
    )
    assert (one["unsolved"], one["unsolved_count"]) == (["A000010", "A000030"], 2)
    many = the_set(*(recorded("nan", (0.0, 0.0)) for _ in range(501)))
    assert (len(many["unsolved"]), many["unsolved_count"]) == (500, 501)
