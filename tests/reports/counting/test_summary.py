"""The summary: what a naive count of the records would say, and nothing that nobody knows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from statistics import median, quantiles
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.records import as_dict
from pytest_llmarith.reports.counting.tallies import Reasons
from pytest_llmarith.reports.jsonfiles import encode
from pytest_llmarith.reports.percents import overall_percentage
from pytest_llmarith.results.statistics import Cell
from tests.runs_on_disk import counted

Make = Callable[..., dict[str, Any]]

TRIALS = st.lists(
    st.fixed_dictionaries(
        {
            "model": st.sampled_from(["o4-mini", "gpt-4o"]),
            "variant": st.sampled_from(["int_add", "int_mul", "float_div"]),
            "depth": st.integers(2, 4),
            "outcome": st.sampled_from(["correct", "deviate", "nan", "cheat", "unanswered"]),
            "cost": st.none() | st.integers(0, 10**6).map(lambda millionths: millionths / 10**6),
            "tokens": st.none() | st.integers(0, 10**5),
            "seconds": st.none() | st.floats(0, 600),
            "absolute": st.integers(1, 10**40).map(str),
            "relative": st.none() | st.integers(1, 99).map(lambda digits: f"{digits}e-05"),
            "leading": st.integers(0, 40),
            "stored": st.booleans(),
        }
    ),
    max_size=40,
)


@pytest.fixture(scope="session")
def record_of(make_record: Make, make_reply: Make) -> Make:
    """Makes the record of a drawn trial."""

    def record(trial: dict[str, Any]) -> dict[str, Any]:
        problem = {"variant": trial["variant"], "depth": trial["depth"]}
        made = make_record(trial["outcome"], model=trial["model"], problem=problem)
        if made["reply"]:
            replied = {"cost_usd": trial["cost"], "prompt_tokens": trial["tokens"], "latency_s": trial["seconds"]}
            made["reply"] = make_reply(**replied, stored=trial["stored"])
        if trial["outcome"] == "deviate":
            errors = {"absolute_error": trial["absolute"], "relative_error": trial["relative"]}
            made["grade"] |= errors | {"leading_digits": trial["leading"]}
        return made

    return record


def summed(*records: dict[str, Any], **run: Any) -> dict[str, Any]:
    return counted(records, run)


def only_result(*records: dict[str, Any], **run: Any) -> dict[str, Any]:
    (result,) = summed(*records, **run)["results"]
    return dict(result)


@given(TRIALS)
def test_counts_are_those_of_a_recount(record_of: Make, trials: list[dict[str, Any]]) -> None:
    """Outcomes, cells, sums and medians are what counting the records one by one gives."""
    results = summed(*map(record_of, trials))["results"]
    assert {result["model"] for result in results} == {trial["model"] for trial in trials}
    for result in results:
        mine = [trial for trial in trials if trial["model"] == result["model"]]
        replied = [trial for trial in mine if trial["outcome"] != "unanswered"]
        outcomes = Counter(trial["outcome"] for trial in mine)
        assert {outcome: count for outcome, count in result["outcomes"].items() if count} == outcomes
        assert result["measured"] == len(replied)
        assert result["stored"] == sum(trial["stored"] for trial in replied)
        _check_replies(result, replied)
        _check_spending(result, replied)
        _check_errors(result, [trial for trial in mine if trial["outcome"] == "deviate"])
        _check_places(result, mine)
        cells = Counter((trial["variant"], trial["depth"], trial["outcome"]) for trial in mine)
        for cell in result["cells"]:
            for outcome in result["outcomes"]:
                assert cell[outcome] == cells.pop((cell["variant"], cell["depth"], outcome), 0)
        assert not cells


def _check_replies(result: dict[str, Any], replied: list[dict[str, Any]]) -> None:
    costs = [Fraction(str(trial["cost"])) for trial in replied if trial["cost"] is not None]
    assert result["cost_usd"] == (float(sum(costs)) if costs else None)
    assert result["unpriced"] == len(replied) - len(costs)
    tokens = [trial["tokens"] for trial in replied if trial["tokens"] is not None]
    assert result["tokens"]["prompt"] == (sum(tokens) if tokens else None)
    seconds = [trial["seconds"] for trial in replied if trial["seconds"] is not None]
    assert result["median_latency_s"] == (median(seconds) if seconds else None)


def _check_spending(result: dict[str, Any], replied: list[dict[str, Any]]) -> None:
    for kind, name in (("cost_usd", "cost"), ("prompt_tokens", "tokens"), ("latency_s", "seconds")):
        amounts = [trial[name] for trial in replied if trial[name] is not None]
        spent = result["spending"][kind]
        if not amounts:
            assert spent is None
            continue
        assert spent["sum"] == float(sum(Fraction(str(amount)) for amount in amounts))
        assert (spent["known"], spent["median"]) == (len(amounts), median(amounts))
        tenths = quantiles(amounts, n=10, method="inclusive") if len(amounts) > 1 else amounts
        assert spent["p90"] == pytest.approx(tenths[-1])


def _check_places(result: dict[str, Any], trials: list[dict[str, Any]]) -> None:
    """A variant or a cell holds what a result of its records alone would hold."""
    for place in result["variants"] + result["cells"]:
        mine = [
            trial
            for trial in trials
            if trial["variant"] == place["variant"] and place.get("depth") in (None, trial["depth"])
        ]
        correct = sum(trial["outcome"] == "correct" for trial in mine)
        measured = sum(trial["outcome"] != "unanswered" for trial in mine)
        assert (place["correct"], place["measured"]) == (correct, measured)
        depths = Counter((trial["depth"], kind) for trial in mine for kind in (trial["outcome"], "asked"))
        cells = [
            Cell(depths[depth, "correct"], depths[depth, "asked"] - depths[depth, "unanswered"], depths[depth, "asked"])
            for depth in {trial["depth"] for trial in mine}
        ]
        share = overall_percentage(cells)
        assert place["correct_percentage"] == (share and as_dict(share))
        _check_spending(place, [trial for trial in mine if trial["outcome"] != "unanswered"])
        _check_error_sizes(place["error_sizes"], [trial for trial in mine if trial["outcome"] == "deviate"])


def _check_error_sizes(sizes: dict[str, Any], deviates: list[dict[str, Any]]) -> None:
    relative = [Decimal(trial["relative"]) for trial in deviates if trial["relative"] is not None]
    for one in sizes["log10_bins"]:
        within = [error for error in relative if Decimal(10) ** one["from"] <= error < Decimal(10) ** one["to"]]
        assert one["count"] == len(within)
    assert sum(one["count"] for one in sizes["log10_bins"]) == len(relative)
    leading = [trial["leading"] for trial in deviates]
    assert sizes["median_leading_digits"] == (median(leading) if leading else None)


def _check_errors(result: dict[str, Any], deviates: list[dict[str, Any]]) -> None:
    _check_error_sizes(result["error_sizes"], deviates)
    relative = [Decimal(trial["relative"]) for trial in deviates if trial["relative"] is not None]
    shown = result["median_relative_error"]
    assert result["error_sizes"]["median_relative_error"] == shown
    assert (shown and Decimal(shown)) == (median(relative) if relative else None)
    absolute = [int(trial["absolute"]) for trial in deviates]
    if absolute:
        average = Fraction(sum(absolute), len(absolute))
        assert abs(Fraction(result["average_absolute_error"]) / average - 1) <= Fraction(1, 10**5)
    else:
        assert result["average_absolute_error"] is None


@given(TRIALS)
def test_the_order_of_arrival_changes_nothing(record_of: Make, trials: list[dict[str, Any]]) -> None:
    """Records arrive as workers finish; the summary does not show it."""
    models = [{"name": "gpt-4o"}, {"name": "o4-mini"}]
    records = [record_of(trial) for trial in trials]
    assert summed(*records, models=models) == summed(*reversed(records), models=models)


@given(TRIALS)
def test_a_summary_is_json_plain(record_of: Make, trials: list[dict[str, Any]]) -> None:
    """A summary that is written and read again is what was in memory."""
    summary = summed(*map(record_of, trials), id="run")
    assert json.loads(encode(summary)) == summary


def test_percentages_are_of_measured_trials(make_record: Make) -> None:
    """An unanswered trial is in no percentage: 1 of 2 measured is 50 %, whatever else failed."""
    records = [make_record(outcome) for outcome in ("correct", "deviate", "unanswered", "unanswered")]
    assert only_result(*records)["percentages"]["correct"] == {"percent": 50.0, "low": 9.4531, "high": 90.5469}


def test_cells_have_the_weight_of_their_questions(make_record: Make) -> None:
    """Of a model that is right at depth 2 and wrong at depth 9, lost replies at depth 9 take no weight from it."""

    def percentages(lost: int) -> Any:
        cells = [*[(2, "correct")] * 9, (2, "deviate"), *[(9, "deviate")] * (9 - lost), (9, "correct")]
        cells += [(9, "unanswered")] * lost
        records = [make_record(outcome, problem={"variant": "int_mul", "depth": depth}) for depth, outcome in cells]
        return only_result(*records)["percentages"]

    whole, half, one_left = percentages(0), percentages(5), percentages(9)
    assert whole["correct"]["percent"] == 50
    assert half["correct"]["percent"] == pytest.approx(100 * (9 / 10 + 1 / 5) / 2)
    assert one_left["correct"]["percent"] == pytest.approx(100 * (9 / 10 + 1) / 2)
    for one in (whole, half, one_left):
        assert sum(one[outcome]["percent"] for outcome in one) == pytest.approx(100)


def test_a_cell_without_a_reply_leaves_bounds(make_record: Make) -> None:
    """No overall percentage, but what it lies between; also of the variant. A task without cells has none of this."""
    records = [
        make_record(outcome, problem={"variant": "int_mul", "depth": depth})
        for depth, outcome in ((2, "correct"), (2, "correct"), (2, "deviate"), (9, "unanswered"))
    ]
    result = only_result(*records)
    assert result["percentages"]["correct"] == {"percent": None, "low": 50, "high": 75}
    assert result["percentages"]["deviate"] == {"percent": None, "low": 25, "high": 50}
    assert result["variants"][0]["correct_percentage"] == {"percent": None, "low": 50, "high": 75}
    sums = [
        make_record(outcome, task="integer_addition", problem={"int1": "1" * length, "int2": "2"})
        for length, outcome in ((2, "correct"), (3, "deviate"), (4, "unanswered"))
    ]
    assert only_result(*sums)["percentages"]["correct"]["percent"] == 50


def test_nothing_measured_has_no_percentages(make_record: Make) -> None:
    """Where everything is unanswered, no percentage stands, not even 0."""
    result = only_result(make_record("unanswered"))
    assert set(result["percentages"].values()) == {None}
    assert result["cost_usd"] is result["median_latency_s"] is result["median_relative_error"] is None
    assert result["tokens"] == {"prompt": None, "completion": None, "reasoning": None}


def test_a_known_zero_is_a_zero(make_record: Make, make_reply: Make) -> None:
    """A free model costs 0, which is something else than unknown."""
    result = only_result(make_record(reply=make_reply(cost_usd=0.0, reasoning_tokens=0)))
    assert (result["cost_usd"], result["unpriced"], result["tokens"]["reasoning"]) == (0.0, 0, 0)


def test_unpriced_replies_are_counted_beside_the_cost(make_record: Make, make_reply: Make) -> None:
    """The sum is of known prices; how many are unknown stands beside it."""
    result = only_result(make_record(), make_record(reply=make_reply(cost_usd=None)))
    assert (result["cost_usd"], result["unpriced"]) == (0.00004, 1)


def test_cents_add_up(make_record: Make, make_reply: Make) -> None:
    """Ten times ten cents is a dollar; adding floats would make it less."""
    assert only_result(*[make_record(reply=make_reply(cost_usd=0.1))] * 10)["cost_usd"] == 1.0


@pytest.mark.parametrize(
    ("outcomes", "selected", "complete"),
    [
        (["correct", "nan"], 2, True),
        (["correct", "nan"], 3, False),
        (["correct", "unanswered"], 2, False),
        (["correct", "unanswered"], 1, False),
        ([], 0, True),
        (["correct"], None, False),
    ],
)
def test_complete_is_all_selected_answered(
    make_record: Make, outcomes: list[str], selected: int | None, complete: bool
) -> None:
    """A run is complete where everything that was selected has a reply."""
    summary = summed(*map(make_record, outcomes), selected=selected)
    assert summary["complete"] is complete
    assert summary["unanswered"] == outcomes.count("unanswered")


def test_results_stand_in_the_order_of_the_run(make_record: Make) -> None:
    """Models as they were asked for, tasks by name; a model of the user's own comes last."""
    problems: dict[str, dict[str, Any]] = {"words": {"given": {}}, "arithmetic": {}}
    records = [
        make_record(model=model, task=task, problem=problem)
        for model in ("own", "b", "a")
        for task, problem in problems.items()
    ]
    results = summed(*records, models=[{"name": "a"}, {"name": "b"}, {"name": "unused"}])["results"]
    order = [(result["model"], result["task"]) for result in results]
    assert order == [(model, task) for model in ("a", "b", "own") for task in ("arithmetic", "words")]


def test_variants_and_depths_stand_in_their_own_order(make_record: Make) -> None:
    """Variants as the task has them, unknown ones last; depth 10 after depth 9."""
    places = [("new", 2), ("float_add", 2), ("int_div", 10), ("int_div", 9), ("int_add", 2)]
    records = [make_record(problem={"variant": variant, "depth": depth}) for variant, depth in places]
    cells = [(cell["variant"], cell["depth"]) for cell in only_result(*records)["cells"]]
    assert cells == [("int_add", 2), ("int_div", 9), ("int_div", 10), ("float_add", 2), ("new", 2)]


def test_lengths_go_by_the_longer_operand(make_record: Make, make_reply: Make) -> None:
    """A sum is as long as its longer operand, with the median of its seconds."""
    problems = [("12", "123"), ("999", "1"), ("5", "5")]
    records = [
        make_record(task="integer_addition", problem={"int1": int1, "int2": int2}, reply=make_reply(latency_s=second))
        for second, (int1, int2) in enumerate(problems)
    ]
    lengths = only_result(*records)["lengths"]
    assert [(length["digits"], length["correct"], length["median_latency_s"]) for length in lengths] == [
        (1, 1, 2.0),
        (3, 2, 0.5),
    ]


def test_reasons_are_counted(make_record: Make) -> None:
    """Why there is no answer stands with its count, the most frequent first."""
    records = [make_record("nan", reason=reason) for reason in ("empty", "truncated", "truncated")]
    records += [make_record("unanswered", reason="no reply within 600 s")]
    result = only_result(*records)
    assert list(result["nan_reasons"].items()) == [("truncated", 2), ("empty", 1)]
    assert result["unanswered_reasons"] == {"no reply within 600 s": 1}


def test_reasons_are_not_kept_without_end(make_record: Make) -> None:
    """Ten thousand different messages of a megabyte do not make a summary of ten gigabytes."""
    records = (make_record("unanswered", reason=f"{number} {'x' * 10_000}") for number in range(200))
    reasons = only_result(*records)["unanswered_reasons"]
    assert len(reasons) == Reasons.MOST + 1
    assert reasons[Reasons.OTHERS] == 200 - Reasons.MOST
    assert max(map(len, reasons)) == Reasons.LONGEST


def test_errors_of_any_size_are_averaged(make_record: Make) -> None:
    """An answer of a million digits neither overflows nor takes long."""
    wrong = make_record("deviate")["grade"]
    huge = {"absolute_error": "9" * 1_000_000, "relative_error": "1e+999999", "rounded": True}
    result = only_result(make_record("deviate"), make_record("deviate", grade=wrong | huge))
    assert result["average_absolute_error"] == "5e+999999"
    assert result["median_relative_error"] == "5e+999998"
    assert result["rounded"] == 1


@pytest.mark.parametrize(
    ("relative", "bins"),
    [
        (["1.2e-05"], [(-5, -4, 1)]),
        (["0.00001", "9.9e-05", "0.0001"], [(-5, -4, 2), (-4, -3, 1)]),
        (["0.5", "1", "9.99", "0.001"], [(-3, -2, 1), (-2, -1, 0), (-1, 0, 1), (0, 1, 2)]),
        (["1e-13", "3e-99"], [(None, -12, 2)]),
        (["1e-12", "1e-13"], [(None, -12, 1), (-12, -11, 1)]),
        (["10000", "1e+999999"], [(4, None, 2)]),
        ([], []),
    ],
)
def test_errors_by_power_of_ten(
    make_record: Make, relative: list[str], bins: list[tuple[int | None, int | None, int]]
) -> None:
    """A bin holds its lower end; at both ends of the scale a bin is open, and between bins there is no gap."""
    wrong = make_record("deviate")["grade"]
    records = [make_record("deviate", grade=wrong | {"relative_error": text}) for text in relative]
    result = only_result(*records, make_record())
    assert [(one["from"], one["to"], one["count"]) for one in result["error_sizes"]["log10_bins"]] == bins


def test_variants_have_a_reliable_depth(make_record: Make) -> None:
    """Depths are pooled per variant; one without enough trials says what it needs."""
    records = [
        make_record(problem={"variant": variant, "depth": depth})
        for variant, trials in (("int_add", 20), ("int_div", 5))
        for depth in (2, 3)
        for _ in range(trials)
    ]
    variants = only_result(*records, make_record("unanswered", problem={"variant": "int_sub", "depth": 2}))["variants"]
    assert [(one["variant"], one["measured"], one["reliable_depth"]) for one in variants] == [
        ("int_add", 40, {"depth": 3, "observed": 3, "needs": None, "at_most": None}),
        ("int_sub", 0, {"depth": None, "observed": None, "needs": 35, "at_most": None}),
        ("int_div", 10, {"depth": None, "observed": 3, "needs": 35, "at_most": None}),
    ]
    assert variants[0]["percentages"]["correct"] == variants[0]["correct_percentage"]
    assert variants[1]["correct_percentage"] is None


def test_a_truth_of_zero_has_no_relative_error(make_record: Make) -> None:
    """What has no relative error is left out of its median."""
    grade = make_record("deviate")["grade"] | {"absolute_error": "3", "relative_error": None}
    result = only_result(make_record("deviate", grade=grade))
    assert (result["median_relative_error"], result["average_absolute_error"]) == (None, "3")


def test_the_date_is_the_run_s(make_record: Make) -> None:
    """A result is dated by the start of its run; a run without one has no date."""
    assert only_result(make_record(), started_at="2026-11-22T00:31:05+00:00")["date"] == "2026-11-22"
    assert only_result(make_record(), started_at=None)["date"] is None
