"""The parts of the page, without a browser."""

from __future__ import annotations

import base64
import copy
import gzip
import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pytest_llmarith.records import Record, convert
from pytest_llmarith.reports.page.browser import browser
from pytest_llmarith.reports.page.costs import scatters
from pytest_llmarith.reports.page.curves import depth_curves, length_curves
from pytest_llmarith.reports.page.cutting import CUT, shortened
from pytest_llmarith.reports.page.errors import errors
from pytest_llmarith.reports.page.heatmaps import heatmaps
from pytest_llmarith.reports.page.overview import overview
from pytest_llmarith.reports.page.percentages import STEPS, share
from pytest_llmarith.reports.page.plots import Axis, decades, polyline, ribbon, thinned
from pytest_llmarith.reports.page.runs import LONGEST_LABEL, Series, series_of
from pytest_llmarith.reports.page.sequences import sequence_sets
from pytest_llmarith.reports.page.trials import shown_trial
from pytest_llmarith.reports.tables.variants import variant_table
from pytest_llmarith.values import Failure, Op, Outcome, Reply
from tests.reports.page.made_runs import (
    COMMA,
    embedded_records,
    priced_run,
    problem,
    record,
    run_of,
    sequence_record,
    usual_records,
)
from tests.runs_on_disk import added, asked, programmed, record_of, summed_up

JUDGE = {"cheat": False, "model": "gpt-4o", "replies": []}

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
    max_leaves=8,
)


class Page(HTMLParser):
    """What a parser of HTML finds in a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inside: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self._open.append(tag)
            self.inside.setdefault(tag, []).append("")

    def handle_endtag(self, tag: str) -> None:
        if self._open and self._open[-1] == tag:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._open:
            self.inside[self._open[-1]][-1] += data


# --- texts ----------------------------------------------------------------------------------------------------------


@given(value=JSON)
def test_what_is_short_stays(value: Any) -> None:
    """A value whose texts are all short enough is what it was."""
    assert shortened(value, len(repr(value))) == value


@given(text=st.text(min_size=50), longest=st.integers(8, 40))
def test_long_texts_keep_both_ends(text: str, longest: int) -> None:
    """As many characters as asked for, a quarter of them from the end, and how many there were."""
    head, tail, length = shortened(text, longest)[CUT]
    assert text.startswith(head)
    assert text.endswith(tail)
    assert (len(head) + len(tail), length) == (longest, len(text))


# --- what the trial browser holds -------------------------------------------------------------------------------------


def unpacked(block: str) -> Any:
    return json.loads(gzip.decompress(base64.b64decode(block)))


def test_the_browser_holds_wrong_trials_first(page: Any) -> None:
    """The wrong ones, then right ones, 5,000 in all; each run has its part, and the page counts the rest."""
    right = [record(problem(trial=0), Reply(text=problem(trial=0).expected))] * 4_000
    wrong = [record(problem(trial=0), Reply(text="1"))] * 20
    runs = [run_of([*right, *wrong], "one"), run_of([*right, *wrong], "two"), run_of(wrong, "three")]
    series = series_of([run.name for run in runs], [run.summary() for run in runs])
    shown = browser(runs, series)
    trials = [trial for block in shown.blocks for trial in unpacked(block)]
    columns = unpacked(shown.index)["columns"]
    assert (shown.count, len(trials), len(columns["outcome"])) == (5_000, 5_000, 5_000)
    assert (shown.left_out, shown.wrong_left_out) == (3_060, 0)
    assert Counter(columns["model"]) == {0: 2_490, 1: 2_490, 2: 20}
    assert Counter(columns["outcome"])[1] == 60
    assert "5,000 of 8,060 trials, wrong ones first" in page(*runs)


def test_a_block_has_no_character_that_means_anything() -> None:
    """Whatever a reply holds, its block in the page is letters, digits, +, / and =, and comes out as it went in."""
    text = "</script><!--\u2028\u202e\ud800&'\""
    run = run_of([record(problem(), Reply(text=text))])
    (block,) = browser([run], series_of([run.name], [run.summary()])).blocks
    assert re.fullmatch(r"[A-Za-z0-9+/=]+", block)
    assert unpacked(block)[0]["reply"] == text


# --- trials ---------------------------------------------------------------------------------------------------------


# --- geometry -------------------------------------------------------------------------------------------------------


def test_axes_may_run_backwards() -> None:
    """An axis may run from a larger position to a smaller one, as SVG counts from the top."""
    axis = Axis(0, 100, 186, 10)
    assert (axis.at(0), axis.at(50), axis.at(100)) == (186, 98, 10)


def test_logarithmic_axes_give_every_decade_as_much() -> None:
    """A tenth is as far from one as one is from ten."""
    axis = Axis(0.1, 10, 0, 100, logarithmic=True)
    assert [axis.at(value) for value in (0.1, 1, 10)] == [0, 50, 100]


def test_an_axis_of_one_value_has_it_in_its_middle() -> None:
    """An axis whose ends are one value has that in its middle, and nothing is divided by 0."""
    assert Axis(3, 3, 0, 10).at(3) == 5


def test_paths() -> None:
    """Lines and areas are written as SVG's paths, and those of no points are empty."""
    points = [(1.0, 2.5), (3.0, 4.0)]
    assert polyline(points) == "M1 2.5L3 4"
    assert ribbon(points, [(1.0, 5.0), (3.0, 6.0)]) == "M1 2.5L3 4L3 6L1 5Z"
    assert (polyline([]), ribbon([], [])) == ("", "")


@pytest.mark.parametrize(
    ("low", "high", "powers"),
    [(0.02, 3, [0.01, 0.1, 1, 10]), (1, 1, [1, 10]), (0.5, 0.6, [0.1, 1])],
)
def test_decades_enclose(low: float, high: float, powers: list[float]) -> None:
    """The axis spans whole powers of ten around all values, at least two of them."""
    assert decades(low, high) == powers


def test_ticks_are_thinned_evenly() -> None:
    """Where there are too many ticks, every nth one is kept, beginning with the first."""
    assert thinned(range(2, 31), 10) == [2, 5, 8, 11, 14, 17, 20, 23, 26, 29]


# --- numbers --------------------------------------------------------------------------------------------------------


@given(part=st.integers(0, 300), rest=st.integers(0, 300))
def test_only_all_is_all_blue_and_only_nothing_is_white(part: int, rest: int) -> None:
    """The ends of the colours say exactly what they seem to say."""
    found = share(part, part + rest)
    if found is None:
        assert part + rest == 0
        return
    assert (found.step == STEPS) == (rest == 0)
    assert (found.step == 0) == (part == 0)
    assert found.low <= found.percent <= found.high


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [(0, 9, "0"), (9, 9, "100"), (1, 2, "50"), (999, 1000, ">99"), (1, 1000, "<1"), (2, 3, "67")],
)
def test_rounded_percentages_do_not_claim_too_much(part: int, whole: int, text: str) -> None:
    """Only all of the trials are 100 %, and only none of them 0 %."""
    found = share(part, whole)
    assert found is not None
    assert found.rounded == text


def test_nothing_is_reliable_where_nothing_was_measured() -> None:
    """A variant without a reply has neither a depth nor a bound."""
    run = run_of([record(problem(), Reply(text="1")), record(problem(Op.SUB), Failure("no reply"))])
    (found,) = heatmaps(series_of([run.name], [run.summary()]))
    assert {row.variant: row.reliable for row in found.rows} == {"int_add": "none: at most 80 %", "int_sub": "-"}


def test_a_curve_of_some_variants_says_so() -> None:
    """What a model has of all variants that were asked; with several models it says whose, and the rest is no lack."""
    one, other = run_of(usual_records(), "a"), run_of(embedded_records("llmarith/exact", 99, trials=1), "b")
    (alone, *_), (both, *rest) = (
        found.panels
        for runs in ([one], [one, other])
        if (found := depth_curves(series_of([run.name for run in runs], [run.summary() for run in runs])))
    )
    assert alone.notes == []
    assert both.notes == ["o4-mini: 3 of 8 variants answered"]
    assert not any(panel.notes for panel in rest)


def test_leading_digits_are_those_of_answers_as_long_as_the_truth() -> None:
    """Of another length, digits that look right stand elsewhere."""
    shorter, wrong = (record(problem(depth=4), Reply(text=text)) for text in ("999", "1000"))
    assert dict(shown_trial(record_of(shorter))["facts"])["leading digits right"] == "- (other length)"
    assert dict(shown_trial(record_of(wrong))["facts"])["leading digits right"] == "0"
    (result,) = run_of([shorter]).summary().results
    assert variant_table(result)[-1].split()[-1] == "-"
    (result,) = run_of([wrong]).summary().results
    assert variant_table(result)[-1].split()[-1] == "0"


def test_classes_of_errors_and_reasons_of_no_answer_are_told_apart() -> None:
    """Classes of errors and reasons of no answer have a filter each."""
    run = run_of(usual_records())
    choices = {one.name: one.words for one in browser([run], series_of([run.name], [run.summary()])).choices}
    assert (choices["class"], choices["reason"]) == (["one digit"], ["unreadable"])


def test_provenance_has_no_names_of_the_code(page: Any) -> None:
    """What was counted while asking is told in words."""
    asking = {"announced_stored": 3, "unsaved": 2, "judged": 5}
    text = page(run_of(usual_records(), asking=asking))
    told = "of them in the store 3, not saved in the store 2, replies of judges 5"
    assert f"<dd>{told}</dd>" in text


def test_provenance_tells_how_questions_were_put_and_searched(page: Any) -> None:
    """Conditions by their names, templates as they are, repeats and searches; nothing of a run that did as usual."""
    usual = COMMA | {"numbers": "plain"}
    manner: dict[str, Any] = {
        "conditions": [usual, COMMA],
        "wordings": {"templates": {"terse": "{lhs}{sign}{rhs}="}},
        "repeats": 3,
    }
    text = page(run_of(usual_records(), **manner, search={"budget": 40}))
    for told in (
        "<dt>conditions</dt><dd>usual, numbers_comma</dd>",
        "<dt>wordings</dt><dd>templates terse {lhs}{sign}{rhs}=</dd>",
        "<dt>repeats</dt><dd>every question 3 times</dd>",
        "<dt>searches</dt><dd>questions each at most 40</dd>",
    ):
        assert told in text
    plain = page(
        run_of(usual_records(), conditions=[usual], wordings={"templates": {}, "systems": {}}, repeats=1, search=None)
    )
    assert not any(f"<dt>{name}</dt>" in plain for name in ("conditions", "wordings", "repeats", "searches"))


def test_labels_are_told_apart() -> None:
    """By the run where a name stands in two of them, by a number where even that is alike."""
    run = run_of(usual_records()).summary()
    assert [one.label for one in series_of(["a", "b"], [run, run])] == ["o4-mini, a", "o4-mini, b"]
    assert [one.label for one in series_of(["a", "a"], [run, run])] == ["o4-mini, a (1)", "o4-mini, a (2)"]
    (only,) = series_of(["x" * 200], [run_of(usual_records("m" * 300)).summary()])
    assert len(only.label) == LONGEST_LABEL


def test_a_model_counts_once_in_the_title(page: Any) -> None:
    """The title counts a model once, however many runs it is in."""
    runs = [run_of(usual_records(model), name) for name, model in (("a", "x"), ("b", "x"), ("c", "y"))]
    assert "<title>x and y in 3 runs - llmarith</title>" in page(*runs)
    runs[0] = run_of(usual_records("z"), "a")
    assert "<title>3 models in 3 runs - llmarith</title>" in page(*runs)
    assert "<title>o4-mini in 3 runs - llmarith</title>" in page(*[run_of(usual_records(), name) for name in "abc"])


@pytest.mark.parametrize("count", [2, 3])
def test_a_title_counts_conditions(page: Any, count: int) -> None:
    """One model that was asked in several ways is named once."""
    formats = [COMMA | {"numbers": numbers} for numbers in ("plain", "comma", "space")]
    records = [one | {"condition": condition} for condition in formats[:count] for one in usual_records()]
    assert f"<title>o4-mini in {count} conditions - llmarith</title>" in page(run_of(records))


def test_conditions_stand_beside_each_other(page: Any) -> None:
    """A model that was asked in two conditions is two, and a trial says in which one it was asked."""
    asked = [one | {"condition": COMMA, "repeat": 1} for one in usual_records()]
    run = run_of([*usual_records(), *asked])
    series = series_of([run.name], [run.summary()])
    assert [one.label for one in series] == ["o4-mini", "o4-mini, numbers_comma"]
    assert [one.results["arithmetic"].measured for one in series] == [27, 27]
    found = browser([run], series)
    assert unpacked(found.index)["columns"]["model"] == [0] * 27 + [1] * 27
    assert ["condition", "numbers_comma"] in unpacked(found.blocks[0])[-1]["facts"]


def test_a_heatmap_says_what_is_measured() -> None:
    """A count of correct trials, of as many as the caption says; of another number where the cell says so."""
    records = [*usual_records(), record(problem(depth=2, trial=9), Failure("no reply"))]
    records[0] = record(problem(depth=2), Failure("no reply"))
    run = run_of(records)
    (found,) = heatmaps(series_of([run.name], [run.summary()]))
    texts = {row.variant: [cell and cell.text for cell in row.cells] for row in found.rows}
    assert found.usual == 3
    assert texts == {"int_add": ["2/2", "3", "3"], "int_sub": ["3", "3", "0"], "int_mul": ["0", "0", "0"]}


# --- the page -------------------------------------------------------------------------------------------------------


def test_style_and_script_are_the_ones_that_the_policy_names(page: Any) -> None:
    """The policy names the hashes of our style and script, nothing else and nothing from anywhere."""
    found = Page(page(run_of(usual_records())))
    policy = next(attributes["content"] for tag, attributes in found.tags if "http-equiv" in attributes) or ""
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert set(rules) == {"default-src", "style-src", "script-src", "img-src", "base-uri", "form-action"}
    (style,), script = found.inside["style"], found.inside["script"][-1]
    for kind, text in (("style-src", style), ("script-src", script)):
        assert rules[kind] == f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def test_nothing_is_fetched(page: Any) -> None:
    """No element names an address that a browser would ask; links are for people."""
    found = Page(page(run_of(usual_records())))
    assert not any("src" in attributes or "style" in attributes for _, attributes in found.tags)
    assert [attributes["href"] for tag, attributes in found.tags if tag == "link"] == ["data:,"]
    assert "@import" not in found.inside["style"][0]
    assert "url(" not in found.inside["style"][0]
    assert "innerHTML" not in found.inside["script"][-1]


def test_names_are_escaped(page: Any) -> None:
    """Hostile names of models, runs and reasons become no tags."""
    hostile = "<b onclick=alert(1)>\"'&</script>"
    text = page(run_of([record(problem(), Failure(hostile), hostile)], name=hostile, stopped=hostile))
    assert not any("onclick" in attributes for _, attributes in Page(text).tags)
    assert "<b onclick" not in text


def test_the_same_run_makes_the_same_page(page: Any) -> None:
    """Two pages of the same run are the same, byte by byte."""
    assert page(run_of(usual_records())) == page(run_of(usual_records()))


def test_a_page_without_any_answer_can_be_written(page: Any) -> None:
    """All of a run may be unanswered, and it may have no trial at all."""
    assert "0 of 1 answered" in page(run_of([record(problem(), Failure("no reply"))]))
    assert "all 0 answered" in page(run_of([]))


def test_lone_surrogates_are_no_obstacle(page: Any) -> None:
    """A model's name and a reply may hold half a character."""
    assert "U+" in page(run_of([record(problem(), Reply(text="\ud800"), "half\ud800")]))


def test_errors_stand_in_their_classes(page: Any) -> None:
    """A digit that is missed in a difference of four: where it stands, how much is carried, what discipline costs."""
    run = run_of(usual_records(trials=2))
    found = errors(series_of([run.name], [run.summary()]))
    assert found is not None
    (anatomy,) = found.anatomies
    assert anatomy.deviates == 2
    assert [(one.name, one.share.part) for one in anatomy.classes] == [("one digit", 2)]
    (row,) = anatomy.positions
    assert [place and place.part for place in row.left] == [0, 0, 0, 2]
    assert [place and place.part for place in row.right] == [2, 0, 0, 0]
    assert dict(anatomy.facts)["no answer"] == "6 unreadable"
    assert "Wrong digits" in page(run)


def test_sequences_have_scores_curves_and_terms(page: Any) -> None:
    """What a program got right, by limit and by place, and which sequence nobody solved."""
    run = run_of(
        [sequence_record("A000001", [1, 2, 3], ["1", "2", "4"]), sequence_record("A000002", [1, 2], ["3", ""])]
    )
    (found,) = sequence_sets(series_of([run.name], [run.summary()]))
    assert [(row.limit, row.score) for row in found.rows] == [("0.5 s", "33.3"), ("4 s", "33.3")]
    assert [panel.header[0] for panel in found.panels] == ["rank", "term"]
    assert found.panels[0].rows == [["1", "0.6667"], ["2", "0.0000"]]
    assert [row[1].split()[0] for row in found.panels[1].rows] == ["50.0", "50.0", "0.0"]
    assert found.unsolved == ["A000002"]
    assert "Solved by nobody here" in page(run)


@pytest.mark.parametrize(("digits", "name"), [(1, "1"), (2, "2-5"), (5, "2-5"), (6, "6-9"), (30, "30-33")])
def test_lengths_are_put_together(digits: int, name: str) -> None:
    """On a curve four lengths are put together under one name, from two digits on."""
    (result,) = summed_up([added("{}")]).results
    result = replace(result, lengths=[replace(result.lengths[0], digits=digits)])
    series = [Series(0, "o4-mini", (0, "o4-mini", ""), {"integer_addition": result})]
    found = length_curves(series)
    assert found is not None
    assert [row[0] for row in found.panels[0].rows] == [name]


# --- accuracy against cost ------------------------------------------------------------------------------------------


def test_who_is_beaten_by_someone_cheaper_is_not_on_the_line() -> None:
    """The line joins what is better than everything cheaper; of whom no cost is known, the name is told."""
    runs = [
        priced_run("cheap", 4, 0.0001),
        priced_run("poor", 3, 0.001),
        priced_run("good", 9, 0.01),
        priced_run("unpriced", 10, None),
    ]
    (found,) = scatters(series_of([run.name for run in runs], [run.summary() for run in runs]))
    assert {point.label for point in found.points if point.best} == {"cheap", "good"}
    assert found.unpriced == ["unpriced"]
    assert [tick.text for tick in found.x_ticks] == ["$0.1", "$1", "$10"]
    assert found.rows == [
        ["cheap", "$0.1", "40.0 (16.8-68.7)"],
        ["poor", "$1", "30.0 (10.8-60.3)"],
        ["good", "$10", "90.0 (59.6-98.2)"],
    ]


def test_a_run_of_easy_cells_is_not_on_the_line(page: Any) -> None:
    """It is drawn hollow, and which cells it lacks is said; the line joins those that answered the same cells."""
    runs = [
        run_of(usual_records("good"), "good"),
        run_of([one for one in usual_records("easy") if one["problem"]["variant"] == "int_add"], "easy"),
    ]
    (found,) = scatters(series_of([run.name for run in runs], [run.summary() for run in runs]))
    assert {point.label: (point.best, point.missing) for point in found.points} == {
        "good": (True, False),
        "easy": (False, True),
    }
    (said,) = found.missing
    assert said == "easy lacks 6 of 9 cells that others have: int_sub, int_mul"
    text = page(*runs)
    assert text.count('class="point hollow"') == 1
    assert f"Hollow, and not on the line: {said}." in text


def test_names_that_have_no_room_become_numbers() -> None:
    """Of many models at one place every one has its number, by price, and a legend says whose it is."""
    runs = [priced_run(f"a-model-with-a-long-name-{number}", 5, 0.001) for number in range(13)]
    (found,) = scatters(series_of([run.name for run in runs], [run.summary() for run in runs]))
    assert [point.name for point in found.points] == [str(number) for number in range(1, 14)]
    assert len({(point.name_x, point.name_y) for point in found.points}) == 13
    assert found.legend == [(point.name, point.label) for point in found.points]


def test_names_that_have_room_stand_at_their_points() -> None:
    """Names that have room stand at their points, and the plot then needs no legend."""
    runs = [priced_run("cheap", 4, 0.0001), priced_run("good", 9, 0.01)]
    (found,) = scatters(series_of([run.name for run in runs], [run.summary() for run in runs]))
    assert ([point.name for point in found.points], found.legend) == (["cheap", "good"], [])


def test_many_models_get_a_panel_each() -> None:
    """With the median of all in the background, for more lines than six nobody can tell apart."""
    runs = [run_of(usual_records(f"model-{number}"), f"run-{number}") for number in range(7)]
    few, many = (
        depth_curves(series_of([run.name for run in some], [run.summary() for run in some]))
        for some in (runs[:6], runs)
    )
    assert few is not None
    assert many is not None
    assert [panel.title for panel in few.panels] == ["all variants", "int_add", "int_sub", "int_mul"]
    assert [len(panel.lines) for panel in few.panels] == [6] * 4
    assert [panel.title for panel in many.panels] == [f"model-{number}" for number in range(7)]
    assert many.context == "median of the 7 models"
    assert all(panel.context and len(panel.lines) == 1 for panel in many.panels)


def _places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to everything that stands within a value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inside:
        yield (*way, key)
        yield from _places(one, (*way, key))


def _otherwise(record: Any, way: Sequence[Any], value: Any) -> Any:
    """A copy of a record with something else in one place."""
    changed = copy.deepcopy(record)
    inside = changed
    for key in way[:-1]:
        inside = inside[key]
    inside[way[-1]] = value
    return changed


def is_record(record: Any) -> bool:
    """Whether it would be read, and not refused."""
    try:
        convert(record, Record)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("value", [None, True, -1, 10**400, 1.5, "x", "", [], ["x"], [{}], {}, {"x": []}], ids=repr)
def test_whatever_is_counted_is_shown(value: Any) -> None:
    """A log may come from anywhere: what is in no figure has any shape, and becomes text."""
    again = {"reason": "timeout", "waited_s": 1.5}
    programs = [programmed("A000045"), programmed("A000045", judges={"static": None, "llm": JUDGE})]
    for whole in (asked("7") | {"retries": [again]}, added("7"), *programs):
        for way in _places(whole):
            if is_record(changed := _otherwise(whole, way, value)):
                one = run_of([changed])
                json.dumps(shown_trial(convert(changed, Record)), allow_nan=False)
                assert browser([one], series_of([one.name], [one.summary()])).count == 1


def test_the_overview_has_the_percentages_of_the_summary() -> None:
    """Weighted by questions where replies are lost; where a cell has none, bounds in words."""
    right, wrong, lost = Reply(text=problem().expected), Reply(text="1"), Failure("no reply")
    easy, hard = problem(), problem(Op.MUL)
    lost_some = run_of([record(easy, right), record(easy, right), record(hard, wrong), record(hard, lost)])
    (row,) = overview(series_of([lost_some.name], [lost_some.summary()])).rows
    expected: Any = lost_some.summary().results[0].percentages[Outcome.CORRECT]
    assert row.correct is not None
    assert (row.correct.percent, row.correct.low) == (expected.percent, expected.low)
    lost_all = run_of([record(easy, right), record(hard, lost)])
    (row,) = overview(series_of([lost_all.name], [lost_all.summary()])).rows
    assert row.correct is None
    assert any("50.0 to 100.0 %" in note for note in row.notes)


def test_a_variant_without_an_answer_is_lacking() -> None:
    """A variant that was asked and has no reply is not in the curve of all variants; one that nobody asked is none."""
    run = run_of([record(problem(), Reply(text="1")), record(problem(Op.SUB), Failure("no reply"))])
    found = depth_curves(series_of([run.name], [run.summary()]))
    assert found is not None
    assert found.panels[0].notes == ["1 of 2 variants answered"]


@pytest.mark.parametrize(
    ("condition", "question"),
    [({"symbols": "ascii"}, "6 * 7"), ({"symbols": "unicode"}, "6 × 7")],
)
def test_a_trial_shows_the_sign_that_was_asked(condition: Any, question: str) -> None:
    """A prompt with `*` is no question with `×`; where nobody knows, it is the sign of print."""
    asked = record(problem(), Reply(text="42")) | {"condition": COMMA | condition}
    asked["problem"] = {**asked["problem"], "lhs": "6", "op": "mul", "rhs": "7"}
    assert shown_trial(record_of(asked))["question"] == question
