"""What people and programs read of a comparison: what differed, and text, markdown and JSON of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from pytest_llmarith.reports.comparing import Request, as_json, as_markdown, as_text, compare, failures
from tests.reports.comparing.runs_in_memory import (
    FACTS,
    compared,
    programs,
    put,
    refusal,
    run,
    sums,
)


def test_what_differed() -> None:
    """What may change an answer is named with both values; when the run was and how it was paced is not."""
    model = FACTS["models"][0] | {"params": {"temperature": 1, "stop": ["x"]}}
    other = FACTS | {"models": [model], "versions": {"python": "3.12.1"}, "id": "two", "limits": {"concurrency": 1}}
    second = sums("c")
    second[0]["reply"]["served_model"] = "m-2025"
    assert compared(run(sums("c")), run(second, facts=other))["differing"] == [
        {"what": "served model", "first": "m-2026", "second": "m-2025"},
        {"what": "params.temperature", "first": 0, "second": 1},
        {"what": "versions.python", "first": "3.11.7", "second": "3.12.1"},
        {"what": "params.stop", "first": None, "second": ["x"]},
    ]


def test_conditions_that_differ_are_named() -> None:
    """As people know them, and what one run alone has before the rest, which may be cut."""
    usual: dict[str, Any] = {"numbers": "plain", "symbols": "ascii", "context": None, "prompt": None, "system": None}
    comma, long = usual | {"numbers": "comma"}, usual | {"context": "4k"}
    one, other = ({**FACTS, "conditions": some} for some in ([usual, comma], [usual, comma, long]))
    text = as_text(compare(Request(run(sums("c"), facts=one), [run(sums("c"), facts=other)])), 200)
    assert "differing: conditions (usual + numbers_comma and context_4k + usual + numbers_comma)" in text


def test_what_records_tell() -> None:
    """Where programs ran and which seed there was stands in them, also where nobody knows the facts of the run."""
    first, second = programs([1.0]), programs([1.0])
    for record, level in ((first[0], "strict"), (second[0], "standard")):
        record["oeis"]["isolation"] = {"level": level, "enforced": [], "remarks": []}
    one, other = run([*first, *sums("c", seed=3)], facts={}), run([*second, *sums("c", seed=4)])
    assert compared(one, other)["differing"] == [
        {"what": "seed", "first": "3", "second": "4"},
        {"what": "sandbox level", "first": "strict", "second": "standard"},
    ]


def test_a_run_that_says_nothing_of_itself() -> None:
    """Its records still tell the model and the reading; the rest is not a list of unknowns."""
    other = run(sums("c", model="x"), facts={})
    comparison = compared(run(sums("c")), other)
    assert comparison["differing"] == [{"what": "model", "first": "m", "second": "x"}]
    assert "B says nothing of versions and parameters" in as_text(compare(Request(run(sums("c")), [other])), 200)


def everything() -> dict[str, Any]:
    """Comparisons with every kind of table."""
    base = run(sums("ccdcc"), sums("cdcdc", "int_div"), programs([1, 0.5, 0]))
    paired = run(sums("cddcc"), sums("cdddc", "int_div"), programs([1, 1, 0]), name="two")
    other = run(sums("cddcc", first=50, seed=1), sums("c", "int_div", first=50, seed=1), name="three")
    return compare(Request(base, [paired, other], unpaired=True))


def test_the_text_of_comparisons() -> None:
    """Who, how many questions, what differed, the rows, the scores, all of them in a row each, and the columns."""
    lines = as_text(everything(), 90).splitlines()
    assert lines[:4] == [
        "A: one, m",
        "B: two, m",
        "paired: 13 questions; without a pair in A 0, in B 0; unanswered in A 0, in B 0",
        "differing: nothing that is known",
    ]
    assert any(line.split()[:4] == ["over", "all", "13", "61.5"] for line in lines)
    assert any(line.startswith("starter, 4 s") for line in lines)
    assert any(line.startswith("not paired, as A and B did not ask the same questions") for line in lines)
    assert any(line.startswith("three") and "unpaired" in line for line in lines)
    assert "Holm's correction" in " ".join(lines)
    assert max(map(len, lines)) <= 90


def test_the_markdown_of_comparisons() -> None:
    """The tables in markdown have as many cells in each row as in their heads."""
    lines = as_markdown(everything()).splitlines()
    tables = [line for line in lines if line.startswith("|")]
    assert "| `over all` | 13 | 61.5 | 53.8 | -7.7 |" in "\n".join(tables)
    for rule in (number for number, line in enumerate(lines) if line.startswith("| ---")):
        cells = lines[rule].count("|")
        assert lines[rule - 1].count("|") == lines[rule + 1].count("|") == cells


def test_the_json_of_comparisons() -> None:
    """The JSON of comparisons holds all figures, under a format number of its own."""
    comparisons = everything()
    assert json.loads(as_json(comparisons)) == comparisons
    assert comparisons["format"] == 1


def repeated(first: str, second: str, repeats: int = 3) -> str:
    """The text of two runs that asked each question so often, and say the same each time."""
    one, other = ([one for repeat in range(repeats) for one in put(sums(text), repeat)] for text in (first, second))
    return as_text(compare(Request(run(one), [run(other)])), 500)


def test_the_text_of_repeats() -> None:
    """How many questions went better and worse is what the test counts; pairs of one question are no questions."""
    lines = repeated("ccccd", "ccddc").splitlines()
    assert lines[2] == "paired: 15 pairs of 5 questions; without a pair in A 0, in B 0; unanswered in A 0, in B 0"
    assert lines[5].split()[:2] == ["pairs", "questions"]
    assert lines[5].split()[-4:] == ["better", "worse", "p", "*"]
    assert lines[7].split()[:4] == ["over", "all", "15", "5"]
    assert lines[7].split()[-3:] == ["1", "2", "1"]
    assert "Better, worse: questions that B got right more often" in lines[-1]
    assert "in place of an interval" not in lines[-1]


def test_an_interval_that_nobody_knows() -> None:
    """Where every question changed by the same amount, the line below the table says why there is none."""
    lines = repeated("ccdd", "ccdd").splitlines()
    assert lines[7].split()[-5:] == ["0.0", "-", "0", "0", "1"]
    assert "`-` in place of an interval" in lines[-1]


HOSTILE = "\x1b[31m|<script>alert(1)</script>`*_[x](javascript:1)\u202e\n# " + "9" * 300


@pytest.mark.parametrize("shown", [as_json, as_markdown, lambda comparisons: as_text(comparisons, 80)])
def test_hostile_names_are_harmless(shown: Callable[[Any], str]) -> None:
    """Neither a terminal nor markdown obeys what stands in names, facts and variants."""
    facts = FACTS | {"models": [{"name": HOSTILE, "target": HOSTILE}], "versions": {HOSTILE: HOSTILE}}
    first = run(sums("cd", HOSTILE, HOSTILE), sums("c", "x", HOSTILE), name="a" + HOSTILE.replace("/", ""))
    second = run(sums("cd", HOSTILE, HOSTILE), sums("c", "x", HOSTILE), facts=facts)
    text = shown(compare(Request(first, [second])))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert all(line.isprintable() for line in text.splitlines())
    if shown is as_markdown:
        assert "<script>" not in re.sub(r"(`+)[^`].*?\1", "", text)
        assert "\n# 9" not in text


def test_hostile_names_stay_on_the_line_of_a_failure() -> None:
    """A refusal and a failed gate are one line each."""
    first, second = run(sums("c" * 20, model=HOSTILE)), run(sums("d" * 20, model=HOSTILE), name=HOSTILE)
    (line,) = failures(compare(Request(first, [second])), Decimal(1))
    assert line.isprintable()
    assert refusal(first, run(sums("c", first=50), name=HOSTILE)).isprintable()
