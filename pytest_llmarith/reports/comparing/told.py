"""What is said of a comparison in words, and the cells of its tables; the same on a terminal and in markdown.

Everything that comes from a run is harmless and short here. It does not know how lines and tables are laid out.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from pytest_llmarith.reports import figures
from pytest_llmarith.reports.comparing.rows import OVER_ALL
from pytest_llmarith.reports.comparing.wording import LONGEST_NAME, interval_of, label_of, p_of, points_of, shown
from pytest_llmarith.reports.harmless import sanitize, sanitize_name

_LONGEST_FACT = 40
_MOST_FACTS = 20
_MOST_ALONE = 10
_PAIRED = (
    "B - A: percentage points, with Newcombe's 95 % interval for pairs. Only A, only B: questions that this one alone "
    "got right. p: McNemar's exact test."
)
_UNPAIRED = (
    "B - A: percentage points between two groups of other questions, with Newcombe's hybrid score 95 % interval. "
    "p: Fisher's exact test."
)
_SCORES = "Scores: the mean share of right terms, with a bootstrap 95 % interval over sequences."

Comparison = Mapping[str, Any]
Cells = list[list[str]]


def sides_told(comparison: Comparison) -> list[str]:
    """Which runs and models these are."""
    return [f"{letter}: {_side(comparison[side])}" for letter, side in (("A", "first"), ("B", "second"))]


def _side(side: Mapping[str, Any]) -> str:
    simulated = " (simulated)" if side["simulated"] else ""
    return f"{shown(side['run'])}, {shown(side['model'])}{simulated}"


def questions_told(comparison: Comparison) -> str:
    """How many questions are compared, and how many are not."""
    questions = comparison["questions"]
    first, second = questions["first"], questions["second"]
    unanswered = f"unanswered in A {first['unanswered']:,}, in B {second['unanswered']:,}"
    if comparison["method"] == "unpaired":
        others = (
            f"left out, as the other has nothing of their kind: in A {first['others']:,}, in B {second['others']:,}"
        )
        return f"not paired, as A and B did not ask the same questions; {others}; {unanswered}"
    repeated = f", {questions['repeated']:,} of them asked before" if questions["repeated"] else ""
    only = f"only in A {first['others']:,}, only in B {second['others']:,}"
    return f"paired: {questions['compared']:,} questions{repeated}; {only}; {unanswered}"


def differing_told(comparison: Comparison) -> str:
    """What differed between the runs, as far as they say."""
    told = [_fact(fact) for fact in comparison["differing"]]
    more = f", and {len(told) - _MOST_FACTS} facts more" if len(told) > _MOST_FACTS else ""
    unknown = [letter for letter, side in (("A", "first"), ("B", "second")) if not comparison[side]["facts_known"]]
    silent = f"; {' and '.join(unknown)} say{'s' * (len(unknown) == 1)} nothing of versions and parameters"
    return f"differing: {', '.join(told[:_MOST_FACTS]) or 'nothing that is known'}{more}{silent if unknown else ''}"


def _fact(fact: Mapping[str, Any]) -> str:
    first, second = _value(fact["first"]), _value(fact["second"])
    return f"{sanitize(fact['what'], _LONGEST_FACT)} ({first} and {second})"


def _value(value: Any) -> str:
    if value is None:
        return "none"
    return sanitize(value if isinstance(value, str) else json.dumps(value, default=str), _LONGEST_FACT)


def row_cells(comparison: Comparison) -> tuple[list[str], Cells]:
    """The headers and cells of the rows."""
    if comparison["method"] == "unpaired":
        headers = ["", "A", "A %", "B", "B %", "B - A", "95 %", "p"]
        return headers, [_unpaired_cells(row) for row in comparison["rows"]]
    headers = ["", "pairs", "A %", "B %", "B - A", "95 %", "only A", "only B", "p"]
    return headers, [_paired_cells(row) for row in comparison["rows"]]


def _paired_cells(row: Mapping[str, Any]) -> list[str]:
    only = [str(row["pairs"][side]) for side in ("only_first", "only_second")]
    shares = [_share(row["first"]), _share(row["second"])]
    return [label_of(row), str(row["first"]["measured"]), *shares, *_difference(row), *only, p_of(row["p_holm"])]


def _unpaired_cells(row: Mapping[str, Any]) -> list[str]:
    sides = [cell for side in ("first", "second") for cell in (str(row[side]["measured"]), _share(row[side]))]
    return [label_of(row), *sides, *_difference(row), p_of(row["p_holm"])]


def _share(share: Mapping[str, Any]) -> str:
    return figures.share(share["correct"], share["measured"])


def _difference(row: Mapping[str, Any]) -> list[str]:
    return [points_of(row["difference"]), interval_of(row["difference"])]


def score_cells(comparison: Comparison) -> tuple[list[str], Cells]:
    """The headers and cells of the mean scores."""
    headers = ["mean score", "A", "B", "A %", "B %", "B - A", "95 %"]
    return headers, [_score_cells(score) for score in comparison["scores"]]


def _score_cells(score: Mapping[str, Any]) -> list[str]:
    first, second = score["first"], score["second"]
    counts = [str(side["sequences"]) for side in (first, second)]
    means = [f"{side['percent']:.1f}" for side in (first, second)]
    return [f"{shown(score['set'])}, {score['seconds']:g} s", *counts, *means, *_difference(score)]


def overview_cells(comparisons: Sequence[Comparison], longest_name: int = LONGEST_NAME) -> tuple[list[str], Cells]:
    """The headers and cells of all comparisons, a row each. A run with one model needs no other name."""
    headers = ["B", "pairs", "A %", "B %", "B - A", "95 %", "p"]
    models = Counter(comparison["second"]["run"] for comparison in comparisons)
    names = [_name(comparison["second"], models) for comparison in comparisons]
    rows = [next(row for row in comparison["rows"] if row["kind"] == OVER_ALL) for comparison in comparisons]
    return headers, [
        [sanitize_name(name, longest_name), *_overview_row(comparison, row)]
        for name, comparison, row in zip(names, comparisons, rows, strict=True)
    ]


def _name(side: Mapping[str, Any], models: Mapping[str, int]) -> str:
    run = PurePath(side["run"]).name
    return run if models[side["run"]] == 1 else f"{run}, {side['model']}"


def _overview_row(comparison: Comparison, row: Mapping[str, Any]) -> list[str]:
    pairs = str(row["first"]["measured"]) if comparison["method"] == "paired" else "unpaired"
    return [pairs, _share(row["first"]), _share(row["second"]), *_difference(row), p_of(row["p_holm"])]


def legend(comparisons: Mapping[str, Any]) -> list[str]:
    """What the columns are, a sentence or two for each kind of table that there is."""
    methods = {comparison["method"] for comparison in comparisons["comparisons"]}
    kinds = [text for method, text in (("paired", _PAIRED), ("unpaired", _UNPAIRED)) if method in methods]
    has_scores = any(comparison["scores"] for comparison in comparisons["comparisons"])
    return [*kinds, *_corrected(comparisons["families"]), *([_SCORES] if has_scores else [])]


def alone_told(comparisons: Mapping[str, Any]) -> list[str]:
    """Models that are not compared, as the other run has none of their name."""
    names = [f"{shown(side['model'])} in {shown(side['run'])}" for side in comparisons["not_compared"]]
    more = f" and {len(names) - _MOST_ALONE} more" if len(names) > _MOST_ALONE else ""
    told = f"not compared, as the other run has no model of this name: {', '.join(names[:_MOST_ALONE])}{more}"
    return [told] if names else []


def _corrected(families: Mapping[str, int]) -> list[str]:
    """Which tests were corrected for standing beside each other."""
    named = ((families["over_all"], "over all"), (families["parts"], "of parts"))
    told = [f"{count:,} tests {what}" for count, what in named if count > 1]
    return [f"Tests that stand beside each other are Holm-corrected: {', '.join(told)}."] if told else []
