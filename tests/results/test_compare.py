"""Which questions are compared, the figures of a comparison, and what cannot be
compared.
"""

from __future__ import annotations

from dataclasses import asdict
from decimal import Decimal
from math import hypot
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.figures.contrasts import Compared
from pytest_llmarith.figures.estimates import Trial
from pytest_llmarith.records import Record
from pytest_llmarith.report.compare_text import (
    as_latex,
    as_lines,
    as_markdown,
    failures,
)
from pytest_llmarith.results.compare import Comparisons, LeftOut, compare
from pytest_llmarith.results.families import effects, model_differences
from pytest_llmarith.results.questions import AskedQuestions, Questions
from pytest_llmarith.statistics.pairs import Pairs, newcombe
from pytest_llmarith.types import Condition, ModelFile, NumberFormat, Reading
from tests.report.latex import tables_in
from tests.results.made import (
    Opened,
    additions,
    changed,
    compare_two,
    in_condition,
    measured,
    models_of,
    programs,
    refusal,
    repeated,
    row_of,
    run,
    scored,
    searches,
    sums,
)
from tests.runs_on_disk import asked, record_of

COMMA = Condition(NumberFormat.COMMA)
SPACE = Condition(NumberFormat.SPACE)
_BOTH = {"McNemar", "Student"}
LETTERS = st.text("cdnhu", min_size=1, max_size=30)


# --- the same model twice -------------------------------------------------------------


@pytest.mark.parametrize(
    ("texts", "figures"),
    [
        # same replies, same outcomes, noise and its upper end
        (["{}", "7", "8", "no"], (100, 100, 0, 68.6)),
        (["{} ", "{}", "8.", "nothing"], (0, 75, 49, 82)),
    ],
)
def test_a_model_asked_twice_tells_its_noise(
    texts: list[str], figures: tuple[float, ...]
) -> None:
    first, second = (
        [
            record_of(asked(text, trial=trial) | {"nodeid": f"{trial}"})
            for trial, text in enumerate(some)
        ]
        for some in (["{}", "7", "8", "no"], texts)
    )
    one = compare_two(run(first), run(second, name="two"))
    row = row_of(one)
    noise: Any = row.get("noise")
    found = row.value("same_replies"), row.value("same_outcomes"), round(noise.value, 1)
    assert (*found, round(noise.high, 1)) == figures
    assert noise.n == 4
    text = " ".join(as_lines(Comparisons([one], []), 200))
    assert "the same model in both" in text
    other = compare_two(run(first), run(changed(second, model="x"), name="two"))
    assert row_of(other).get("noise") is None


def test_the_noise_of_repeats_is_that_of_each_repeat() -> None:
    """Not of whole questions, of which few have as many right repeats in both runs."""
    first, second = (
        [
            record_of(
                asked(text, trial=trial) | {"nodeid": f"{trial}", "repeat": repeat}
            )
            for trial, some in enumerate(texts)
            for repeat, text in enumerate(some)
        ]
        for texts in (
            [["{}", "7"], ["{}", "{}"], ["8", "8"], ["8", "{}"]],
            [["{}", "{}"], ["{}", "{}"], ["8", "8"], ["{}", "7"]],
        )
    )
    noise: Any = row_of(compare_two(run(first), run(second, name="two"))).get("noise")
    # A half, all, all and a half of the pairs of repeats are alike.
    assert noise.value == pytest.approx(196 * (0.25 / 8) ** 0.5, 1e-3)
    assert noise.n == 8
    assert noise.low < noise.value < noise.high


def test_other_weights_and_another_build_of_the_server_are_named() -> None:
    """They change replies, and no record has them."""
    trials = [record_of(asked("{}", trial=trial)) for trial in range(2)]
    sides = []
    for weights, build in (("BF16", "xllamacpp 1"), ("Q4_K_M", "xllamacpp 2")):
        file = ModelFile("m.gguf", 9, "0" * 64, 512, 1, 1, 9, 64, weights, build)
        models = [{"name": trials[0].model, "file": asdict(file)}]
        sides.append(run(trials, name=weights, models=models))
    text = " ".join(as_lines(Comparisons([compare_two(*sides)], []), 200))
    assert "BF16" in text.partition("differing:")[2]
    assert "Q4_K_M" in text.partition("differing:")[2]
    assert "xllamacpp 2" in text.partition("differing:")[2]


# --- which questions ------------------------------------------------------------------


def changes(row: Compared) -> tuple[int, int]:
    return row.value("better"), row.value("worse")


def percentages(row: Compared) -> tuple[float, float]:
    return row.value("percentage_beside"), row.value("percentage")


def as_text(comparisons: Comparisons, width: int) -> str:
    return "".join(f"{line}\n" for line in as_lines(comparisons, width))


@pytest.mark.parametrize(
    ("first", "second", "is_same"),
    [
        (sums("dd"), sums("cc", seed=5), True),
        (
            sums("dd"),
            changed(sums("cc"), prompt=None),
            True,
        ),  # an unknown prompt: the problem decides
        (programs([0, 1]), programs([1, 0], name="classic"), True),
        (sums("cc"), sums("cc", depth=3), False),
        (sums("cc"), sums("cc", "mul"), False),
        (sums("cc"), sums("cc", first=7), False),
        (sums("cc"), changed(sums("cc"), prompt="in other words"), False),
        (
            sums("c" * 100),
            sums("c" * 8, first=96),
            True,
        ),  # half of the smaller run is enough
    ],
)
def test_the_same_question(
    first: list[Record], second: list[Record], is_same: bool
) -> None:
    """Another seed or set makes no other question."""
    if is_same:
        assert compare_two(run(first), run(second)).questions.compared == min(
            len(second), 4
        )
    else:
        assert "no question is the same" in refusal(run(first), run(second, name="two"))


def test_a_system_prompt_is_its_text() -> None:
    """Each run names its system prompts; without a summary the text is unknown, and the
    problem decides.
    """
    texts = {"1": "a", "2": "b"}, {"1": "b", "2": "a"}
    prompt_texts = [{"templates": {}, "systems": systems} for systems in texts]
    trials = [changed(sums("cc"), condition=Condition(system=name)) for name in "12"]
    first = run(trials[0], prompt_texts=prompt_texts[0])
    assert (
        compare_two(
            first, run(trials[1], prompt_texts=prompt_texts[1])
        ).questions.compared
        == 2
    )
    assert "no question is the same" in refusal(
        first, run(trials[0], prompt_texts=prompt_texts[1])
    )
    assert compare_two(first, run(trials[0], facts=None)).questions.compared == 2


def test_models_with_other_system_prompts_are_not_compared_in_a_killed_run() -> None:
    """Within a run, the names of system prompts tell them apart, also without the
    texts, which its summary would have.
    """
    trials = [
        changed(sums("cc"), model=f"m{name}", condition=Condition(system=name))
        for name in "12"
    ]
    assert run(*trials, facts=None).summary().contrasts("model") == []
    same = [changed(one, condition=Condition(system="1")) for one in trials]
    assert len(run(*same, facts=None).summary().contrasts("model")) == 1


@given(LETTERS, st.integers(0, 99))
def test_the_order_of_the_records_changes_nothing(outcomes: str, seed: int) -> None:
    """A question of two tests is one request and counts once, with pairs and
    without.
    """
    trials = [
        *sums(outcomes),
        *in_condition(sums(outcomes), COMMA),
        *repeated(outcomes, outcomes, first=50),
    ]
    shuffled = [*trials]
    Random(seed).shuffle(shuffled)
    other = run(
        repeated("c" * len(outcomes), "d" * len(outcomes), first=50),
        sums("c" * len(outcomes)),
        name="two",
    )
    assert compare_two(run(trials), other) == compare_two(run(shuffled), other)
    once = sums(outcomes)
    twice = [*once, *(changed([one], nodeid=f"{one.nodeid} again")[0] for one in once)]
    for other in (run(sums("c" * 30)), run(sums("c" * 30, first=50))):
        if "u" not in outcomes:
            assert compare_two(run(once), other, unpaired=True) == compare_two(
                run(twice), other, unpaired=True
            )


def test_what_is_unanswered_is_counted_and_left_out() -> None:
    comparison = compare_two(run(sums("cucud")), run(sums("ccuud")))
    assert (comparison.questions.compared, comparison.questions.unanswered) == (2, 3)
    assert (
        comparison.questions.first.unanswered,
        comparison.questions.second.unanswered,
    ) == (2, 2)
    assert comparison.questions.at_worst == -40
    assert row_of(comparison).questions == 2


def test_searches_are_in_no_row_and_no_gate() -> None:
    """What they found is listed apart, also of runs of searches alone."""
    first, second = (
        run(sums("c" * 8), searches("cc")),
        run(sums("c" * 8), searches("du"), name="two"),
    )
    comparison = compare_two(first, second)
    assert [(row.place.task, row.questions) for row in comparison.rows] == [(None, 8)]
    assert comparison.questions.compared == 8
    assert next((one.what, one.first) for one in comparison.searches) == (
        "int_add",
        "nothing found",
    )
    assert "int_add (nothing found and 27 * 48)" in as_text(
        compare(first, [second]), 200
    )
    assert failures(compare(first, [second]), Decimal(0)) == []
    alone = compare(run(searches("cc")), [run(searches("d"), name="two")])
    text = as_text(alone, 200)
    assert "int_add (nothing found and 27 * 48), int_sub (nothing found and un" in text
    assert alone.comparisons[0].rows == []
    both = run(searches("c"), in_condition(searches("d"), COMMA))
    (comparison,) = compare(both, [], conditions=["usual:numbers_comma"]).comparisons
    (search,) = comparison.searches
    assert (search.first, search.second) == ("nothing found", "27 * 48")
    assert "one side has only searches" in refusal(
        run(searches("c")), run(sums("c"), name="two")
    )


def test_adaptive_d50_is_compared() -> None:
    """By variants of both sides, with the interval of the difference; also if there is
    nothing else.
    """
    first = run(measured(add=10, mul=5, div=5), additions("cd"))
    second = run(measured(mul=7, div=2), name="two")
    comparison = compare_two(first, second)
    row = comparison.thresholds[0]
    assert (row.name, comparison.rows) == ("int_mul", [])
    figures: Any = row.compared.figures
    one, *its = figures["d50_difference_beside"][:3]
    other, *of_other = figures["d50_difference_here"][:3]
    difference, low, high = figures["d50_difference"][:3]
    assert difference == pytest.approx(other - one)
    assert low == pytest.approx(difference - hypot(other - of_other[0], its[1] - one))
    assert high == pytest.approx(difference + hypot(of_other[1] - other, one - its[0]))
    text = as_text(compare(first, [second]), 80)
    assert f"{one:.1f} ({its[0]:.1f} to {its[1]:.1f})" in text
    assert f"{difference:+.1f} ({low:+.1f} to {high:+.1f})" in text
    assert "paired" not in text
    (table,) = tables_in(as_latex(compare(first, [second])))
    assert [cells[0] for cells in table.rows] == ["D50", r"int\_mul", r"int\_div"]
    (outside,) = compare_two(first, run(measured(add=5), name="two")).thresholds
    assert (outside.first.place, *outside.compared.difference[:3]) == (
        "above",
        None,
        None,
        None,
    )
    assert "one side has only searches" in refusal(
        run(measured(add=5)), run(measured(mul=5), name="two")
    )
    whole = compare_two(first, run(measured(mul=5), additions("cc"), name="two"))
    assert (whole.rows[0].questions, [one.name for one in whole.thresholds]) == (
        2,
        ["int_mul"],
    )
    assert len(tables_in(as_latex(compare(first, [first])))) == 2
    both = run(measured(mul=5), in_condition(measured(mul=7), COMMA))
    (comparison,) = compare(both, [], conditions=["usual:numbers_comma"]).comparisons
    assert [one.name for one in comparison.thresholds] == ["int_mul"]
    assert [one.name for one in compare_two(both, both).thresholds] == [
        "int_mul",
        "int_mul, numbers_comma",
    ]


def test_fewer_than_half_are_refused() -> None:
    assert "only 3 of 8 questions are the same" in refusal(
        run(sums("c" * 100)), run(sums("c" * 8, first=97))
    )


# --- figures --------------------------------------------------------------------------


def test_the_figures_of_pairs() -> None:
    """Newcombe's interval and McNemar's test; everything but correct is not correct."""
    row = row_of(compare_two(run(sums("cccccccddd")), run(sums("ccdnhdddcd"))))
    assert (row.questions, *changes(row)) == (10, 1, 5)
    assert percentages(row) == (70.0, 30.0)
    assert row.value("p") == pytest.approx(0.21875)
    interval = newcombe(Pairs(2, 5, 1, 2))
    assert interval is not None
    assert row.difference.value == -40
    assert row.difference.low == pytest.approx(100 * interval.low, abs=1e-4)


def test_rows_are_not_repeated_and_small_parts_are_not_tested() -> None:
    """The only part of a task is the task; Holm's correction takes the tests of one
    comparison together.
    """
    first = run(sums("c" * 8), sums("c" * 5, "mul"), additions("cc"))
    second = run(sums("d" * 8), sums("d" * 5, "mul"), additions("cc"), name="two")
    alone, beside = (
        compare(first, others).comparisons[0] for others in ([second], [second, first])
    )
    rows = [(row.place.task, row.place.variant) for row in alone.rows]
    assert rows == [
        (None, None),
        ("arithmetic", None),
        ("arithmetic", "int_add"),
        ("arithmetic", "int_mul"),
        ("integer_addition", None),
    ]
    corrected = [row_of(alone, name).value("p_holm") for name in (None, "int_add")]
    assert corrected == pytest.approx([3 * 2 / 2**13, 2 / 2**8])
    few = row_of(alone, "int_mul")
    assert few.value("p") is few.value("p_holm") is None
    assert alone == beside


def test_repeats_of_a_question_count_once() -> None:
    """A question is won by the side that is right more often; a tie is a tie."""
    first, second = repeated("cccd", "cdcd", "ddcc"), repeated("dccd", "dddd", "dcdc")
    row = row_of(comparison := compare_two(run(first), run(second)))
    assert changes(row) == (1, 2)
    beside = row.get("percentage_beside")
    assert beside is not None
    assert (beside.n, row.questions, beside.value) == (12, 4, 58.3333)
    assert (comparison.questions.compared, comparison.questions.repeated) == (12, 8)
    once = row_of(compare_two(run(sums("cccc")), run(sums("ccdd"))))
    often = row_of(
        compare_two(run(repeated(*["cccc"] * 3)), run(repeated(*["ccdd"] * 3)))
    )
    assert percentages(often) == percentages(once)
    assert 0.05 < often.value("p") < once.value("p"), (
        "four questions say little, however often they are repeated"
    )


@pytest.mark.parametrize(
    ("first", "second", "methods"),
    [
        (sums("ccdc"), sums("cddc"), {"McNemar"}),
        (repeated("ccdc", "cccc"), repeated("cddc", "cdcc"), {"Student"}),
        (
            [*repeated("cc", "cd"), *sums("cccdd", "div")],
            [*repeated("cc", "cd"), *sums("ccdcd", "div")],
            _BOTH,
        ),
        (sums("ccdc"), repeated("cddc", "cdcc"), {"Student"}),
    ],
)
def test_the_legend_says_which_tests_the_rows_use(
    first: list[Record], second: list[Record], methods: set[str]
) -> None:
    text = as_text(compare(run(first), [run(second, name="two")]), 80)
    assert {name for name in _BOTH if name in text} == methods


def test_other_numbers_of_repeats_are_no_difference() -> None:
    """Right in four of five trials, asked once and asked three times: three are more
    often wrong once than one is.
    """
    once, often = (
        run(sums("dcccc" * 16)),
        run(repeated("cdccc" * 16, "ccdcc" * 16, "cccdc" * 16), name="two"),
    )
    row = row_of(compare_two(once, often))
    assert changes(row) == (16, 48)
    assert percentages(row) == (80, 80)
    assert row.value("p") == pytest.approx(1)


# --- without pairing ------------------------------------------------------------------


def test_two_groups() -> None:
    """The difference of Mantel and Haenszel, with the exact test; 0.1698 is that of
    Fisher, 2 * 0.0849.
    """
    comparison = compare_two(
        run(sums("ccccdddddd")), run(sums("ccccccccdd", first=50)), unpaired=True
    )
    row = row_of(comparison)
    assert comparison.method == "unpaired"
    assert (row.value("correct_beside"), row.value("correct")) == (4, 8)
    assert row.difference[:3] == (40.0, -13.8477, 77.9443)
    assert row.value("p") == pytest.approx(0.1698, abs=1e-4)


def test_only_common_cells_are_compared() -> None:
    """The gate sees those that an outage has emptied."""
    emptied = run(sums("cc", first=50), sums("uu", "div", first=50), name="two")
    (line,) = failures(
        compare(run(sums("cc"), sums("cc", "div")), [emptied], unpaired=True),
        Decimal(2),
    )
    assert "2 unanswered, 0 are allowed" in line
    assert "-50.0 points" in line
    first, second = (
        run(sums("cd"), sums("dddd", "div")),
        run(sums("cdu", first=50), sums("cc", "mul", first=50)),
    )
    counts = (comparison := compare_two(first, second, unpaired=True)).questions
    trials = [row_of(comparison).get(part) for part in ("correct_beside", "correct")]
    assert [one and one.n for one in trials] == [2, 2]
    assert counts.cells == 1
    assert (counts.first, counts.second) == (
        LeftOut(answered=6, others=4, unanswered=0),
        LeftOut(answered=4, others=2, unanswered=1),
    )


def test_a_run_that_lost_hard_questions_is_not_better() -> None:
    """Each cell has the same weight on both sides.

    Pooled, B would be better, and significantly so.
    """
    first = run(sums("c" * 95 + "d" * 5), sums("c" * 10 + "d" * 90, "mul"))
    second = run(
        sums("c" * 95 + "d" * 5, first=500),
        sums("cc" + "d" * 18 + "u" * 80, "mul", first=500),
    )
    row = row_of(compare_two(first, second, unpaired=True))
    first_percentage, second_percentage = percentages(row)
    assert (first_percentage, row.value("p")) == (second_percentage, 1)


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        (
            sums("cd"),
            sums("cc", "mul", first=50),
            "no cell (a variant, or a variant at a depth) has answers",
        ),
        (sums("cd"), sums("uu", first=50), "no cell"),
        (
            repeated("cd", "cd"),
            sums("cd", first=50),
            "runs with --llm-repeats can only be compared by pairs",
        ),
        (
            sums("cd"),
            repeated("cd", "cd", first=50),
            "runs with --llm-repeats can only be compared by pairs",
        ),
    ],
)
def test_two_groups_that_are_refused(
    first: list[Record], second: list[Record], why: str
) -> None:
    assert why in refusal(run(first), run(second, name="two"), unpaired=True)


# --- which models and conditions ------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "wanted", "models"),
    [
        (["a", "b"], [], [("a", "a"), ("b", "b")]),
        (["a", "b"], ["a"], [("a", "a")]),
        (["a", "b"], ["a:b", "b"], [("a", "b"), ("b", "b")]),
        (["a", "llama3:8b"], ["a:llama3:8b"], [("a", "llama3:8b")]),
        (["a", "llama3:8b"], ["llama3:8b"], [("llama3:8b", "llama3:8b")]),
    ],
)
def test_models_are_chosen(
    names: list[str], wanted: list[str], models: list[tuple[str, str]]
) -> None:
    both = run(*(sums("c", model=name) for name in names))
    assert models_of(compare(both, [both], wanted)) == models


def test_models_of_one_run_only() -> None:
    """The only two models are compared; a model that only one run has is named beside
    those that both have.
    """
    first = run(sums("c", model="a"), sums("c", model="x"))
    assert models_of(
        compare(run(sums("c", model="a")), [run(sums("c", model="b"))])
    ) == [("a", "b")]
    found = compare(first, [run(sums("c", model="a"), name="two")])
    assert found.not_compared == ["x in one"]
    assert "no model of this name: x in one" in as_text(found, 200)


@pytest.mark.parametrize(
    ("others", "wanted", "why"),
    [
        ([], {}, "to compare one run with itself, add --model=A:B"),
        ([], {"models": ["a"]}, "name two of its models"),
        ([], {"conditions": ["usual"]}, "name two of its conditions"),
        (
            [],
            {"conditions": ["usual:context_2k"]},
            "A is one of usual and B one of usual",
        ),
        (["c", "d"], {}, "no model of the same name"),
        (
            ["a"],
            {"models": ["c"]},
            "no such name; write --model=A:B, where A is one of a, a:b and B one of a",
        ),
        (["b:c", "c"], {"models": ["a:b:c"]}, "ambiguous, with 2 readings"),
        ([""], {}, "one of the runs has no trials"),
    ],
)
def test_choices_that_are_refused(
    others: list[str], wanted: dict[str, list[str]], why: str
) -> None:
    first = run(sums("c", model="a"), sums("c", model="a:b"))
    second = (
        [run(*(sums("c", model=name) for name in others if name), name="two")]
        if others
        else []
    )
    assert why in refusal(first, *second, **wanted)


def two_conditions(usual: str, comma: str, same: int) -> Opened:
    """A run in which the first questions have the same prompt in both conditions."""
    first, other = sums(usual), in_condition(sums(comma), COMMA)
    alike = [
        changed([one], prompt=beside.prompt)[0]
        for one, beside in zip(other[:same], first, strict=False)
    ]
    return run(first, alike, other[same:])


def test_two_conditions_of_a_run() -> None:
    """Each problem with itself.

    What has the same prompt in both is one request, and no evidence.
    """
    (comparison,) = compare(
        two_conditions("cccccc", "ccccdd", 3), [], conditions=["usual:numbers_comma"]
    ).comparisons
    row = row_of(comparison)
    assert (row.value("correct_beside"), row.value("worse")) == (3, 2)
    assert (comparison.questions.same_words, comparison.second.condition) == (
        3,
        "numbers_comma",
    )
    refused = refusal(two_conditions("cc", "cc", 2), conditions=["usual:numbers_comma"])
    assert "all 2 questions have the same prompt in both conditions" in refused


def test_a_refusal_names_the_option_that_helps() -> None:
    for second, why in (
        (sums("cc", seed=1, first=9), "add --unpaired to compare them without pairing"),
        (
            in_condition(sums("cc"), COMMA),
            "--condition=A:B, where A is one of usual and B one of numbers_comma",
        ),
    ):
        assert why in refusal(run(sums("cc")), run(second, name="two"))


# --- effects of conditions and differences of models in a summary ---------------------


def questions_of(trials: list[Record]) -> Questions:
    questions = Questions()
    for one in trials:
        questions.add(Trial(one))
    return questions


def test_an_effect_is_the_comparison_of_two_conditions() -> None:
    of_condition = {None: sums("ccccccd"), COMMA: in_condition(sums("cdddddc"), COMMA)}
    of_condition[SPACE] = in_condition(sums("cu"), SPACE)
    asked = [
        AskedQuestions("m", "arithmetic", one, questions_of(trials))
        for one, trials in of_condition.items()
    ]
    effect, other = effects(asked)
    both = run(of_condition[None], of_condition[COMMA])
    (comparison,) = compare(both, [], conditions=["usual:numbers_comma"]).comparisons
    row = row_of(comparison)
    assert (effect.place.condition, effect.beside) == (COMMA.label, "usual")
    assert (effect.questions, effect.difference[:3]) == (7, row.difference[:3])
    assert effect.value("p") == row.value("p")
    assert effect.value("p_holm") == 2 * effect.value("p")
    assert (other.questions, other.get("same_prompts")) == (1, None)


def test_differences_to_the_baseline_are_corrected_together() -> None:
    """Holm's correction is for all models; a question that one of them did not answer
    is no pair.
    """
    models = {"base": "c" * 9, "poor": "d" * 8 + "u", "fair": "cc" + "d" * 6 + "u"}
    asked = [
        AskedQuestions(name, "arithmetic", None, questions_of(sums(text)))
        for name, text in models.items()
    ]
    found = model_differences(asked, "base")
    assert [(one.place.model, one.questions, one.value("worse")) for one in found] == [
        ("poor", 8, 8),
        ("fair", 8, 6),
    ]
    assert [one.value("p_holm") for one in found] == pytest.approx(
        [2 * 2 / 2**8, 2 / 2**6]
    )


# --- gate and text --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "points", "allowed", "said"),
    [
        (
            "c" * 100,
            "d" * 10 + "c" * 90,
            "2",
            0,
            "over all: 10.0 points lower than one (95 % -17.4 to -4.2, p 0.0020",
        ),
        ("c" * 3000, "d" * 31 + "c" * 2969, "1.03", 0, "1.033 points lower"),
        ("c" * 100, "d" * 10 + "c" * 90, "10", 0, ""),  # not by more
        ("c" * 100, "d" * 5 + "c" * 95, "2", 0, ""),  # p 0.0625
        ("d" * 50 + "c" * 50, "c" * 100, "2", 0, ""),  # better
        ("cc", "uu", "2", 9, "nothing was compared"),
        (
            "c" * 131,
            "c" * 3,
            "2",
            0,
            "128 questions of A were never asked in B, 0 are allowed",
        ),
        ("c" * 131, "c" * 3, "2", 128, ""),
        ("c" * 400, "c" * 7 + "u" * 393, "2", 392, "393 unanswered, 392 are allowed"),
        (
            "u" * 393 + "c" * 7,
            "d" * 393 + "c" * 7,
            "2",
            0,
            "B - A would be -98.2 points",
        ),
        ("c" * 400, "c" * 7 + "u" * 393, "2", 393, ""),
    ],
)
def test_the_gate(
    first: str, second: str, points: str, allowed: int, said: str
) -> None:
    lines = failures(
        compare(run(sums(first)), [run(sums(second), name="two")]),
        Decimal(points),
        allowed,
    )
    assert (len(lines), said in "".join(lines)) == (bool(said), True)
    assert all(line.startswith("two, m") for line in lines)


def test_the_gate_holds_for_mean_scores() -> None:
    """A task whose answers are all partly right has 0 % correct on both sides."""
    good = [0.85 + number % 5 / 100 for number in range(40)]
    bad = [0.08 + number % 7 / 100 for number in range(40)]
    first, second = run(scored(good)), run(scored(bad), name="two")
    (line,) = failures(compare(first, [second]), Decimal(70))
    assert line.startswith("two, m, mean score of sorting: 76.1 points lower than one")
    assert failures(compare(first, [second]), Decimal(80)) == []
    assert failures(compare(second, [first]), Decimal(0)) == []


def test_scores_and_rows_are_corrected_together() -> None:
    """All of them can fail the gate, so all of them are one family of tests."""
    first = run(scored([1.0] * 12 + [0.9] * 8))
    second = run(scored([0.5, 0.6] * 6 + [0.9] * 8), name="two")
    comparison = compare_two(first, second)
    row, score = comparison.rows
    assert score.value("p") < row.value("p")
    assert row.value("p_holm") == row.value("p")
    assert score.value("p_holm") == 2 * score.value("p")


def test_equal_differences_of_scores_are_shown() -> None:
    """The spread of equal differences is unknown: they have no interval, and the test
    of signs.
    """
    first, second = run(scored([0.9] * 40)), run(scored([0.1] * 40), name="two")
    comparisons = compare(first, [second])
    _, row = comparisons.comparisons[0].rows
    assert row.difference.value == pytest.approx(-80)
    assert (row.difference.low, row.difference.high) == (None, None)
    assert row.value("p") == pytest.approx(2 * 0.5**40)
    text = " ".join(as_text(comparisons, 80).split())
    assert "No interval: nothing varies" in text
    assert "sorting 40 90.0 10.0 -80.0 0 40 <0.0001*" in text
    assert len(failures(comparisons, Decimal(5))) == 1
    few = compare_two(run(scored([0.9] * 5)), run(scored([0.1] * 5), name="two"))
    assert few.rows[1].get("p") is None


def test_rounding_is_no_spread_of_scores() -> None:
    """These differences are equal but for the rounding of binary fractions."""
    first = run(scored([0.3, 0.9, 0.7] * 4))
    second = run(scored([0.2, 0.8, 0.6] * 4), name="two")
    _, row = compare_two(first, second).rows
    assert row.difference.low is None
    assert row.value("p") == pytest.approx(2 * 0.5**12)


def test_facts_that_differ() -> None:
    """Those in the records that may change an answer; a fact that one side lacks is
    unknown.
    """
    strict = changed(sums("c"), reading=Reading.STRICT)
    told = {
        one.what: (one.first, one.second)
        for one in compare_two(run(sums("c")), run(strict)).differing
    }
    assert told == {"graded reading": ("tolerant", "strict")}
    sent = {
        "model": "a",
        "api_base": None,
        "messages": [{"role": "user", "content": "x"}],
    }
    first, second = (
        [
            record_of(
                asked(
                    "{}",
                    served_model=name,
                    sent=sent | {"params": {"temperature": temperature}},
                )
            )
        ]
        for name, temperature in (("a", 0.5), (None, 1))
    )
    text = as_text(compare(run(first), [run(second, name="two")]), 200)
    assert (
        "differing: served model (a and unknown), parameters (temperature=0.5 and temperature=1)"
        in text
    )


def test_fake_models_are_marked() -> None:
    text = as_text(
        compare(run(sums("c", simulated=True)), [run(sums("d"), name="two")]), 80
    )
    assert text.splitlines()[:2] == ["A: one, m (simulated)", "B: two, m"]


HOSTILE = "\x1b[31m|<script>alert(1)</script>`*_[x](javascript:1)\u202e\n# " + "9" * 300


def test_foreign_text_has_no_effect() -> None:
    first = run(
        sums("c" * 20, model=HOSTILE),
        programs([0.5], name=HOSTILE),
        name=HOSTILE.replace("/", ""),
    )
    second = run(
        sums("d" * 20, model=HOSTILE),
        programs([0.4], name=HOSTILE),
        versions={HOSTILE: HOSTILE},
    )
    comparisons = compare(first, [second, second])
    markdown = as_markdown(comparisons)
    assert len(tables_in(as_latex(comparisons))) == 7
    for text in (
        as_text(comparisons, 80),
        markdown,
        *failures(comparisons, Decimal(1)),
    ):
        assert all(line.isprintable() for line in text.splitlines())
    assert not any(line.startswith("# 9") for line in markdown.splitlines())
    cells = [line.count("|") for line in markdown.splitlines() if line.startswith("|")]
    assert len(set(cells)) <= 3  # tables of three widths
