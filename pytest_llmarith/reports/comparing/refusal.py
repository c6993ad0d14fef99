"""Why two models are not paired: a line for people, with what to write instead. It does not decide anything."""

from __future__ import annotations

from pytest_llmarith.reports.comparing.asked import Side
from pytest_llmarith.reports.comparing.wording import listed, shown, whose
from pytest_llmarith.reports.keys import USUAL_NAME


def refusal(first: Side, second: Side, paired: int, smaller: int) -> str:
    """So few of the trials of the smaller side have a pair."""
    few = f"only {paired:,} of {smaller:,} trials" if paired else "no two trials"
    begin = f"{_both(first, second)}: {few} asked the same question"
    if not paired and (conditions := _other_conditions(first, second)):
        return f"{begin}, as they were put in other conditions; compare these with --condition={conditions}"
    return f"{begin}{_cause(first, second, paired)}; compare them without pairing with --unpaired"


def refusal_of_same_words(first: Side, second: Side, pairs: int) -> str:
    """The conditions put all questions alike, such as numbers without a comma."""
    return (
        f"{_both(first, second)}: all {pairs:,} pairs were put in the same words, which tells nothing of these "
        "conditions; compare them on problems that they put differently, such as larger numbers"
    )


def refusal_of_other_cells(first: Side, second: Side) -> str:
    """Without pairing only trials of the same variant and depth, or of the same set, are compared."""
    return (
        f"{_both(first, second)}: no variant and depth, and no set of sequences, has an answer in both, so there is "
        "nothing to compare; name runs that asked the same kinds of questions"
    )


def _both(first: Side, second: Side) -> str:
    if first.run == second.run:
        return f"{_whose(first)} and {_whose(second)} in {shown(first.run)}"
    return f"{shown(first.run)} and {shown(second.run)}"


def _whose(side: Side) -> str:
    return whose({"model": side.model, "condition": side.condition})


def _other_conditions(first: Side, second: Side) -> str:
    """How to name the conditions, where it is these that keep the same problems apart."""
    one, other = _conditions(first), _conditions(second)
    if not _share_problems(first, second) or set(one) & set(other):
        return ""
    if len(one) == len(other) == 1:
        return f"{shown(one[0])}:{shown(other[0])}"
    return f"A:B, where A is one of {listed(one)} and B one of {listed(other)}"


def _conditions(side: Side) -> list[str]:
    """None of a side that is cut down to one already."""
    return sorted({trial.condition or USUAL_NAME for trial in side.trials if side.condition is None})


def _cause(first: Side, second: Side, paired: int) -> str:
    one, other = first.seen.get("seed", set()), second.seen.get("seed", set())
    if one and other and not one & other:
        return f", as their seeds differ ({' and '.join(shown(','.join(sorted(seeds))) for seeds in (one, other))})"
    if not paired and _share_problems(first, second):
        return ", as the same problems have other prompts"
    return "" if one or other else ", as no seed is known of them"


def _share_problems(first: Side, second: Side) -> bool:
    return bool({trial.question for trial in first.trials} & {trial.question for trial in second.trials})
