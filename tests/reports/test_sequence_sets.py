"""Scores of sets of sequences: what a summary says of programs, and how a terminal shows it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_llmarith.reports.sequence_tables import set_table
from pytest_llmarith.reports.summary import Summary, without_cells
from pytest_llmarith.reports.terminal import summary_section

RUN = {"selected": 4, "models": [{"name": "m"}]}


def recorded(
    outcome: str,
    scores: tuple[float, float] | None,
    static: bool | None = None,
    llm: bool | None = None,
    level: str = "strict",
) -> dict[str, Any]:
    """A record of the OEIS task, as far as a summary looks at it."""
    judges = {
        "static": None if static is None else {"cheat": static, "evidence": []},
        "llm": None if llm is None else {"cheat": llm, "model": "judge", "replies": []},
    }
    at_limits = scores and {"0.5": scores[0], "4": scores[1]}
    return {
        "model": "m",
        "task": "oeis",
        "simulated": False,
        "outcome": outcome,
        "reason": "why" if outcome in ("nan", "unanswered") else None,
        "problem": {"set": "starter", "number": "A000045"},
        "grade": None,
        "reply": None,
        "oeis": {"scores": at_limits, "judges": judges, "isolation": {"level": level}},
    }


def summarized(*records: dict[str, Any]) -> dict[str, Any]:
    summary = Summary()
    for record in records:
        summary.add(record)
    return summary.as_dict(RUN)


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


def test_what_nobody_judged_is_not_innocent() -> None:
    """Without a judge the share of cheats is unknown, not 0."""
    one = summarized(recorded("correct", (1.0, 1.0)))
    assert one["results"][0]["sets"][0]["cheating"] is None
    assert "starter: no program was judged" in set_table(one["results"][0], 100)


def test_every_limit_has_its_own_sequences() -> None:
    """Functions may have limits of their own: a share is of the sequences that were held to that limit."""
    short, long = recorded("correct", (1.0, 1.0)), recorded("correct", (1.0, 1.0))
    del short["oeis"]["scores"]["4"]
    lines = set_table(summarized(short, long)["results"][0], 100)
    assert [line.split()[-5:-3] for line in lines[2:4]] == [["2", "100.0"], ["1", "100.0"]]
    assert " 50.0 " not in "".join(lines)


def test_no_sandbox_is_said() -> None:
    """Programs that ran with the rights of the user are named below the table."""
    lines = set_table(summarized(recorded("correct", (1.0, 1.0), level="none"))["results"][0], 100)
    assert "starter: 1 programs ran without a sandbox, with the rights of this user" in lines


def test_unanswered_is_in_no_figure() -> None:
    """An outage, or a judge that failed, changes no score; its record may hold no scores."""
    without = summarized(*FOUR)["results"][0]["sets"][0]
    outage = recorded("unanswered", None) | {"oeis": None}
    judged = recorded("unanswered", None)
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


def test_the_table() -> None:
    """A row per set and limit; below it the judges, and what the columns are."""
    lines = set_table(summarized(*FOUR)["results"][0], 100)
    assert "  ".join(lines[0].split()) == "set  limit  sequences  score  %  95  %  perfect  %  95  %"
    assert lines[2].split()[:5] == ["starter", "0.5", "s", "4", "18.8"]
    assert lines[3].split()[:3] == ["4", "s", "4"]
    assert lines[4] == "starter: cheating 25.0 % (4.6-69.9)"
    assert any("agree on 2 of 3 programs, Cohen's kappa 0.40" in line for line in lines)


def test_nothing_measured() -> None:
    """A set whose programs nobody could judge has a row of dashes, and says why."""
    lines = set_table(summarized(recorded("unanswered", None))["results"][0], 100)
    assert lines[2].split() == ["starter", "-", "0", "-", "-", "-", "-"]
    assert lines[3] == "starter: 1 unanswered, in no figure"


@pytest.mark.parametrize("width", [80, 120])
def test_it_fits(width: int) -> None:
    """The section of a run fits a terminal."""
    lines = summary_section(summarized(*FOUR) | {"run": RUN}, width)
    assert max(map(len, lines)) <= width
    assert any(line.startswith("m, oeis: scores by set and limit") for line in lines)


def test_the_aggregate_keeps_sets() -> None:
    """The one line of a run that stays has its scores."""
    assert without_cells(summarized(*FOUR))["results"][0]["sets"][0]["limits"][1]["perfect"] == 1
