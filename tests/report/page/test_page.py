"""The page without a browser: what its parts say of runs, and what it embeds."""

from __future__ import annotations

import re
from base64 import b64encode
from collections import Counter
from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from pytest_llmarith.figures.shares import percentage
from pytest_llmarith.report.page import page_of, write_run_page
from pytest_llmarith.report.page.trial_details import shown_trial
from pytest_llmarith.report.render.html import STEPS, step
from pytest_llmarith.report.series import PageRun
from pytest_llmarith.types import DEFAULT_CONDITION, Op
from pytest_llmarith.views.formatting import percent_of
from pytest_llmarith.views.places import share_of
from tests.report.page.made_runs import (
    COMMA,
    all_cells,
    embedded,
    in_conditions,
    priced_run,
    run_of,
    search_record,
    usual_records,
    wrong,
)
from tests.runs_on_disk import added, asked, programmed, record_of

USUAL_FIELDS = DEFAULT_CONDITION.fields()


def page(*runs: PageRun) -> str:
    return page_of(runs)


def rows_of(text: str, part: str) -> list[list[str]]:
    """The cells of all tables of a part, headers too."""
    (section,) = re.findall(rf'<section id="{part}".*?</section>', text, re.DOTALL)
    rows = (
        re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row, re.DOTALL)
        for row in re.findall(r"<tr.*?</tr>", section.replace("<wbr>", ""), re.DOTALL)
    )
    return [
        [" ".join(unescape(re.sub(r"<.*?>", " ", cell)).split()) for cell in row]
        for row in rows
    ]


# --- the file -------------------------------------------------------------------------


def test_the_page_allows_its_own_style_and_script_only() -> None:
    """The policy has the hashes of the style and the script; no element names an
    address to load.
    """
    text = page(run_of(usual_records()))
    (policy,) = re.findall(r'Content-Security-Policy" content="(.*?)"', text)
    (style,), *_, (script,) = (
        re.findall(rf"<{tag}>(.*?)</", text, re.DOTALL)
        for tag in ("style", 'script type="module"')
    )
    hashes = (
        b64encode(sha256(part.encode()).digest()).decode() for part in (style, script)
    )
    assert unescape(policy) == (
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    ).format(*hashes)
    elements = text.replace(style, "").replace(script, "")
    assert not re.search(r"<[^>]*\s(src|style|on\w+)=", elements)
    assert re.findall(r"<link [^>]*>", elements) == ['<link rel="icon" href="data:,">']
    assert not any(part in style + script for part in ("@import", "url(", "innerHTML"))


def test_names_are_escaped() -> None:
    """Hostile names of models, runs and reasons become no elements, and what is not
    seen is spelled out.
    """
    hostile = "<b onclick=alert(1)>\"'&</script>\x1b\u202e"
    lost = asked(None, model=hostile) | {"reason": hostile}
    text = page(run_of([lost, wrong(model=hostile)], hostile, stopped=hostile))
    assert not any(
        part in text for part in ("<b onclick", "\x1b", "\u202e", "onclick=alert(1)>")
    )


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ([], "all 0 answered"),
        ([asked(None)], "0 of 1 answered"),
        ([asked("\ud800", model="half\ud800")], "half"),
    ],
    ids=["no trial", "no answer", "lone surrogates"],
)
def test_any_run_has_a_page(records: list[Any], said: str) -> None:
    """A page is written whatever a run holds, and it is the same each time."""
    text = page(run_of(records))
    assert said in text
    assert text == page(run_of(records))


def test_a_page_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    run = run_of([asked("\ud800", model="half\ud800")])
    assert (
        write_run_page(tmp_path, run.summary, run.records)
        == f"page: {tmp_path / 'report.html'}"
    )
    (tmp_path / "report.html").unlink()
    (tmp_path / "report.html").mkdir()
    (said,) = write_run_page(tmp_path, run.summary, run.records).splitlines()
    assert said.startswith("report.html was not written: ")


def test_parts_without_data_are_left_out() -> None:
    """A part is there, and linked, if its run has data for it."""
    parts = re.findall(r'<section id="(\w+)"', page(run_of(usual_records())))
    assert parts == [
        *("overview", "depth", "cells", "replies", "errors", "trials", "provenance")
    ]
    one, other, free = (
        priced_run("a", 5, 0.01),
        priced_run("b", 5, 0.02),
        priced_run("c", 5, None),
    )
    for runs, is_there in (([one, other], True), ([one, free], False)):
        text = page(*runs)
        assert ('id="cost"' in text) == ("#cost" in text) == is_there


@pytest.mark.parametrize(
    ("models", "title"),
    [("x", "x"), ("xxy", "x and y in 3 runs"), ("zxy", "3 models in 3 runs")],
)
def test_the_title_names_models_and_counts_runs(models: str, title: str) -> None:
    runs = [
        run_of(usual_records(model), f"run {number}")
        for number, model in enumerate(models)
    ]
    assert f"<title>{title} - llmarith</title>" in page(*runs)


@pytest.mark.parametrize(
    ("names", "labels"), [("ab", ["m, a", "m, b"]), ("aa", ["m, a (1)", "m, a (2)"])]
)
def test_labels_are_told_apart(names: str, labels: list[str]) -> None:
    """By the run if a model is in two of them, and by a number if that is the same,
    too.

    Fake models are marked.
    """
    text = page(
        *[
            run_of([asked("{}", model="m") | {"simulated": True}], name)
            for name in names
        ]
    )
    assert [row[0] for row in rows_of(text, "overview")[1:]] == [
        f"{label} simulated" for label in labels
    ]
    assert [trial["by"]["model"] for trial in embedded(text)] == labels
    assert ("Simulated." in text, "Simulated." in page(run_of(usual_records()))) == (
        True,
        False,
    )


# --- overview, curves, cells ----------------------------------------------------------


@example(0, 9)
@example(9, 0)
@example(1, 999)
@example(999, 1)
@given(part=st.integers(0, 300), rest=st.integers(0, 300))
def test_only_all_is_100_percent_and_only_nothing_is_0(part: int, rest: int) -> None:
    """This holds for the colours, too."""
    found = share_of(part, part + rest, percentage(part, part + rest))
    if found is None:
        assert part + rest == 0
        return
    assert (
        (step(found) == STEPS)
        == (found.rounded == "100")
        == (percent_of(found) == "100.0")
        == (rest == 0)
    )
    assert (
        (step(found) == 0)
        == (found.rounded == "0")
        == (percent_of(found) == "0.0")
        == (part == 0)
    )
    assert found.low <= found.value <= found.high


def test_the_overview_has_the_percentages_of_the_summary() -> None:
    """Cells have the weight of their questions; if a cell has no reply there are
    bounds.
    """
    some = run_of(
        [
            asked("{}"),
            asked("{}", trial=1),
            asked("1", op=Op.MUL),
            asked(None, trial=1, op=Op.MUL),
        ]
    )
    (_, row) = rows_of(page(some), "overview")
    expected = some.summary.results[0].value("correct_percentage")
    assert row[1].split()[0] == f"{expected:.1f}" == "50.0"
    (_, row) = rows_of(page(run_of([asked("{}"), asked(None, op=Op.MUL)])), "overview")
    assert row[1] == "-"
    assert "50.0 to 100.0 %" in row[0]


def test_the_overview_has_key_figures_first_and_the_best_model_on_top() -> None:
    """After correct %: 90 % to, cost, most errors.

    What lacks cells of others comes last.
    """
    easy = [
        one for one in usual_records("easy") if one["problem"]["variant"] == "int_add"
    ]
    poor = [
        wrong(Op.ADD if number % 2 else Op.SUB, 3, number, model="poor")
        for number in range(9)
    ]
    header, *rows = rows_of(
        page(run_of(poor, "a"), run_of(easy, "b"), run_of(usual_records(), "c")),
        "overview",
    )
    assert header[:2] + header[3:6] == [
        "model",
        "correct %",
        "90 % to",
        "cost",
        "most errors",
    ]
    assert [row[0].split()[0] for row in rows] == ["o4-mini", "easy", "poor"]
    assert rows[0][3] == "- to 4?"


def test_a_legend_says_only_what_is_shown() -> None:
    """Ranks are explained if there are some, and how far answers reach if it is
    known.
    """
    tasks = [*usual_records(), added("{}"), added("{}", trial=1)]
    others = [one | {"model": "other"} for one in tasks]
    for records, rank, reach in (
        (tasks, False, True),
        ([*tasks, *others], True, True),
        ([programmed("A000001"), programmed("A000001", "other")], False, False),
    ):
        text = page(run_of(records))
        lead = text[text.index('id="overview-title"') :].partition("</p>")[0]
        assert ("share a rank" in lead, "90 % to: " in lead) == (rank, reach)


def test_a_cell_says_how_many_are_correct() -> None:
    """Of as many trials as the caption says, of another number if the cell says so;
    none is known of a lost reply.
    """
    records = [*usual_records()[1:], asked(None, depth=2), asked(None, depth=5)]
    text = page(run_of(records))
    assert "correct of 3 by depth (digits)" in text
    cells = [row[:5] for row in rows_of(text, "cells")[1:4]]
    assert cells[0] == ["int_add", "2/2", "3", "3", "-"]
    assert cells[1:] == [
        ["int_sub", "3", "3", "0", "-"],
        ["int_mul", "0", "0", "0", "-"],
    ]
    last = [
        row[-1]
        for row in rows_of(
            page(run_of([asked("{}"), asked("1", op=Op.MUL), asked(None, op=Op.SUB)])),
            "cells",
        )
    ]
    assert last[1:4] == ["3?", "", "-"]  # a dash is a value: wrong at the first depth


def test_curves_stand_where_their_axis_says() -> None:
    """100 % and 0 % are at the ticks of these numbers; the table behind a curve has its
    numbers.
    """
    text = page(run_of(usual_records()))
    panels = re.findall(
        r"<figcaption>(\w[\w ]*)</figcaption>(.*?)</figure>", text, re.DOTALL
    )
    assert [title for title, _ in panels[:4]] == [
        "all variants",
        "int_add",
        "int_sub",
        "int_mul",
    ]
    heights = {
        title: set(map(float, re.findall(r'class="mark s1" d="M[\d.]+ ([\d.]+)a', svg)))
        for title, svg in panels
    }
    ticks = {
        name: float(y) - 4
        for y, name in re.findall(r'class="y" x="29" y="([\d.]+)">(\d+)<', panels[0][1])
    }
    assert (heights["int_add"], heights["int_mul"]) == ({ticks["100"]}, {ticks["0"]})
    assert ticks["100"] < ticks["50"] < ticks["0"]  # SVG counts from the top
    assert ["4", "0.0 0.0-56.1"] in rows_of(text, "depth")
    header, row, *_ = rows_of(text, "depth")
    assert (header, row[0::3]) == (
        ["model", "int_add", "int_sub", "int_mul"],
        ["o4-mini", "< 2"],
    )
    assert row[1] == "> 4"


def test_many_models_get_a_panel_each() -> None:
    """More than six lines cannot be told apart.

    A model that lacks variants has no curve of all of them.
    """
    runs = [
        run_of(all_cells(f"model-{number}", 99, trials=1), f"{number}")
        for number in range(6)
    ]
    few, many = (
        page(run_of(usual_records()), *some).partition('id="cells"')[0]
        for some in (runs[:5], runs)
    )
    of_all, of_one = few.split("<figcaption>")[1:3]
    assert ('class="band s1"' in of_all, 'class="band s1"' in of_one) == (False, True)
    assert "<figcaption>o4-mini, 3 of 8 variants</figcaption>" in many
    assert (few.count("<figcaption>"), many.count("<figcaption>")) == (11, 9)


# --- differences ----------------------------------------------------------------------


def test_models_are_compared_with_the_first_one() -> None:
    """By the same questions; the best is on top.

    Models with other questions are marked.
    """
    right = {"good": 20, "near": 19, "bad": 5, "worst": 4}
    runs = [
        run_of([one | {"model": name} for one in sums(count)], name)
        for name, count in right.items()
    ]
    text = page(runs[1], runs[0], *runs[2:], run_of(usual_records("other"), "other"))
    rows = [
        row
        for row in rows_of(text, "differences")
        if row[0] in (*right, "near baseline", "other not compared")
    ]
    assert [row[0] for row in rows[:4]] == ["good", "near baseline", "bad", "worst"]
    assert [row[1:3] for row in rows[:4:2]] == [["100.0", "95.0"], ["25.0", "95.0"]]
    assert [row[3].split()[0] for row in rows[:4]] == [
        "+5.0",
        "-",
        "-70.0",
        "-75.0",
    ]
    assert [row[0] for row in rows[4:]] == [*right, "other not compared"]
    assert (
        "Compared with <strong>near</strong>, significantly worse: bad, worst; not separated: good."
        in text
    )
    assert "Not compared, as they were asked other questions: other." in text
    assert "No two models were asked the same questions" in page(
        runs[0], run_of(usual_records("other"), "other")
    )


# --- conditions, repeats, costs -------------------------------------------------------


def sums(right: int) -> list[Any]:
    """Twenty sums, of which the first ones are right."""
    return [asked("{}" if trial < right else "1", 3, trial) for trial in range(20)]


@pytest.mark.parametrize(
    ("usual", "comma", "direction", "points", "reach"),
    [
        (20, 0, "worse", "-100.0", 100),
        (0, 20, "better", "+100.0", 100),
        (20, 20, "unclear", "0.0", 20),
    ],
)
def test_a_condition_is_coloured_if_it_is_more_than_chance(
    usual: int, comma: int, direction: str, points: str, reach: int
) -> None:
    """The difference is on the side that it has, and the scale holds its interval."""
    records = [*sums(usual), *in_conditions(sums(comma), COMMA)]
    text = page(run_of(records))
    row = rows_of(text, "conditions")[-1]
    assert row[0] == "o4-mini, numbers_comma arithmetic numbers_comma usual"
    assert (row[4], row[7].split()[0]) == ("20", points)
    assert f'<svg class="whisker {direction}"' in text
    assert f"<span>+{reach}</span>" in text
    (mark,) = re.findall(
        r'<rect class="here" x="([\d.]+)"', text[text.index('id="conditions"') :]
    )[:1]
    assert (float(mark) < 49) == (comma < usual)
    assert (float(mark) > 51) == (comma > usual)


def test_repeats_are_counted_by_problem() -> None:
    """pass@1, pass@k, majority, agreement."""
    answers = [
        (trial, repeat, "{}" if repeat < 2 else "1")
        for trial in range(3)
        for repeat in range(3)
    ]
    records = [
        asked(answer, trial=trial) | {"repeat": repeat}
        for trial, repeat, answer in answers
    ]
    row = rows_of(page(run_of(records)), "repeats")[1]
    assert [cell.split()[0] for cell in row[2:] if cell] == [
        "3",
        "3",
        "0.0",
        "66.7",
        "100.0",
        "100.0",
    ]
    assert row[:2] == ["o4-mini arithmetic", "arithmetic"]
    assert row[-1] == "100.0 43.9-100"


def test_the_line_joins_models_that_beat_all_cheaper_ones() -> None:
    """Points have numbers in the order of price, as the table has."""
    offers = (
        ("poor", 3, 0.001),
        ("good", 9, 0.01),
        ("cheap", 4, 0.0001),
        ("unpriced", 10, None),
    )
    text = page(*[priced_run(*offer) for offer in offers])
    rows = [" ".join(row) for row in rows_of(text, "cost")[1:4]]
    assert rows == [
        "cheap $0.1 40.0 16.8-68.7",
        "poor $1 30.0 10.8-60.3",
        "good $10 90.0 59.6-98.2",
    ]
    points = re.findall(
        r'<g class="point([ \w]*)">.*?<text[^>]*>(\w+)<', text, re.DOTALL
    )
    assert points == [(" best", "1"), ("", "2"), (" best", "3")]
    assert '<ol class="numbered"><li>cheap</li><li>poor</li><li>good</li></ol>' in text
    assert "No known cost: unpriced." in text


def test_a_run_of_easy_cells_is_not_on_the_line() -> None:
    """The page says which cells it lacks."""
    easy = [
        one for one in usual_records("easy") if one["problem"]["variant"] == "int_add"
    ]
    text = page(run_of(usual_records("good"), "good"), run_of(easy, "easy"))
    assert (text.count('class="point lacks"'), text.count('class="point best"')) == (
        1,
        1,
    )
    assert (
        "Dashed, and not on the line: easy lacks 6 of 9 cells that others have: int_sub, int_mul."
        in text
    )


# --- errors, breaking points, sequences -----------------------------------------------


@given(
    answer=st.from_regex(r"-?[0-9]{1,12}(\.[0-9]{1,4})?", fullmatch=True),
    other=st.integers(-(10**12), 10**12),
)
def test_digits_that_differ_are_marked(answer: str, other: int) -> None:
    """Both are as long, with dots for missing characters; what is not marked is the
    same.
    """
    record = asked(answer) | {"problem": wrong()["problem"] | {"expected": str(other)}}
    trial = shown_trial(record_of(record), "o4-mini")
    assert trial.compared is not None
    one, rest = ("".join(text for text, _ in pieces) for pieces in trial.compared)
    assert (one.replace("·", ""), rest.replace("·", "")) == (
        trial.answer,
        trial.expected,
    )
    spans = [
        [(len(text), differs) for text, differs in pieces] for pieces in trial.compared
    ]
    assert spans[0] == spans[1]
    assert all(
        a == b
        for (a, differs), (b, _) in zip(*trial.compared, strict=True)
        if not differs
    )


def test_each_class_has_three_examples_of_many_models() -> None:
    """With the question, the answer above the expected one, and its wrong digits
    marked; without a script.
    """
    text = page(
        *[
            run_of([wrong(trial=trial, model=name) for trial in range(3)], name)
            for name in "abcd"
        ]
    )
    examples = re.findall(r'<p class="example">(.*?)</p>', text, re.DOTALL)
    assert [re.findall("<small>(.*?)</small>", example) for example in examples] == [
        ["a"],
        ["b"],
        ["c"],
    ]
    assert [len(re.findall(r"<mark>\d</mark>", example)) for example in examples] == [
        2,
        2,
        2,
    ]
    two = page(
        run_of([wrong(trial=trial) for trial in range(2)]), run_of([wrong(model="b")])
    )
    assert re.findall(r'class="example">.*?<small>(.*?)</small>', two, re.DOTALL) == [
        "o4-mini",
        "b",
        "o4-mini",
    ]
    assert 'class="example"' not in page(run_of([asked("{}")]))


def test_errors_stand_in_their_classes() -> None:
    """Their shares, the positions of wrong digits from both ends, and what a strict
    format costs.
    """
    text = page(run_of(usual_records(trials=2)))
    rows = rows_of(text, "errors")
    matrix, of_model = dict(zip(*rows[:2], strict=True)), rows[2:]
    assert (matrix["one digit"], matrix["right, bare"]) == ("100.0", "55.6")
    assert of_model[1][0] == "one digit"
    digits = next(row for row in rows if row[0] == "all")
    assert digits == ["all", *["0", "0", "0", "100"] * 2]


FOUND = {
    "question": "27 * 48",
    "expected": "1296",
    "answer": "1286",
    "error_class": "one digit",
    "ended": "shrunk",
}
NOTHING = dict.fromkeys(FOUND) | {
    "ended": "nothing found",
    "largest_right": "9 * 9",
    "depth_right": 1,
}
CHANCE = NOTHING | {"ended": "not reproduced", "not_reproduced": 5}


@pytest.mark.parametrize(
    ("point", "told"),
    [
        (
            FOUND | {"question": "\x1b1 + 1"},
            r"\x1b1 + 1 = 1296, not 1286 one digit",
        ),
        (
            FOUND | {"ended": "budget"},
            "27 * 48 = 1296, not 1286 one digit maybe not the simplest",
        ),
        (
            FOUND | {"answer": None, "error_class": None, "reason": "refusal"},
            "27 * 48 = 1296, refusal",
        ),
        (NOTHING, "no repeatable error up to depth 1"),
        (
            CHANCE,
            "no repeatable error up to depth 1 not reproduced: 5 questions answered "
            "wrongly, then rightly",
        ),
    ],
    ids=["found", "budget", "no answer", "nothing", "chance"],
)
def test_a_search_is_told_in_a_row(point: dict[str, Any], told: str) -> None:
    """The simplest wrong question, or how far all was right; then the number of
    questions.
    """
    run = run_of([search_record(lambda of: "7")])
    counted: Any
    (counted,) = run.summary.results
    (known,) = counted.examples("breaking_points")
    found = replace(known, **point)
    counted.examples = lambda key, variant=None: (
        [found] if key == "breaking_points" else []
    )
    text = page(run)
    assert rows_of(text, "breaking")[1][-2:] == [str(known.questions), told]
    assert f"wrong in {int(point['question'] is not None)} of 1 searches" in text


def test_sequences_have_scores_and_curves() -> None:
    """What programs got right by limit, and which sequence no model solved."""
    records = [
        programmed("A000001"),
        programmed("A000002", scores={"0.5": 0.0, "4": 0.0}),
    ]
    text = page(run_of(records))
    rows = rows_of(text, "scores")
    assert [row[2:5] for row in rows[1:3]] == [
        ["0.5 s", "2", "33.3"],
        ["4 s", "2", "33.3"],
    ]
    of_ranks = [row for row in rows if len(row) == 2]
    assert of_ranks[1:] == [["1", "0.6667"], ["2", "0.0000"]]
    unsolved = "Solved by no model here: "
    assert f"{unsolved}A000002<" in text
    assert unsolved not in page(
        run_of(records), run_of([programmed("A000002", "other")], "other")
    )


# --- embedded trials ------------------------------------------------------------------


@pytest.mark.proof
def test_wrong_trials_are_embedded_first() -> None:
    """5,000 in all, the wrong ones first; each run has its part, and the page says what
    it left out.
    """
    right, few = [asked("{}")] * 4_000, [asked("1")] * 20
    text = page(
        run_of([*right, *few], "one"),
        run_of([*right, *few], "two"),
        run_of(few, "three"),
    )
    found = [trial["by"] for trial in embedded(text)]
    assert Counter(by["outcome"] for by in found) == {"correct": 4_940, "deviate": 60}
    assert [*Counter(by["model"] for by in found).values()] == [2_490, 2_490, 20]
    assert "5,000 of 8,060 trials, wrong ones first" in text
    assert "3,060 are left out, 0 of them not correct" in text
    assert "500 are left out, 500 of them not correct" in page(
        run_of([asked("1")] * 5_500)
    )


def test_embedded_data_has_no_character_that_means_anything() -> None:
    """It is base64, and a reply comes out as it went in; a long one loses its
    middle.
    """
    text = "</script><!--\u2028\u202e\ud800&'\""
    hostile, long = embedded(
        page(run_of([asked(text), asked("1" * 15_000 + "2" * 15_000, trial=1)]))
    )
    assert hostile["reply"] == text
    assert long["reply"] == {"cut": ["1" * 15_000, "2" * 5_000, 30_000]}


def test_trials_are_filtered_by_what_tells_them_apart() -> None:
    """A filter in which there is nothing to choose is left out; classes and reasons are
    filters of their own.
    """
    text = page(run_of(usual_records()))
    names = re.findall(r'<select name="(\w+)"', text)
    assert names == ["model", "variant", "depth", "outcome", "class", "reason"]
    assert re.findall(
        r'name="(?:class|reason)"><option value="">all</option><option>(.*?)<', text
    ) == [
        "one digit",
        "unreadable",
    ]
    several = page(
        run_of(in_conditions(usual_records(), USUAL_FIELDS, COMMA, repeats=2))
    )
    assert set(re.findall(r'<select name="(\w+)"', several)) - set(names) == {
        "condition",
        "repeat",
    }
    assert Counter(trial["by"]["condition"] for trial in embedded(several)) == {
        "usual": 54,
        "numbers_comma": 54,
    }


@pytest.mark.parametrize("value", [None, 10**400, 1.5, "", {"x": []}], ids=repr)
def test_any_custom_problem_is_shown(value: Any) -> None:
    """A task of the user may have any JSON as inputs, expected answer and answer."""
    place = {"label": "a", "seed": 0, "variant": None, "depth": None, "trial": 0}
    problem = place | {"inputs": {"x": value}, "expected": value}
    grade = {"score": 0.5, "details": {"kind": "own", "values": {"found": value}}}
    custom = asked("1") | {
        "task": "mine",
        "problem": problem,
        "answer": value,
        "reading": None,
        "grade": grade,
    }
    (trial,) = embedded(page(run_of([custom])))
    assert trial["question"].startswith("x: ")


def test_cells_of_a_thousand_digits_are_shown() -> None:
    """Their columns, and the links to their trials, have the depth without a comma."""
    records = usual_records()
    for record in records:
        record["problem"]["depth"] += 997
    text = page(run_of(records))
    cells = text[text.index('<section id="cells"') : text.index('<section id="errors"')]
    assert re.findall(r"<span>(\d+)</span></th>", cells) == ["999", "1000", "1001"]
    assert "variant=int_add&amp;depth=1001" in cells


# --- provenance -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "fact", "shown"),
    [
        ("seed", 0, ["seed", "0"]),
        (
            "asking",
            {"announced_stored": 3, "unsaved": 2, "lost_usd": 0.5},
            ["requests", "announced stored 3", "unsaved 2", "lost $0.5000"],
        ),
        ("conditions", [USUAL_FIELDS, COMMA], ["conditions", "usual, numbers_comma"]),
        (
            "prompt_texts",
            {"templates": {"terse": "{lhs}{sign}{rhs}=<b>"}},
            ["prompt texts", "templates terse {lhs}{sign}{rhs}=<b>"],
        ),
        (
            "prompt_texts",
            {"templates": {"in_words_s": "{lhs}"}, "systems": {"max_usd": "short"}},
            ["prompt texts", "templates in words s {lhs}", "systems max usd short"],
        ),
        ("repeats", 3, ["repeats", "3"]),
        (
            "git",
            {"commit": "0123", "dirty": True},
            ["source", "commit 0123", "uncommitted changes yes"],
        ),
        (
            "limits",
            {"concurrency": 16, "timeout_s": 600.0, "retries": 3, "max_cost_usd": 5},
            [
                "limits",
                "concurrency 16",
                "timeout 600 s",
                "retries 3",
                "max cost $5.00",
            ],
        ),
    ],
)
def test_provenance_tells_how_a_run_was_made(
    name: str, fact: Any, shown: list[str]
) -> None:
    """A name, and its values with their units."""
    assert shown in facts_of(page(run_of(usual_records(), **{name: fact})))


def test_provenance_shows_only_what_is_there() -> None:
    """No empty lists, and what options say of the tasks that have results."""
    model = {"name": "o4-mini", "target": "o4-mini", "known": ()}
    told = {"limits": (0.5, 4.0), "sets": ()}
    tasks = {"oeis": told, "arithmetic": told}
    facts = facts_of(page(run_of(usual_records(), models=[model], tasks=tasks)))
    assert ["model o4-mini", "target o4-mini"] in facts
    found = [fact for fact in facts if fact[0].startswith("task ")]
    assert found == [["task arithmetic", "limits 0.5, 4.0"]]


def test_provenance_shows_parameters_whose_names_end_like_units() -> None:
    """The user names parameters, whose values may have any type."""
    params = {"stop_s": "a", "max_usd": [1, "b"], "extra": {"size_bytes": "c"}}
    model = {"name": "m", "target": "m", "params": params}
    text = page(run_of(usual_records("m"), models=[model]))
    (facts,) = [fact for fact in facts_of(text) if fact[0] == "model m"]
    assert {"stop s a", "max usd $1.00, b", "extra size bytes c"} <= {*facts}


def test_provenance_names_the_model_that_was_served() -> None:
    """The provider may send any text for it."""
    records = [
        asked("{}", model="m", served_model="m-<i>2026"),
        asked("{}", trial=1, model="m", served_model="m-\x1b2025"),
    ]
    text = page(run_of(records))
    assert ["model m", r"served m-\x1b2025, m-<i>2026"] in facts_of(text)
    assert "<i>" not in text


def facts_of(text: str) -> list[list[str]]:
    """The names of the facts of a run, each with its values."""
    provenance = text[text.index('<section id="provenance"') :]
    facts = []
    for fact in re.findall(r"<dt>.*?</dd>", provenance, re.DOTALL):
        name, _, values = fact.partition("</dt>")
        shown = re.findall(r'<span class="value">(.*?)</span>', values)
        facts.append([unescape(re.sub(r"<.*?>", "", part)) for part in (name, *shown)])
    return facts
