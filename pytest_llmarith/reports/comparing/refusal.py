"""Why two models are not paired: a line for people, with what to write instead. It does not decide anything."""

from __future__ import annotations

from pytest_llmarith.reports.comparing.asked import Side
from pytest_llmarith.reports.comparing.wording import shown, whose


def refusal(first: Side, second: Side, paired: int, smaller: int) -> str:
    """So few of the trials of the smaller side have a pair."""
    names = f"{shown(first.run)} and {shown(second.run)}"
    if first.run == second.run:
        names = f"{_whose(first)} and {_whose(second)} in {shown(first.run)}"
    few = f"only {paired:,} of {smaller:,} trials" if paired else "no two trials"
    partial = ", or pair these few with --allow-partial" if paired else ""
    return (
        f"{names}: {few} asked the same question{_cause(first, second, paired)}; "
        f"compare them without pairing with --unpaired{partial}"
    )


def _whose(side: Side) -> str:
    return whose({"model": side.model, "condition": side.condition})


def _cause(first: Side, second: Side, paired: int) -> str:
    one, other = first.told["seed"], second.told["seed"]
    if one and other and not one & other:
        return f", as their seeds differ ({' and '.join(shown(','.join(sorted(seeds))) for seeds in (one, other))})"
    if not paired and {trial.question for trial in first.trials} & {trial.question for trial in second.trials}:
        return ", as the same problems have other prompts"
    return "" if one or other else ", as no seed is known of them"
