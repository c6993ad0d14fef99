"""The tables at the end of a run: what they say, and that they fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_llmarith.records import Result, RunSummary, RunTimes, convert
from pytest_llmarith.reports.tables import grids, spending, terminal
from pytest_llmarith.reports.tables import overview as tables
from tests.runs_on_disk import FACTS as FACTS_OF_A_RUN
from tests.runs_on_disk import counted

Make = Callable[..., dict[str, Any]]
MakeMany = Callable[..., list[dict[str, Any]]]

VARIANTS = [f"{dtype}_{op}" for dtype in ("int", "float") for op in ("add", "sub", "mul", "div")]
DOCUMENTATION = Path(__file__).parents[3] / "docs" / "reports.md"
SHARD = {"index": 2, "count": 5, "dealt": 1, "whole": 5, "selection": None}
FACTS = {"started_at": "2026-11-22T00:31:05+00:00", "models": [{"name": "o4-mini"}]}


def summed(*records: dict[str, Any], **run: Any) -> dict[str, Any]:
    return counted(records, FACTS | run)


def _typed(summary: dict[str, Any]) -> RunSummary:
    return convert(summary, RunSummary)


def overview(summary: dict[str, Any], width: int) -> list[str]:
    return tables.overview([tables.ResultOfRun(result) for result in _typed(summary).results], width)


def breakdowns(summary: dict[str, Any], width: int) -> list[str]:
    return grids.breakdowns(_typed(summary).results, width)


def spending_table(results: list[dict[str, Any]], width: int) -> list[str]:
    return spending.spending_table([convert(result, Result) for result in results], width)


def run_lines(summary: dict[str, Any], width: int) -> list[str]:
    return terminal.run_lines(_typed(summary), width)


def summary_section(summary: dict[str, Any], width: int) -> list[str]:
    return terminal.summary_section(_typed(summary), width)


def without_truth(make_record: Make, *outcome: str, **named: Any) -> dict[str, Any]:
    record = make_record(*outcome, **named)
    return record


@pytest.fixture(scope="session")
def grid_of(make_record: Make) -> MakeMany:
    """Makes records of all variants and of some depths; the deeper, the fewer are correct."""

    def grid(depths: range, trials: int = 10, model: str = "o4-mini") -> list[dict[str, Any]]:
        return [
            without_truth(
                make_record,
                "correct" if trial < trials * 12 // (depth + 10) else "deviate",
                model=model,
                problem={"variant": variant, "depth": depth},
            )
            for variant in VARIANTS
            for depth in depths
            for trial in range(trials)
        ]

    return grid


@pytest.fixture(scope="session")
def sums_of(make_record: Make, make_reply: Make) -> MakeMany:
    """Makes records of integer addition, a trial per length."""

    def sums(lengths: range, outcome: str = "correct") -> list[dict[str, Any]]:
        return [
            without_truth(
                make_record,
                outcome,
                task="integer_addition",
                problem={"int1": "1" * length, "int2": "2"},
                reply=make_reply(latency_s=length / 10),
            )
            for length in lengths
        ]

    return sums


def test_a_narrow_overview(grid_of: MakeMany, sums_of: MakeMany) -> None:
    """At 80 columns a row has two lines: intervals stand below percentages."""
    summary = summed(*grid_of(range(2, 11)), *sums_of(range(2, 31)))
    assert overview(summary, 80) == [
        "model                 trials  correct %     nan %  deviate %     cost  rel err",
        "task                    date       95 %      95 %       95 %   tokens  abs err",
        "------------------------------------------------------------------------------",
        "o4-mini                  720       74.4       0.0       25.6  $0.0288  1.2e-05",
        "arithmetic        2026-11-22  71.2-77.4   0.0-0.5  22.6-28.8    28.8k      0.5",
        "",
        "o4-mini                   29      100.0       0.0        0.0  $0.0012        -",
        "integer_addition  2026-11-22   88.3-100  0.0-11.7   0.0-11.7     1.2k        -",
        "",
        "95 %: stratified Wilson interval over variants and depths, Wilson interval",
        "elsewhere. rel err, abs err: median relative and average absolute error of",
        "deviate.",
    ]


def test_a_wide_overview(grid_of: MakeMany) -> None:
    """Where there is room each row of the overview is one line."""
    lines = overview(summed(*grid_of(range(2, 11))), 160)
    assert lines[0].split()[:4] == ["model", "task", "date", "trials"]
    assert " ".join(lines[2].split()) == (
        "o4-mini arithmetic 2026-11-22 720 74.4 (71.2-77.4) 0.0 (0.0-0.5) 25.6 (22.6-28.8) $0.0288 28.8k 1.2e-05 0.5"
    )


def test_a_cell_table(grid_of: MakeMany) -> None:
    """Rows are variants, columns depths; the title says of how many."""
    lines = breakdowns(summed(*grid_of(range(8, 11))), 80)
    assert lines[:4] == [
        "o4-mini, arithmetic: correct of 10 by variant and depth",
        "depth         8     9    10  all %",
        "----------------------------------",
        "int_add       6     6     6   60.0",
    ]
    assert [line.split()[0] for line in lines[3:11]] == VARIANTS
    assert lines[11:15] == [
        "all %      60.0  60.0  60.0   60.0",
        "95 % from  49.0  49.0  49.0   53.7",
        "to         70.0  70.0  70.0   66.0",
        "",
    ]


def test_a_variant_table(make_record: Make) -> None:
    """Accuracy with its interval, the depth to rely on or the trials it takes, and the size of errors."""
    grade = {"absolute_error": "1", "relative_error": "0.00125", "rounded": False, "leading_digits": 3}
    grade |= {"error_class": "tail", "digit_match": 0.5, "dlength": 0}
    records = [
        *[make_record(problem={"variant": "int_add", "depth": depth}) for depth in (2, 3) for _ in range(30)],
        *[make_record(problem={"variant": "int_div", "depth": 2}) for _ in range(9)],
        make_record("deviate", grade=grade, problem={"variant": "int_div", "depth": 2}),
        make_record("unanswered", problem={"variant": "float_add", "depth": 2}),
        *[make_record("deviate", grade=grade, problem={"variant": "float_mul", "depth": 2}) for _ in range(9)],
        make_record(problem={"variant": "float_mul", "depth": 3}),
    ]
    lines = breakdowns(summed(*records), 80)
    start = lines.index("o4-mini, arithmetic: by variant, all depths together")
    assert [line.split() for line in lines[start + 1 : start + 7]] == [
        line.split()
        for line in (
            "variant trials correct % 95 % reliable depth rel err leading",
            "-" * 79,
            "int_add 60 100.0 94.0-100 3 - -",
            "int_div 10 90.0 59.6-98.2 unproven 2, needs 53 0.0012 3",
            "float_add 0 - - - - -",
            "float_mul 10 10.0 1.8-40.4 none: at most 41 % 0.0012 3",
        )
    ]
    assert lines[start + 7].startswith("reliable depth: the deepest")


def test_a_spending_table(make_record: Make, make_reply: Make) -> None:
    """The table of spending shows the median, nine of ten, and the sum of what is known."""
    replies = [
        make_reply(cost_usd=0.25 * count, latency_s=float(count), prompt_tokens=100, reasoning_tokens=1000 * count)
        for count in range(1, 11)
    ]
    records = [make_record(reply=reply) for reply in [*replies, make_reply(cost_usd=None, latency_s=None)]]
    records.append(make_record(model="own", reply=make_reply(cost_usd=None, latency_s=None)))
    assert spending_table(summed(*records)["results"], 80) == [
        "model                  cost  seconds  prompt  completion  reasoning",
        "task                                  tokens      tokens     tokens",
        "-------------------------------------------------------------------",
        "o4-mini     median    $1.38      5.5     100           9       5.5k",
        "arithmetic  p90       $2.27      9.1     100           9       9.1k",
        "            sum     $13.75+     55.0    1.0k          99      55.0k",
        "",
        "own         median        -        -      31           9          -",
        "arithmetic  p90           -        -      31           9          -",
        "            sum           -        -      31           9          -",
    ]


def test_nothing_known_of_spending_is_no_table(make_record: Make, make_reply: Make) -> None:
    """Neither where nobody knows anything, nor in a summary of an earlier version."""
    unknown = dict.fromkeys(("cost_usd", "latency_s", "prompt_tokens", "completion_tokens"))
    (result,) = summed(make_record(reply=make_reply(**unknown)))["results"]
    assert spending_table([result], 80) == []


def test_a_cell_of_another_size_says_so(make_record: Make, grid_of: MakeMany) -> None:
    """One unanswered trial makes one cell a fraction; a cell without a reply is a dash, its totals too."""
    records = [
        *grid_of(range(2, 4))[1:],
        make_record("unanswered", problem={"variant": "int_add", "depth": 2}),
        make_record("unanswered", problem={"variant": "int_add", "depth": 9}),
    ]
    lines = breakdowns(summed(*records), 80)
    assert lines[3].split() == ["int_add", "9/9", "9", "-", "-"]
    assert lines[4].split() == ["int_sub", "10", "9", "-", "95.0"]


def test_a_length_table(make_record: Make, sums_of: MakeMany) -> None:
    """The columns of a table of additions are lengths, and where nothing is there is a dot."""
    records = [*sums_of(range(9, 12)), *sums_of(range(10, 11), "deviate"), *sums_of(range(11, 12), "nan")]
    assert breakdowns(summed(*records), 80)[:7] == [
        "o4-mini, integer_addition: by digits of the longer operand",
        "digits      9   10   11",
        "-----------------------",
        "correct     1    1    1",
        "deviate     .    1    .",
        "nan         .    .    1",
        "median s  0.9  1.0  1.1",
    ]


def test_unanswered_lengths_have_a_row_of_their_own(make_record: Make) -> None:
    """Where lengths have unanswered trials, the table has a row for them."""
    record = make_record("unanswered", task="integer_addition", problem={"int1": "12", "int2": "3"})
    lines = breakdowns(summed(record), 80)
    assert "unanswered  1" in lines
    assert "median s    -" in lines


@pytest.mark.parametrize("width", [80, 100, 120, 160])
@pytest.mark.parametrize("model", ["o4-mini", "openrouter/deepseek/deepseek-v3.2-exp-thinking", "m" * 300])
def test_everything_fits(grid_of: MakeMany, sums_of: MakeMany, width: int, model: str) -> None:
    """No line is wider than the terminal, however many depths there are and whatever a model is called."""
    summary = summed(*grid_of(range(2, 61), 2, model), *sums_of(range(2, 31)), selected=10**6, stopped="x" * 300)
    assert max(map(len, summary_section(summary, width))) <= width


@settings(max_examples=30)
@given(name=st.text(st.characters()), reason=st.text(st.characters()))
def test_no_line_is_ever_obeyed_by_a_terminal(make_record: Make, name: str, reason: str) -> None:
    """Names, tasks, variants and reasons may be hostile; every line is printable."""
    name = name or "?"
    records = [
        make_record(outcome, model=name, reason=reason, problem={"variant": name, "depth": 2})
        for outcome in ("nan", "unanswered")
    ]
    assert all(line.isprintable() for line in summary_section(summed(*records, stopped=reason), 80))


def test_many_depths_are_folded(grid_of: MakeMany) -> None:
    """Depths that find no place stand in a further table below, each under its variant."""
    lines = breakdowns(summed(*grid_of(range(2, 61), 1)), 80)
    heads = [line for line in lines if line.startswith("depth  ")]
    assert len(heads) > 1
    shown = [column for head in heads for column in head.split()[1:]]
    assert shown == [*map(str, range(2, 61)), "all", "%"]
    assert sum(line.startswith("int_add") for line in lines) == len(heads) + 1  # and one of the table by variant
    sizes = [len(head.split()) for head in heads]
    assert max(sizes) - min(sizes) < len(heads)  # no column is left alone at the end


def test_the_documentation_shows_these_tables(grid_of: MakeMany, sums_of: MakeMany) -> None:
    """docs/reports.md shows what is really drawn."""
    summary = summed(*grid_of(range(2, 11)), *sums_of(range(2, 31)), selected=749)
    shown = summary_section(summary, 80)
    end = next(number for number, line in enumerate(shown) if line.startswith("o4-mini, integer_addition"))
    assert "\n".join(shown[: end - 1]) in DOCUMENTATION.read_text("utf-8")


def notes_of(*records: dict[str, Any]) -> str:
    """The line below the only row of a wide overview."""
    return overview(summed(*records), 200)[3]


def test_a_simulated_model_is_marked(make_record: Make, make_reply: Make) -> None:
    """Below its row and in the titles of its tables; its unknown cost is a dash."""
    record = make_record(model="llmarith/sloppy", simulated=True, reply=make_reply(cost_usd=None))
    assert notes_of(record) == "  *simulated*"
    assert breakdowns(summed(record), 80)[0].startswith("llmarith/sloppy (simulated), arithmetic:")
    assert "$" not in "\n".join(overview(summed(record), 80))


def test_an_incomplete_result_is_marked(make_record: Make) -> None:
    """The row of an incomplete result says how many of how many were answered."""
    assert notes_of(make_record(), make_record("unanswered")) == "  incomplete, 1 of 2"


def test_bounds_stand_in_place_of_percentages(make_record: Make) -> None:
    """Where a cell has no reply, a row has no percentage, and says between what it lies."""
    records = [make_record(problem={"variant": "int_add", "depth": 2}) for _ in range(3)]
    records.append(make_record("unanswered", problem={"variant": "int_add", "depth": 3}))
    rows = overview(summed(*records), 200)
    assert "- (75.0-100)" in rows[2]
    assert "75.0 to 100.0 %" in rows[3]


def test_nan_stands_with_its_reasons(make_record: Make) -> None:
    """Empty and truncated replies are different troubles."""
    records = [make_record("nan", reason=reason) for reason in ("truncated", "empty", "truncated")]
    assert notes_of(*records) == "  nan: 2 truncated, 1 empty"


def test_rounded_answers_are_counted(make_record: Make) -> None:
    """A deviate that is only a rounding is told apart."""
    grade = {"absolute_error": "0.1", "relative_error": "1e-07", "rounded": True, "error_class": "rounded"}
    grade |= {"digit_match": 0.5, "dlength": 0, "leading_digits": 3}
    assert notes_of(make_record("deviate", grade=grade)) == "  deviate: 1 rounded"


def test_cheats_are_counted(make_record: Make) -> None:
    """Cheats have a count of their own, as they are neither correct nor hidden."""
    assert notes_of(make_record("cheat")) == "  cheat: 1 (100.0 %, 20.7-100)"


def test_unpriced_replies_are_counted(make_record: Make, make_reply: Make) -> None:
    """A cost with a plus says how many replies it leaves out."""
    records = [make_record(), make_record(reply=make_reply(cost_usd=None))]
    assert notes_of(*records) == "  1 unpriced"
    assert "<$0.0001+" in overview(summed(*records), 200)[2]


def test_unknown_tokens_are_a_dash(make_record: Make, make_reply: Make) -> None:
    """Where the tokens of a trial are unknown, their sum is a dash, as half of a sum is none."""
    record = make_record(reply=make_reply(completion_tokens=None))
    assert overview(summed(record), 200)[2].split()[-3] == "-"


def test_a_complete_run(make_record: Make, make_reply: Make) -> None:
    """A complete run is one line, with what came from the store."""
    records = [make_record(), make_record(reply=make_reply(stored=True))]
    summary = summed(*records, selected=2)
    assert run_lines(summary, 80) == ["all 2 answered, 1 from the store"]


def test_what_this_run_spent_is_told_apart(make_record: Make, make_reply: Make) -> None:
    """From what stored replies had cost, from what is kept for later, and from what may have been billed."""
    records = [make_record(), make_record(reply=make_reply(stored=True))]
    paid = {"answered": 3, "stored": 1, "kept": 3, "cost_usd": 0.083, "stored_usd": 0.0991}
    assert run_lines(summed(*records, selected=2, asking=paid), 90)[1:] == [
        "this run spent $0.0830 on 3 replies; 1 from the store had cost $0.0991",
        "2 more replies are kept, which the same command grades",
    ]
    lost = {"lost": 10, "lost_usd": 0.6564}
    assert run_lines(summed(*records, selected=2, asking=lost), 90)[1:] == [
        "up to $0.6564 more may have been billed (10 requests without a reply)"
    ]
    assert run_lines(summed(*records, selected=2, asking={"lost": 1}), 90)[1:] == [
        "more may have been billed (1 request without a reply)"
    ]
    assert run_lines(summed(*records, selected=2, asking={"stored": 1, "stored_usd": 0.5}), 90)[1:] == [
        "this run spent nothing; 1 from the store had cost $0.5000"
    ]
    assert run_lines(summed(*records, selected=2, asking={"answered": 2, "unpriced": 2}), 90)[1:] == [
        "this run spent an unknown amount on 2 replies"
    ]


@pytest.mark.parametrize("outcome", ["deviate", "unanswered"])
def test_what_a_search_has_read_is_not_left_for_later(make_record: Make, make_reply: Make, outcome: str) -> None:
    """All of its trail is graded within it, also where it was broken off; stored replies are counted one by one."""
    step = {"question": "1 + 1", "before": 0, "outcome": "correct"}
    replies = [make_reply(stored=True)] * 2 + [make_reply()] * 4 + [None]  # as of a long one in an older record
    trail = [*(step | {"reply": reply} for reply in replies), step | {"reply": None, "usage": make_reply(stored=True)}]
    search = {"trail": trail, "questions": len(trail), "ended": "budget"}
    search |= {"minimum": None, "not_reproduced": 0, "largest_right": None}
    problem = {"variant": "int_add", "budget": 8}
    record = make_record(outcome, task="breaking_point", problem=problem, search=search, grade=None, answer=None)
    paid = {"answered": 5, "stored": 3, "kept": 6, "cost_usd": 0.01, "stored_usd": 0.02}
    assert run_lines(summed(record, selected=1, asking=paid), 90)[-2:] == [
        "this run spent $0.0100 on 5 replies; 3 from the store had cost $0.0200",
        "1 more reply is kept, which the same command grades",
    ]


@pytest.mark.parametrize(("repeats", "named"), [((1, 0), ["repeat 0: ", "repeat 1: "]), ((0,), [""])])
def test_breaking_points_say_which_repeat_they_are(make_record: Make, repeats: Sequence[int], named: list[str]) -> None:
    """Where there are several, one below the other whatever came first; in the summary they always do."""
    search = {"trail": [], "questions": 37, "ended": "nothing found", "minimum": None, "largest_right": "9 + 9"}
    search |= {"not_reproduced": 0}
    shared = {"task": "breaking_point", "problem": {"variant": "int_add", "budget": 40}, "search": search}
    summary = summed(*(make_record(repeat=repeat, **shared) for repeat in repeats))
    assert [one["repeat"] for one in summary["results"][0]["breaking_points"]] == sorted(repeats)
    assert breakdowns(summary, 80)[1:] == [
        f"int_add           {name}nothing found up to 9 + 9, 37 questions" for name in named
    ]


def test_a_search_without_a_breaking_point_is_told(make_record: Make) -> None:
    """Errors of chance are counted, and no percentage of searches stands in the overview."""
    search = {"trail": [], "questions": 80, "ended": "not reproduced", "minimum": None, "largest_right": "58 * 91"}
    problem = {"variant": "int_mul", "budget": 80}
    record = make_record(task="breaking_point", problem=problem, search=search | {"not_reproduced": 6})
    (line,) = breakdowns(summed(record), 150)[1:]
    assert line in (Path(__file__).parents[3] / "docs" / "breaking-point.md").read_text("utf-8")
    assert " 100.0" not in "".join(overview(summed(record), 200))


def test_an_incomplete_run(make_record: Make) -> None:
    """An incomplete run says how many trials of how many were answered, and why the others were not."""
    records = [make_record(), *[make_record("unanswered")] * 2, make_record("unanswered", reason="worker crashed")]
    assert run_lines(summed(*records, selected=720), 80) == [
        "incomplete, 1 of 720 answered, the same command does the rest",
        "unanswered: 2 x no reply within 600 s",
        "unanswered: 1 x worker crashed",
    ]


def test_retries_and_throttling_are_told(make_record: Make) -> None:
    """Lines tell how often and why requests were tried again, and how little was asked at once."""
    retries = {"no reply from o4-mini": 3, "429 from o4-mini": 1400}
    throttled = [{"target": "o4-mini", "halved": 2, "lowest": 4, "most": 16}]
    assert run_lines(summed(make_record(), selected=1, asking={"retries": retries, "throttled": throttled}), 100) == [
        "1 of 1 answered",
        "tried again: 1,403 (1,400 x 429 from o4-mini, 3 x no reply from o4-mini)",
        "throttled: o4-mini, 2 times, at worst to 4 of 16 requests at once",
    ]
    many = {f"{status} from o4-mini": 1 for status in range(500, 507)}
    (_, line) = run_lines(summed(make_record(), selected=1, asking={"retries": many}), 200)
    assert line.startswith("tried again: 7 (1 x 500 from o4-mini, ")
    assert line.endswith("1 x 504 from o4-mini, ...)")


def test_a_budget_that_was_reached(make_record: Make) -> None:
    """How many questions that left over, however many ways there were to say why."""
    reasons = ["budget: --llm-max-cost=5: all spent", "budget: --llm-max-tokens=9: all spent", "no reply"]
    records = [make_record("unanswered", reason=reason) for reason in reasons]
    assert (
        run_lines(summed(*records, selected=3), 80)[1]
        == "budget reached: 2 questions not asked, a higher cap goes on from here"
    )


def test_a_budget_that_left_over_one_question(make_record: Make) -> None:
    """A single question that the budget left over is a question, not questions."""
    record = make_record("unanswered", reason="budget: --llm-max-cost=5: all spent")
    lines = run_lines(summed(record, selected=1), 80)
    assert lines[1] == "budget reached: 1 question not asked, a higher cap goes on from here"


def test_many_reasons_are_summed_up(make_record: Make) -> None:
    """The five most frequent reasons are named, the others counted."""
    records = [make_record("unanswered", reason=f"reason {number}") for number in range(7)]
    lines = run_lines(summed(*records, selected=7), 80)
    assert len(lines) == 1 + 5 + 1
    assert lines[-1] == "unanswered: 2 for other reasons"


def test_a_partial_run_is_marked(make_record: Make) -> None:
    """A run that --lf made partial is marked, as it says nothing about the whole."""
    lines = run_lines(summed(make_record(), selected=1, partial=True), 80)
    assert lines == ["1 of 1 answered", "partial: only tests that failed before were selected (--lf)"]


def test_a_shard_is_marked(make_record: Make) -> None:
    """What one machine of several did is no whole run, though it is all answered."""
    lines = run_lines(summed(make_record(), selected=1, shard=SHARD), 80)
    assert lines == ["1 of 1 answered", "shard 2 of 5, which llmarith merge joins with the others"]


def test_a_shard_has_few_repeats_of_a_problem(make_record: Make) -> None:
    """A shard says that merging joins the repeats of a problem, too, which are dealt to several shards."""
    lines = run_lines(
        summed(
            make_record(),
            selected=1,
            shard=SHARD,
            repeats=3,
        ),
        140,
    )
    assert lines[1] == (
        "shard 2 of 5, which llmarith merge joins with the others, and with them the repeats of each problem, which "
        "are dealt to several shards"
    )


def test_a_merged_run_says_of_what(make_record: Make) -> None:
    """What has to be known of it stands there, and no command that would do the rest."""
    one = {key: FACTS_OF_A_RUN[key] for key in RunTimes.__struct_fields__}
    merged = {"runs": [one, one], "replaced": 0, "overlapping": 4}
    assert run_lines(summed(make_record(), selected=2, merged=merged), 80) == [
        "incomplete, 1 of 2 answered",
        "merged from 2 runs",
        "4 trials have two answers, of which the later counts",
    ]


def test_an_option_is_not_broken_at_its_hyphens(make_record: Make) -> None:
    """What has to be typed stands in one piece, wherever the line ends."""
    option = "--llm-requests-per-minute=20"
    for filling in range(40, 80):
        lines = run_lines(summed(make_record(), selected=2, stopped=f"{'x' * filling} write {option}"), 80)
        assert any(option in line for line in lines)


def test_a_stopped_run_says_why(make_record: Make) -> None:
    """A run that was stopped says why, and how to go on."""
    why = "o4-mini: unknown model"
    unanswered = [make_record("unanswered", reason=reason) for reason in (why, f"run stopped: {why}")]
    assert run_lines(summed(make_record(), *unanswered, selected=3, stopped=why), 80) == [
        "incomplete, 1 of 3 answered, once that is mended the same command does the rest",
        "stopped: o4-mini: unknown model",
        "unanswered: 2 x the run was stopped",
    ]


def test_a_long_reason_is_wrapped_and_not_cut(make_record: Make) -> None:
    """A long reason is wrapped and not cut, as what helps stands at its end."""
    lines = run_lines(summed(make_record(), selected=2, stopped=f"{'x ' * 60}check OPENAI_API_KEY"), 80)
    assert max(len(line) for line in lines) <= 80
    assert lines[-1].endswith("check OPENAI_API_KEY")


@pytest.mark.parametrize(
    ("run", "reason", "rest"),
    [
        ({}, "no reply", ", the same command does the rest"),
        ({"store": "only"}, "no stored reply", ", --llm-store=only asks no model"),
        ({"store": "off"}, "no reply", ", the same command asks everything again"),
        ({}, "budget: --llm-max-cost=5: $4.99 spent, a request may take $0.44", ""),
    ],
)
def test_what_brings_the_rest_follows_from_the_reason(
    make_record: Make, run: dict[str, Any], reason: str, rest: str
) -> None:
    """The same command is named only where it helps."""
    records = [make_record(), make_record("unanswered", reason=reason)]
    assert run_lines(summed(*records, selected=2, **run), 80)[0] == f"incomplete, 1 of 2 answered{rest}"


def test_where_nothing_could_be_answered_something_is_to_be_mended(make_record: Make) -> None:
    """A server that refuses every question, or a task that always raises, would do so again."""
    refused = make_record("unanswered", reason="openai/x: bad request")
    assert run_lines(summed(refused, selected=1), 80) == [
        "incomplete, 0 of 1 answered, once that is mended the same command does the rest",
        "unanswered: 1 x openai/x: bad request",
    ]


def test_a_run_without_results_has_no_tables() -> None:
    """Where nothing arrived there is nothing to draw."""
    assert summary_section(summed(selected=720), 80) == [
        "incomplete, 0 of 720 answered, the same command does the rest"
    ]
