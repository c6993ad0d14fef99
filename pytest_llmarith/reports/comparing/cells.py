"""The cells of the tables of a comparison, the same on a terminal and in markdown; the first column holds names.

Everything that comes from a run is harmless and short here. It does not know how a table is drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from pytest_llmarith.records import Difference
from pytest_llmarith.reports.comparing.groups import OVER_ALL
from pytest_llmarith.reports.comparing.rows import repeats_questions
from pytest_llmarith.reports.comparing.wording import LONGEST_NAME, label_of, shown, whose
from pytest_llmarith.reports.figures import interval_of, p_of, percent_text, points_of, star
from pytest_llmarith.reports.harmless import sanitize_name

Comparison = Mapping[str, Any]
Cells = list[list[str]]


def row_cells(comparison: Comparison) -> tuple[list[str], Cells]:
    """The headers and cells of the rows."""
    repeated = any(map(repeats_questions, comparison["rows"]))
    if comparison["method"] == "unpaired":
        counts = ("measured", "questions") if repeated else ("measured",)
        of_side = [["questions"] * repeated + [f"{letter} %"] for letter in "AB"]
        headers = ["", "A", *of_side[0], "B", *of_side[1], "B - A", "95 %", "p", "*"]
        return headers, [_unpaired_cells(row, counts) for row in comparison["rows"]]
    if repeated:
        headers = ["", "pairs", "questions", "A %", "B %", "B - A", "95 %", "better", "worse", "p", "*"]
        return headers, [_repeated_cells(row) for row in comparison["rows"]]
    headers = ["", "pairs", "A %", "B %", "B - A", "95 %", "better", "worse", "p", "*"]
    return headers, [_paired_cells(row) for row in comparison["rows"]]


def _repeated_cells(row: Mapping[str, Any]) -> list[str]:
    """Of questions with several pairs, the pairs that one alone got right are not what the test counts."""
    questions = row["questions"]
    counts = [str(row["first"]["measured"]), str(questions["compared"])]
    return [
        label_of(row),
        *counts,
        *_figures(row),
        str(questions["better"]),
        str(questions["worse"]),
        *_test(row),
    ]


def _paired_cells(row: Mapping[str, Any]) -> list[str]:
    changed = [str(row["questions"][way]) for way in ("better", "worse")]
    return [label_of(row), str(row["first"]["measured"]), *_figures(row), *changed, *_test(row)]


def _figures(row: Mapping[str, Any]) -> list[str]:
    return [percent_text(row["first"]["percent"]), percent_text(row["second"]["percent"]), *_difference(row)]


def _unpaired_cells(row: Mapping[str, Any], counts: Sequence[str]) -> list[str]:
    sides = [
        cell
        for side in ("first", "second")
        for cell in (*(str(row[side][of]) for of in counts), percent_text(row[side]["percent"]))
    ]
    return [label_of(row), *sides, *_difference(row), *_test(row)]


def _test(row: Mapping[str, Any]) -> list[str]:
    """The p of this row alone, as its interval is, and whether it holds beside the other rows."""
    return [p_of(row["p"]), star(row["p_holm"])]


def _difference(row: Mapping[str, Any]) -> list[str]:
    difference = row["difference"] and Difference(**row["difference"])
    return [points_of(difference), interval_of(difference)]


def score_cells(comparison: Comparison) -> tuple[list[str], Cells]:
    """The headers and cells of the mean scores."""
    headers = ["mean score", "A", "B", "A %", "B %", "B - A", "95 %"]
    return headers, [_score_cells(score) for score in comparison["scores"]]


def _score_cells(score: Mapping[str, Any]) -> list[str]:
    first, second = score["first"], score["second"]
    counts = [str(side["sequences"]) for side in (first, second)]
    means = [f"{side['percent']:.1f}" for side in (first, second)]
    names = ", ".join(shown(score[key]) for key in ("set", "condition") if score[key])
    return [f"{names}, {score['seconds']:g} s", *counts, *means, *_difference(score)]


def overview_cells(comparisons: Sequence[Comparison], longest_name: int = LONGEST_NAME) -> tuple[list[str], Cells]:
    """The headers and cells of all comparisons, a row each. A run with one model needs no other name."""
    headers = ["B", "pairs", "A %", "B %", "B - A", "95 %", "p", "*"]
    models = Counter(comparison["second"]["run"] for comparison in comparisons)
    names = [_name(comparison["second"], models) for comparison in comparisons]
    rows = [next(row for row in comparison["rows"] if row["kind"] == OVER_ALL) for comparison in comparisons]
    return headers, [
        [sanitize_name(name, longest_name), *_overview_row(comparison, row)]
        for name, comparison, row in zip(names, comparisons, rows, strict=True)
    ]


def _name(side: Mapping[str, Any], models: Mapping[str, int]) -> str:
    run = PurePath(side["run"]).name
    return run if models[side["run"]] == 1 else f"{run}, {whose(side)}"


def _overview_row(comparison: Comparison, row: Mapping[str, Any]) -> list[str]:
    pairs = str(row["first"]["measured"]) if comparison["method"] == "paired" else "unpaired"
    return [
        pairs,
        percent_text(row["first"]["percent"]),
        percent_text(row["second"]["percent"]),
        *_difference(row),
        *_test(row),
    ]
