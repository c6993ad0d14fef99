"""Effects of conditions on answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from pytest_llmarith.results.compare_rows import (
    answered_pairs,
    correct_for_tests,
    difference_of,
    sides_of,
)
from pytest_llmarith.results.questions import (
    AskedQuestions,
    pair,
    with_other_prompts,
)
from pytest_llmarith.statistics.intervals import in_percent
from pytest_llmarith.statistics.pairs import compare_pairs
from pytest_llmarith.summaries import Effect, SameWords


def effects(results: Iterable[AskedQuestions]) -> tuple[list[Effect], list[SameWords]]:
    """Each condition of a model and task compared with the first one, and how many
    prompts are the same in both.
    """
    families: defaultdict[tuple[str, str], list[AskedQuestions]] = defaultdict(list)
    for each in results:
        families[each.model, each.task].append(each)
    found, alike = [], []
    for (model, task), (beside, *others) in families.items():
        for other in others:
            pairs, _, _ = pair(beside.questions, other.questions, any_prompt=True)
            differing, same = with_other_prompts(answered_pairs(pairs))
            whose = model, task, other.condition, beside.condition
            if same:
                alike.append(SameWords(*whose, problems=len(same)))
            sides = sides_of(differing)
            if not sides:
                continue
            test = compare_pairs(sides)
            found.append(
                Effect(
                    *whose,
                    problems=len(sides),
                    percent=in_percent(test.second),
                    percent_beside=in_percent(test.first),
                    difference=difference_of(test),
                    better=test.better,
                    worse=test.worse,
                    p=test.p,
                    p_holm=test.p,  # until the tests are corrected
                )
            )
    correct_for_tests(found)
    return found, alike
