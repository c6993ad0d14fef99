"""What is said of a comparison in words, the same on a terminal and in markdown.

Everything that comes from a run is harmless and short here. It does not know how lines are laid out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pytest_llmarith.reports.comparing.wording import shown, whose
from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.reports.keys import conditions_beside

_LONGEST_FACT = 40
_LONGEST_CONDITIONS = 120
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


def sides_told(comparison: Comparison) -> list[str]:
    """Which runs and models these are."""
    return [f"{letter}: {_side(comparison[side])}" for letter, side in (("A", "first"), ("B", "second"))]


def _side(side: Mapping[str, Any]) -> str:
    simulated = " (simulated)" if side["simulated"] else ""
    return f"{shown(side['run'])}, {whose(side)}{simulated}"


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
    if fact["what"] == "conditions":
        first, second = _conditions(fact["first"], fact["second"]), _conditions(fact["second"], fact["first"])
    return f"{sanitize(fact['what'], _LONGEST_FACT)} ({first} and {second})"


def _value(value: Any, longest: int = _LONGEST_FACT) -> str:
    if value is None:
        return "none"
    return sanitize(value if isinstance(value, str) else json.dumps(value, default=str), longest)


def _conditions(conditions: Any, others: Any) -> str:
    """By their names: what they are in JSON is alike for too long to be told apart here."""
    return _value(conditions_beside(conditions, others), _LONGEST_CONDITIONS)


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
