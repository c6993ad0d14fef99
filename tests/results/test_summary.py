"""The summary of a run is what counting its records one by one gives; what is unknown
is null.
"""

from __future__ import annotations

import json
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from statistics import median, quantiles
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.figures.replies import LONGEST_REASON, MOST_REASONS, OTHER_REASONS
from pytest_llmarith.figures.shares import percentage_of_cells
from pytest_llmarith.records import RecordedGrade
from pytest_llmarith.results.run_files import encode
from pytest_llmarith.results.summary import Summary
from pytest_llmarith.statistics.proportions import Cell
from pytest_llmarith.summaries import unknown_run
from pytest_llmarith.tasks import addition
from pytest_llmarith.types import Condition, Dtype, NumberFormat, Op
from tests.results.made import problem, record, said
from tests.runs_on_disk import added, asked, counted

TEXTS = {"c": "{}", "d": "7", "n": "", "u": None}
Trial = dict[str, Any]
TRIALS = st.lists(
    st.fixed_dictionaries(
        {
            "model": st.sampled_from(["o4-mini", "gpt-4o"]),
            "op": st.sampled_from([Op.ADD, Op.MUL]),
            "depth": st.integers(2, 4),
            "outcome": st.sampled_from(
                ["correct", "deviate", "nan", "cheat", "unanswered"]
            ),
            "cost_usd": st.none()
            | st.integers(0, 10**6).map(lambda millionths: millionths / 10**6),
            "prompt_tokens": st.none() | st.integers(0, 10**5),
            "latency_s": st.none() | st.floats(0, 600),
            "absolute_error": st.integers(1, 10**40).map(str),
            "relative_error": st.none()
            | st.integers(1, 99).map(lambda digits: f"{digits}e-05"),
            "leading_digits": st.integers(0, 40),
            "stored": st.booleans(),
            "batched": st.booleans(),
        }
    ),
    max_size=30,
)
USUAL_REPLY, WRONG = asked("{}")["reply"], asked("7")["grade"]


def wrong(errors: dict[str, Any]) -> dict[str, Any]:
    """The grade of a deviate with these sizes of errors."""
    return {**WRONG, "details": WRONG["details"] | errors}


def made(trial: Trial, number: int = 0) -> dict[str, Any]:
    """The record of a drawn trial."""
    record = asked(
        "7", depth=trial["depth"], op=trial["op"], trial=number, model=trial["model"]
    )
    is_answered, outcome = trial["outcome"] != "unanswered", trial["outcome"]
    reply = {
        name: trial[name]
        for name in ("cost_usd", "prompt_tokens", "latency_s", "stored", "batched")
    }
    errors = {
        name: trial[name]
        for name in ("absolute_error", "relative_error", "leading_digits")
    }
    grade = {"score": float(outcome == "correct")}
    if outcome == "deviate":
        grade = wrong(errors)
    return record | {
        "outcome": outcome,
        "reply": USUAL_REPLY | reply if is_answered else None,
        "grade": grade if is_answered else None,
    }


def cells(*outcomes: str, **named: Any) -> list[dict[str, Any]]:
    """Records, a text for each depth from 2 and a letter for each outcome."""
    return [
        asked(TEXTS[letter], depth=depth, trial=trial, **named)
        for depth, text in enumerate(outcomes, 2)
        for trial, letter in enumerate(text)
    ]


def only_result(records: list[dict[str, Any]], **run: Any) -> dict[str, Any]:
    (result,) = counted(records, run)["results"]
    return dict(result)


# --- against a recount ----------------------------------------------------------------


@given(TRIALS)
def test_the_figures_are_those_of_a_recount(trials: list[Trial]) -> None:
    """In whatever order records arrive; a summary that is written and read again is the
    same.
    """
    records = [made(trial, number) for number, trial in enumerate(trials)]
    run = {"models": [{"name": "gpt-4o"}, {"name": "o4-mini"}], "id": "run"}
    summary = counted(records, run)
    assert counted(reversed(records), run) == summary
    assert json.loads(encode(summary)) == summary
    assert {result["model"] for result in summary["results"]} == {
        trial["model"] for trial in trials
    }
    for result in summary["results"]:
        mine = [trial for trial in trials if trial["model"] == result["model"]]
        replied = [trial for trial in mine if trial["outcome"] != "unanswered"]
        assert +Counter(result["outcomes"]) == Counter(
            trial["outcome"] for trial in mine
        )
        assert result["measured"] == len(replied)
        for name in ("stored", "batched"):
            assert result[name] == sum(trial[name] for trial in replied)
        spent = {
            name: amounts and amounts["sum"]
            for name, amounts in result["spending"].items()
        }
        assert result["cost_usd"] == spent["cost_usd"]
        assert result["unpriced"] == sum(trial["cost_usd"] is None for trial in replied)
        deviates = [trial for trial in mine if trial["outcome"] == "deviate"]
        average = result["average_absolute_error"]
        errors = [int(trial["absolute_error"]) for trial in deviates]
        assert (average is None) == (not errors)
        assert not errors or abs(
            Fraction(average) * len(errors) / sum(errors) - 1
        ) <= Fraction(1, 10**5)
        check_place(
            result
            | result["outcomes"]
            | {"correct_percentage": result["percentages"]["correct"]},
            mine,
        )
        for place in result["variants"] + result["cells"]:
            depths = (place["depth"],) if "depth" in place else (2, 3, 4)
            check_place(
                place,
                [
                    one
                    for one in mine
                    if f"int_{one['op']}" == place["variant"] and one["depth"] in depths
                ],
            )


def check_place(place: dict[str, Any], trials: list[Trial]) -> None:
    replied = [trial for trial in trials if trial["outcome"] != "unanswered"]
    assert (place["correct"], place["measured"]) == (
        sum(trial["outcome"] == "correct" for trial in trials),
        len(replied),
    )
    found = Counter(
        (trial["op"], trial["depth"], kind)
        for trial in trials
        for kind in (trial["outcome"], "asked")
    )
    share = percentage_of_cells(
        [
            Cell(
                found[*cell, "correct"],
                found[*cell, "asked"] - found[*cell, "unanswered"],
                found[*cell, "asked"],
            )
            for cell in {(op, depth) for op, depth, _ in found}
        ],
        [],
    )
    assert place["correct_percentage"] == (
        share and {"percent": share.value, "low": share.low, "high": share.high}
    )
    for kind in ("cost_usd", "prompt_tokens", "latency_s"):
        amounts = [trial[kind] for trial in replied if trial[kind] is not None]
        spent = place["spending"][kind]
        if not amounts:
            assert spent is None
            continue
        assert spent["sum"] == float(sum(Fraction(str(amount)) for amount in amounts))
        assert (spent["known"], spent["median"]) == (len(amounts), median(amounts))
        tenths = (
            quantiles(amounts, n=10, method="inclusive")
            if len(amounts) > 1
            else amounts
        )
        assert spent["p90"] == pytest.approx(tenths[-1])
    deviates = [trial for trial in trials if trial["outcome"] == "deviate"]
    relative = [
        Decimal(trial["relative_error"])
        for trial in deviates
        if trial["relative_error"] is not None
    ]
    sizes = place["error_sizes"]
    shown = sizes["median_relative_error"]
    assert (shown and Decimal(shown)) == (median(relative) if relative else None)
    leading = [trial["leading_digits"] for trial in deviates]
    assert sizes["median_leading_digits"] == (median(leading) if leading else None)


# --- percentages ----------------------------------------------------------------------


def test_cells_have_the_weight_of_their_questions() -> None:
    """Unanswered trials are in no percentage, and lost replies at a hard depth take no
    weight from it.
    """
    assert only_result(cells("cduu"))["percentages"]["correct"] == {
        "percent": 50.0,
        "low": 9.4531,
        "high": 90.5469,
    }
    for lost, share in ((0, 1 / 10), (5, 1 / 5), (9, 1)):
        found = only_result(cells("c" * 9 + "d", "c" + "d" * (9 - lost) + "u" * lost))[
            "percentages"
        ]
        assert found["correct"]["percent"] == pytest.approx(100 * (9 / 10 + share) / 2)
        assert sum(one["percent"] for one in found.values()) == pytest.approx(100)


def test_a_cell_without_a_reply_leaves_bounds() -> None:
    """Also of the variant.

    A task without cells has none of this; nothing measured has no percentage, not even
    0.
    """
    result = only_result(cells("ccd", "u"))
    assert result["percentages"]["correct"] == {"percent": None, "low": 50, "high": 75}
    assert result["percentages"]["deviate"] == {"percent": None, "low": 25, "high": 50}
    assert result["variants"][0]["correct_percentage"] == {
        "percent": None,
        "low": 50,
        "high": 75,
    }
    sums = [added(text, trial=trial) for trial, text in enumerate(("{}", "7", None))]
    assert only_result(sums)["percentages"]["correct"]["percent"] == 50
    nothing = only_result(cells("u"))
    assert set(nothing["percentages"].values()) == {None}
    assert (
        nothing["cost_usd"] is nothing["error_sizes"]["median_relative_error"] is None
    )
    assert set(nothing["spending"].values()) == {None}


def test_variants_have_the_digits_up_to_which_90_percent_are_correct() -> None:
    """Depths are pooled per variant. Repeats are no evidence."""
    records = [
        *cells("c" * 20, "c" * 20),
        *cells("u", op=Op.SUB),
        *cells("c" * 5, "c" * 5, op=Op.DIV),
    ]
    records += [record | {"repeat": 1, "nodeid": "again"} for record in cells("d" * 20)]
    variants = only_result(records)["variants"]
    assert [
        (one["variant"], one["measured"], one["ninety_percent_to"]) for one in variants
    ] == [
        ("int_add", 60, {"shown": 3, "possible": 3}),
        ("int_sub", 0, {"shown": None, "possible": None}),
        ("int_div", 10, {"shown": None, "possible": 3}),
    ]


# --- money, errors and reasons --------------------------------------------------------


def test_amounts_are_exact_and_unknown_ones_are_no_zeros() -> None:
    """Ten times ten cents are a dollar; a free model costs 0, an unpriced reply is
    counted beside the sum.
    """
    records = [asked("{}", trial=trial, cost_usd=0.1) for trial in range(10)]
    assert only_result(records)["cost_usd"] == 1.0
    result = only_result(
        [
            asked("{}", cost_usd=0.0, reasoning_tokens=0),
            asked("{}", trial=1, cost_usd=None),
        ]
    )
    assert (
        result["cost_usd"],
        result["unpriced"],
        result["spending"]["reasoning_tokens"]["sum"],
    ) == (0.0, 1, 0)


def test_errors_of_any_size_are_averaged() -> None:
    """An answer of a million digits neither overflows nor takes long."""
    huge = {
        "absolute_error": "9" * 1_000_000,
        "relative_error": "1e+999999",
        "rounded": True,
    }
    few = {"absolute_error": "0.5", "relative_error": "1.2e-05", "rounded": False}
    records = [
        asked("7", trial=trial) | {"grade": wrong(error)}
        for trial, error in enumerate((few, huge))
    ]
    result = only_result(records)
    assert result["average_absolute_error"] == "5e+999999"
    assert result["error_sizes"]["median_relative_error"] == "5e+999998"
    assert result["rounded"] == 1


def test_reasons_are_counted() -> None:
    """The most frequent first.

    Messages may all be different and long; they are not kept without end.
    """
    records = [
        asked("", trial=trial) | {"reason": reason}
        for trial, reason in enumerate(("empty", "truncated", "truncated"))
    ]
    messages = [
        asked(None, trial=trial) | {"reason": f"{trial} {'x' * 10_000}"}
        for trial in range(3, 203)
    ]
    result = only_result(records + messages)
    assert list(result["nan_reasons"].items()) == [("truncated", 2), ("empty", 1)]
    reasons = result["unanswered_reasons"]
    assert (len(reasons), reasons[OTHER_REASONS]) == (
        MOST_REASONS + 1,
        200 - MOST_REASONS,
    )
    assert max(map(len, reasons)) == LONGEST_REASON


def test_thresholds_are_of_first_repeats() -> None:
    """`nan` is wrong, the unanswered are left out; a variant at one depth has no
    threshold.
    """
    records = [
        *cells("c" * 10, "c" * 5 + "n" * 4 + "du", "d" * 10),
        asked("{}", op=Op.SUB),
    ]
    repeated = [record | {"repeat": 1, "nodeid": "again"} for record in cells("d" * 10)]
    (found,) = only_result(records + repeated)["thresholds"]
    assert (found["variant"], found["questions"], found["place"]) == (
        "int_add",
        30,
        "within",
    )
    assert found["d50"] == pytest.approx(3, abs=0.2)
    assert found["interval"][0] < 3 < found["interval"][1]
    assert found["p"] > 0.01


def test_the_threshold_of_additions_is_by_digits() -> None:
    """Here all sums with fewer than ten digits are right."""
    problems = [addition.problem(0, trial) for trial in range(300)]
    shorter = [
        max(len(str(abs(int(one)))) for one in problem.inputs.values()) < 10
        for problem in problems
    ]
    records = [
        added("{}" if is_shorter else "7", trial)
        for trial, is_shorter in enumerate(shorter)
    ]
    (found,) = only_result(records)["thresholds"]
    assert (found["variant"], found["questions"]) == ("integer_addition", 300)
    assert found["d50"] == pytest.approx(9.5, abs=0.6)


# --- order, completeness and duplicates -----------------------------------------------


def test_the_order_of_results_and_cells() -> None:
    """Models as the run names them, then tasks by name; variants as the task has them,
    those of the same place by name.
    """
    records = [
        one | {"model": model}
        for model in ("own", "b", "a")
        for one in (added("{}"), asked("{}"))
    ]
    results = counted(
        records, {"models": [{"name": "a"}, {"name": "b"}, {"name": "unused"}]}
    )["results"]
    order = [(result["model"], result["task"]) for result in results]
    assert order == [
        (model, task)
        for model in ("a", "b", "own")
        for task in ("arithmetic", "integer_addition")
    ]
    places = [
        (Dtype.FLOAT, Op.ADD, 2),
        (Dtype.INT, Op.DIV, 10),
        (Dtype.INT, Op.DIV, 9),
        (Dtype.INT, Op.ADD, 2),
    ]
    trials = [
        asked("{}", dtype=dtype, op=op, depth=depth) for dtype, op, depth in places
    ]
    place = {"variant": "an_eighth", "variant_place": 7, "depth": 3}
    new = asked("{}") | {"problem": asked("{}")["problem"] | place}
    other = asked("{}") | {"problem": new["problem"] | {"variant": "also_one"}}
    order = [
        (cell["variant"], cell["depth"])
        for cell in only_result([new, other, *trials])["cells"]
    ]
    assert order == [
        ("int_add", 2),
        ("int_div", 9),
        ("int_div", 10),
        ("float_add", 2),
        ("also_one", 3),
        ("an_eighth", 3),
    ]


def test_records_that_disagree_on_the_place_of_a_variant() -> None:
    """The smallest place counts, so that the order of records does not."""
    records = []
    for trial, (variant, place) in enumerate([("a", 2), ("b", 1), ("a", 0), ("b", 3)]):
        record = asked("{}", trial=trial)
        record["problem"] |= {"variant": variant, "variant_place": place}
        records.append(record)
    for some in (records, records[::-1]):
        found = [one["variant"] for one in only_result(some)["variants"]]
        assert found == ["a", "b"]


@pytest.mark.parametrize(
    ("outcomes", "selected", "complete"),
    [
        ("cn", 2, True),
        ("cn", 3, False),
        ("cu", 2, False),
        ("cu", 1, False),
        ("", 0, True),
        ("c", None, False),
    ],
)
def test_complete_is_all_selected_answered(
    outcomes: str, selected: int | None, complete: bool
) -> None:
    summary = counted(cells(outcomes), {"selected": selected})
    assert (summary["complete"], summary["unanswered"]) == (
        complete,
        outcomes.count("u"),
    )


def sent(
    record: dict[str, Any], nodeid: str, model: str | None = "m", **named: Any
) -> dict[str, Any]:
    """The record of another item, with what was sent for it; None is unknown."""
    (message,) = record["prompt"]
    what: Any = model and {
        "model": model,
        "api_base": None,
        "params": {},
        "messages": [message],
    }
    reply = record["reply"] and record["reply"] | {"sent": what}
    return record | {"nodeid": f"{record['problem']} {nodeid}", "reply": reply} | named


@given(
    st.text("cdu", min_size=1, max_size=8),
    st.integers(0, 3),
    st.randoms(use_true_random=False),
)
def test_a_question_of_several_items_counts_once(
    outcomes: str, more: int, draw: Any
) -> None:
    """It is one request.

    Figures, intervals and completeness are those of one item, in whatever order they
    arrive.
    """
    once = [sent(record, "a") for record in cells(outcomes)]
    records = once + [
        sent(record, f"{n}") for n in range(more) for record in cells(outcomes)
    ]
    draw.shuffle(records)
    summary, alone = (
        counted(some, {"selected": len(some)}) for some in (records, once)
    )
    assert [one | {"duplicates": 0} for one in summary["results"]] == alone["results"]
    assert (summary["answered"], summary["complete"]) == (
        alone["answered"],
        alone["complete"],
    )
    assert (
        summary["duplicates"]
        == summary["results"][0]["duplicates"]
        == more * len(outcomes)
    )


def test_items_that_ask_something_else_are_no_duplicates() -> None:
    """Repeats, conditions, another request under the same name, an unknown one, rows,
    and an item without a reply.
    """
    once, comma = cells("c")[0], Condition(NumberFormat.COMMA).fields()
    others = [
        [sent(once, "b", repeat=1)],
        [sent(once, "b", condition=comma)],
        [sent(once, "b", model="another")],
        [sent(once, "b", model=None), sent(once, "c", model=None)],
        [sent(once, "") | {"nodeid": None}] * 2,
        [sent(cells("u")[0], "b")],
    ]
    for records in others:
        both = [sent(once, "a"), *records]
        for summary in (counted(both), counted(reversed(both))):
            assert (
                summary["answered"] + summary["unanswered"],
                summary["duplicates"],
            ) == (len(both), 0)


@pytest.mark.parametrize("repeats", [1, 2])
def test_a_reply_without_an_answer_counts_0_in_every_score(repeats: int) -> None:
    """An outage counts nowhere, and a score that a graded answer lacks is not in its
    mean.
    """
    grades: list[tuple[str, dict[str, float], float | None]] = [
        ("d", {"same words": 1.0, "rare": 1.0}, 0.5),
        ("d", {"same words": 0.5}, 0.25),
        ("n", {}, 0.0),
        ("n", {}, 0.0),
        ("u", {}, None),
    ]
    counts = Summary()
    for repeat in range(repeats):
        for number, (letter, scores, score) in enumerate(grades):
            of = problem(f"trial_{number}", {"words": f"{number}"}, "b", trial=number)
            counts.add(
                record(
                    letter,
                    "sorting",
                    of,
                    prompt=said(f"{number}"),
                    repeat=repeat,
                    nodeid=f"{number} {repeat}",
                    grade=None if score is None else RecordedGrade(score, scores),
                )
            )
    (result,) = counts.of_run(unknown_run("run")).results
    found = {at: (one.n, one.value) for (_, at), one in result.all("score").items()}
    assert found == {
        "score": (4, 18.75),
        "same words": (4, 37.5),
        "rare": (3, 33.3333),
    }


def test_what_the_provider_served_is_named_by_model() -> None:
    """Each name once, of stored replies too; a model without such a name has none."""
    records = [
        asked("{}", trial=0, served_model="o4-mini-2026"),
        asked("{}", trial=1, served_model="o4-mini-2026", stored=True),
        asked("{}", trial=2, served_model="o4-mini-2025"),
        asked("{}", model="gpt-4o"),
    ]
    assert counted(records)["served_models"] == {
        "o4-mini": ["o4-mini-2025", "o4-mini-2026"]
    }
