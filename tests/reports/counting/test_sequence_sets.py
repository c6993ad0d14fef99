"""Scores of sets of sequences: what a summary says of programs, and how a terminal shows it."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.records import Result, RunSummary, convert
from pytest_llmarith.reports.tables.sequences import set_table
from pytest_llmarith.reports.tables.terminal import summary_section
from tests.runs_on_disk import counted, programmed

NUMBERS = count(100_000)
RUN = {"selected": 4, "models": [{"name": "m"}]}


def recorded(
    outcome: str,
    scores: tuple[float, float] | None,
    static: bool | None = None,
    llm: bool | None = None,
    level: str = "strict",
    number: str | None = None,
    terms: str = "",
) -> dict[str, Any]:
    """A record of the OEIS task, as far as a summary looks at it: of another sequence each time, unless it is named.

    `terms` are the first letters of their statuses.
    """
    statuses = {status[0]: status for status in ("ok", "wrong", "late", "crashed", "killed", "inconclusive")}
    judges = {
        "static": None if static is None else {"cheat": static, "evidence": []},
        "llm": None if llm is None else {"cheat": llm, "model": "judge", "replies": []},
    }
    at_limits = scores and {"0.5": scores[0], "4": scores[1]}
    number = number or f"A{next(NUMBERS):06}"
    return programmed(
        number,
        model="m",
        scores=at_limits,
        judges=judges,
        isolation={"level": level, "enforced": [], "remarks": []},
        terms=[
            {"n": place, "expected": "", "got": "", "status": statuses[letter], "seconds": place / 10}
            for place, letter in enumerate(terms)
        ],
    ) | {"outcome": outcome, "reason": "why" if outcome in ("nan", "unanswered") else None}


def summarized(*records: dict[str, Any]) -> dict[str, Any]:
    return counted(records, RUN)


def shown(summary: dict[str, Any], width: int) -> list[str]:
    return summary_section(convert(summary, RunSummary), width)


def sets_of(summary: dict[str, Any], width: int) -> list[str]:
    return set_table(convert(summary, RunSummary).results[0], width)


def table_of(result: dict[str, Any], width: int) -> list[str]:
    return set_table(convert(result, Result), width)


FOUR = (
    recorded("correct", (0.5, 1.0), static=False, llm=False),
    recorded("deviate", (0.25, 0.5), static=False, llm=True),
    recorded("cheat", (0.0, 0.0), static=True, llm=True),
    recorded("nan", (0.0, 0.0)),
)


def test_scores_by_limit() -> None:
    """The mean over sequences, cheats and missing programs at 0, and how many are perfect."""
    (one,) = summarized(*FOUR)["results"][0]["sets"]
    assert (one["set"], one["measured"], one["cheat"], one["cheating"]["percent"]) == ("starter", 4, 1, 25.0)
    short, long = one["limits"]
    assert (short["seconds"], short["score"]["percent"], short["perfect"]) == (0.5, 18.75, 0)
    assert (long["seconds"], long["score"]["percent"], long["perfect"]) == (4.0, 37.5, 1)
    assert long["score"]["low"] <= 37.5 <= long["score"]["high"]
    assert long["perfect_percentage"]["percent"] == 25.0


def test_the_order_of_arrival_changes_nothing() -> None:
    """Programs are scored as workers finish them: neither means nor intervals nor the order of keys show it."""
    scores = [number / 7 for number in range(8)]
    records = [recorded("deviate", (score, score), level="strict" if score < 0.5 else "standard") for score in scores]
    assert json.dumps(summarized(*records)) == json.dumps(summarized(*reversed(records)))


def test_a_sequence_that_is_asked_several_times_is_one() -> None:
    """Its score is the mean of its repeats, and it is perfect where all of them are."""
    scores = {"A000045": (1.0, 0.5), "A000108": (1.0, 1.0)}
    records = [
        recorded("deviate", (score, score), number=number) | {"repeat": repeat}
        for number, of_one in scores.items()
        for repeat, score in enumerate(of_one)
    ]
    short, _ = summarized(*records)["results"][0]["sets"][0]["limits"]
    assert (short["sequences"], short["score"]["percent"], short["perfect"]) == (2, 87.5, 1)


def test_what_nobody_judged_is_not_innocent() -> None:
    """Without a judge the share of cheats is unknown, not 0."""
    one = summarized(recorded("correct", (1.0, 1.0)))
    assert one["results"][0]["sets"][0]["cheating"] is None
    assert "starter: no program was judged" in table_of(one["results"][0], 100)


def test_every_limit_has_its_own_sequences() -> None:
    """Functions may have limits of their own: a share is of the sequences that were held to that limit."""
    short, long = recorded("correct", (1.0, 1.0)), recorded("correct", (1.0, 1.0))
    del short["oeis"]["scores"]["4"]
    lines = sets_of(summarized(short, long), 100)
    assert [line.split()[-5:-3] for line in lines[2:4]] == [["2", "100.0"], ["1", "100.0"]]
    assert " 50.0 " not in "".join(lines)


def test_no_sandbox_is_said() -> None:
    """Programs that ran with the rights of the user are named below the table."""
    lines = sets_of(summarized(recorded("correct", (1.0, 1.0), level="none")), 100)
    assert "starter: 1 programs ran without a sandbox, with the rights of this user" in lines


def test_unanswered_is_in_no_figure() -> None:
    """An outage, or a judge that failed, changes no score; its record may hold no scores."""
    without = summarized(*FOUR)["results"][0]["sets"][0]
    outage = recorded("unanswered", None) | {"oeis": None, "reply": None}
    judged = recorded("unanswered", None) | {"reply": None}
    with_both = summarized(*FOUR, outage, judged)["results"][0]["sets"][0]
    assert with_both == without | {"unanswered": 2}


def test_judges_side_by_side() -> None:
    """Where both have judged: how often they agree, and Cohen's kappa."""
    judges = summarized(*FOUR)["results"][0]["sets"][0]["judges"]
    assert {name: judges[name] for name in ("judged", "both", "only_static", "only_llm", "neither")} == {
        "judged": 3,
        "both": 1,
        "only_static": 0,
        "only_llm": 1,
        "neither": 1,
    }
    assert judges["kappa"] == pytest.approx(0.4)
    assert summarized(FOUR[3])["results"][0]["sets"][0]["judges"] is None


def test_the_curve() -> None:
    """Per limit the score of every sequence, the best first, lookup tables and missing programs at 0."""
    (one,) = summarized(*FOUR, recorded("deviate", (1 / 3, 2 / 3)))["results"][0]["sets"]
    assert one["curve"] == [
        {"seconds": 0.5, "scores": [0.5, 0.3333, 0.25, 0.0, 0.0]},
        {"seconds": 4.0, "scores": [1.0, 0.6667, 0.5, 0.0, 0.0]},
    ]


def test_terms_by_their_place() -> None:
    """Of programs that are no lookup tables; a term that nobody could time is in no figure."""
    records = [
        recorded("deviate", (0.5, 0.5), terms="owl"),
        recorded("deviate", (0.5, 0.5), terms="ooi"),
        recorded("cheat", (0.0, 0.0), terms="ooooo"),
        recorded("nan", (0.0, 0.0)),
    ]
    (one,) = summarized(*records)["results"][0]["sets"]
    assert one["by_term"] == [
        {"term": 1, "right": 2, "run": 2},
        {"term": 2, "right": 1, "run": 2},
        {"term": 3, "right": 0, "run": 1},
    ]
    assert one["term_statuses"] == {"ok": 3, "wrong": 1, "late": 1}
    assert one["term_seconds"] == {"median": 0.1, "p90": pytest.approx(0.16), "max": 0.2}


def test_terms_without_end() -> None:
    """Places are kept for the first hundred terms, times for all."""
    (one,) = summarized(recorded("correct", (1.0, 1.0), terms="o" * 300))["results"][0]["sets"]
    assert [place["term"] for place in one["by_term"]] == [*range(1, 101)]
    assert one["term_seconds"]["max"] == pytest.approx(29.9)


def test_unsolved_sequences() -> None:
    """Those without a single point at any limit, in order; one that another trial solved is none."""
    records = [
        recorded("nan", (0.0, 0.0), number="A000030"),
        recorded("cheat", (0.0, 0.0), number="A000010"),
        recorded("deviate", (0.0, 0.1), number="A000020"),
        recorded("deviate", (0.0, 0.0), number="A000040"),
        recorded("correct", (1.0, 1.0), number="A000040"),
        recorded("unanswered", None, number="A000050"),
    ]
    (one,) = summarized(*records)["results"][0]["sets"]
    assert (one["unsolved"], one["unsolved_count"]) == (["A000010", "A000030"], 2)


def test_unsolved_sequences_without_end() -> None:
    """Of 501 unsolved sequences 500 are named, and all are counted."""
    records = [recorded("nan", (0.0, 0.0), number=f"A{number:06}") for number in range(501)]
    (one,) = summarized(*records)["results"][0]["sets"]
    assert (len(one["unsolved"]), one["unsolved_count"]) == (500, 501)


def test_what_is_told_of_terms() -> None:
    """How many sequences nobody solved, where terms go wrong, and how long they take."""
    records = [recorded("nan", (0.0, 0.0), number=f"A{number:06}") for number in range(6)]
    records.append(recorded("deviate", (0.9, 0.9), number="A000045", terms="o" * 10 + "l"))
    told = "\n".join(sets_of(summarized(*records), 200))
    assert "starter: 6 of 7 unsolved: A000000, A000001, A000002, A000003, A000004, ..." in told
    assert "starter: terms right, by their place: 1st 1/1, 2nd 1/1, 5th 1/1, 10th 1/1" in told
    assert "starter: seconds per term: median 0.5, p90 0.9, longest 1.0" in told
    (correct,) = summarized(recorded("correct", (1.0, 1.0)))["results"]
    assert not any("unsolved" in line or "per term:" in line for line in table_of(correct, 200))


def test_what_no_model_solved() -> None:
    """Where several models were asked, the sequences of a set that all of them failed at."""
    asked = {"a": {"A000010": 0.0, "A000020": 0.0, "A000030": 1.0}, "b": {"A000010": 0.0, "A000020": 0.5}}
    records = [
        recorded("deviate", (score, score), number=number) | {"model": model}
        for model, scores in asked.items()
        for number, score in scores.items()
    ]
    assert shown(summarized(*records), 80)[-1] == "starter: unsolved by each of 2 models: 1 (A000010)"
    solved = recorded("correct", (1.0, 1.0), number="A000010") | {"model": "c"}
    assert shown(summarized(*records, solved), 80)[-1] == "starter: unsolved by each of 3 models: 0"
    assert "each of" not in "".join(shown(summarized(*records[:3]), 80))


def test_the_table() -> None:
    """A row per set and limit; below it the judges, and what the columns are."""
    lines = sets_of(summarized(*FOUR), 100)
    assert "  ".join(lines[0].split()) == "set  limit  sequences  score  %  95  %  perfect  %  95  %"
    assert lines[2].split()[:5] == ["starter", "0.5", "s", "4", "18.8"]
    assert lines[3].split()[:3] == ["4", "s", "4"]
    assert lines[4] == "starter: cheating 25.0 % (4.6-69.9)"
    assert any("agree on 2 of 3 programs, Cohen's kappa 0.40" in line for line in lines)


def test_nothing_measured() -> None:
    """A set whose programs nobody could judge has a row of dashes, and says why."""
    lines = sets_of(summarized(recorded("unanswered", None)), 100)
    assert lines[2].split() == ["starter", "-", "0", "-", "-", "-", "-"]
    assert lines[3] == "starter: 1 unanswered, in no figure"


@pytest.mark.parametrize("width", [80, 120])
def test_it_fits(width: int) -> None:
    """The section of a run is no wider than its terminal."""
    lines = shown(summarized(*FOUR), width)
    assert max(map(len, lines)) <= width
    assert any(line.startswith("m, oeis: scores by set and limit") for line in lines)


@given(st.text(min_size=1, max_size=60), st.integers(80, 160))
def test_hostile_names_are_harmless(name: str, width: int) -> None:
    """A set or a sequence may be called anything; every line is printable and fits."""
    record = recorded("nan", (0.0, 0.0), number=name)
    record["problem"]["set"] = name
    lines = sets_of(summarized(record), width)
    lines += shown(summarized(record, record | {"model": "other"}), width)[-1:]
    assert all(line.isprintable() for line in lines)
    assert max(map(len, lines[2:])) <= width
