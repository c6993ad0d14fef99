"""What is said of a comparison in words, the same on a terminal and in markdown.

Everything that comes from a run is harmless and short here. It does not know how lines are laid out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pytest_llmarith.reports.comparing.rows import repeats_questions
from pytest_llmarith.reports.comparing.wording import shown, whose
from pytest_llmarith.reports.differing import as_people_name_them
from pytest_llmarith.reports.figures import NO_INTERVAL, share, signed
from pytest_llmarith.reports.harmless import sanitize

_LONGEST_FACT = 40
_LONGEST_CONDITIONS = 120
_MOST_FACTS = 20
_MOST_ALONE = 10
_PAIRED = (
    "B - A: percentage points, with Newcombe's 95 % interval for pairs. Better, worse: questions that B alone, or A "
    "alone, got right. p: McNemar's exact test."
)
_REPEATED = (
    "B - A: percentage points of pairs. 95 %: where a question has several pairs Student's t over questions, as its "
    "pairs are alike, else Newcombe's interval for pairs. Better, worse: questions that B got right more often, or "
    "less often. p: McNemar's exact test on these."
)
_UNPAIRED = (
    "A, B: trials. A %, B %: means over cells (a variant at a depth, or a set of sequences), each with the same weight "
    "in both. B - A: percentage points after Mantel and Haenszel, with Sato's 95 % interval. p: the "
    "Cochran-Mantel-Haenszel test over cells."
)
_UNPAIRED_REPEATED = (
    "Where a question has several trials they are alike, and count as the number of independent ones that would tell "
    "as much."
)
_CORRECTED = (
    "95 % and p are of each row alone. *: p is below 0.05 also after Holm's correction for all rows of its comparison."
)
_SCORES = "Scores: the mean share of right terms, with a bootstrap 95 % interval over sequences."

Comparison = Mapping[str, Any]


def sides(comparison: Comparison) -> list[str]:
    """Which runs and models these are."""
    return [f"{letter}: {_side(comparison[side])}" for letter, side in (("A", "first"), ("B", "second"))]


def _side(side: Mapping[str, Any]) -> str:
    simulated = " (simulated)" if side["simulated"] else ""
    return f"{shown(side['run'])}, {whose(side)}{simulated}"


def questions(comparison: Comparison) -> str:
    """How many questions are compared, and how many are not."""
    counts = comparison["questions"]
    first, second = counts["first"], counts["second"]
    unanswered = f"unanswered in A {first['unanswered']:,}, in B {second['unanswered']:,}"
    if counts["unanswered"]:
        unanswered += f" (B - A is {signed(counts['at_worst'])} at worst)"
    if comparison["method"] == "unpaired":
        others = f"in A {_left_out(first)}, in B {_left_out(second)}"
        cells = f"{counts['cells']:,} cell{'s' * (counts['cells'] != 1)} answered in both"
        return (
            f"not paired, as A and B did not ask the same questions: {cells}; left out, as the other has no answer in "
            f"their cell: {others}; {unanswered}"
        )
    others = f"without a pair in A {first['others']:,}, in B {second['others']:,}"
    same = f"; {counts['same_words']:,} put in the same words, left out" if counts["same_words"] else ""
    return f"paired: {_compared(comparison)}{same}; {others}; {unanswered}"


def _left_out(side: Mapping[str, int]) -> str:
    return f"{side['others']:,} of {side['answered']:,} ({share(side['others'], side['answered'])} %)"


def _compared(comparison: Comparison) -> str:
    """Pairs of one question are several, and no more questions."""
    pairs, over_all = comparison["questions"]["compared"], comparison["rows"][0]
    if repeats_questions(over_all):
        return f"{pairs:,} pairs of {over_all['questions']['compared']:,} questions"
    return f"{pairs:,} questions"


def differing(comparison: Comparison) -> str:
    """What differed between the runs, as far as they say."""
    facts = [_fact(fact) for fact in comparison["differing"]]
    more = f", and {len(facts) - _MOST_FACTS} facts more" if len(facts) > _MOST_FACTS else ""
    unknown = [letter for letter, side in (("A", "first"), ("B", "second")) if not comparison[side]["facts_known"]]
    silent = f"; {' and '.join(unknown)} say{'s' * (len(unknown) == 1)} nothing of versions and parameters"
    return f"differing: {', '.join(facts[:_MOST_FACTS]) or 'nothing that is known'}{more}{silent if unknown else ''}"


def _fact(fact: Mapping[str, Any]) -> str:
    longest = _LONGEST_CONDITIONS if fact["what"] == "conditions" else _LONGEST_FACT
    first, second = (_value(one, longest) for one in as_people_name_them(fact["what"], fact["first"], fact["second"]))
    return f"{sanitize(fact['what'], _LONGEST_FACT)} ({first} and {second})"


def _value(value: Any, longest: int) -> str:
    if value is None:
        return "none"
    return sanitize(value if isinstance(value, str) else json.dumps(value, default=str), longest)


def legend(comparisons: Mapping[str, Any]) -> list[str]:
    """What the columns are, a sentence or two for each kind of table that there is."""
    shown = comparisons["comparisons"]
    methods = {_method(comparison) for comparison in shown}
    kinds = (
        ("paired" in methods, _PAIRED),
        ("repeated" in methods, _REPEATED),
        (any(method.startswith("unpaired") for method in methods), _UNPAIRED),
        ("unpaired, repeated" in methods, _UNPAIRED_REPEATED),
        (any(_is_of_no_interval(row) for comparison in shown for row in comparison["rows"]), NO_INTERVAL),
    )
    has_scores = any(comparison["scores"] for comparison in shown)
    columns = [text for holds, text in kinds if holds]
    return [*columns, _CORRECTED, *([_SCORES] if has_scores else [])]


def _is_of_no_interval(row: Mapping[str, Any]) -> bool:
    return row["difference"] is not None and row["difference"]["low"] is None


def _method(comparison: Comparison) -> str:
    if not any(map(repeats_questions, comparison["rows"])):
        return str(comparison["method"])
    return "repeated" if comparison["method"] == "paired" else "unpaired, repeated"


def not_compared(comparisons: Mapping[str, Any]) -> list[str]:
    """Models that are not compared, as the other run has none of their name."""
    names = [f"{shown(side['model'])} in {shown(side['run'])}" for side in comparisons["not_compared"]]
    more = f" and {len(names) - _MOST_ALONE} more" if len(names) > _MOST_ALONE else ""
    line = f"not compared, as the other run has no model of this name: {', '.join(names[:_MOST_ALONE])}{more}"
    return [line] if names else []
