"""Why runs are not merged, in a line for people per reason: what is wrong with which of them, and what to do about it.

It does not find anything out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.reports.logs.endedrun import Run
from pytest_llmarith.reports.merging.agreement import Difference
from pytest_llmarith.reports.merging.trialindex import Overlap
from pytest_llmarith.reports.merging.wholeness import Lack, MissingShards

_MOST_NAMED = 3
_LONGEST_TRIAL = 160


class Refused(Exception):
    """Runs that are not parts of one; each of `lines` is a reason."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__("; ".join(lines))
        self.lines = lines


def refuse(*reasons: Sequence[str]) -> None:
    """Raises Refused where there is a reason."""
    if lines := [line for some in reasons for line in some]:
        raise Refused(lines)


def of_differences(found: Sequence[Difference]) -> list[str]:
    """The first two runs that differ stand for all."""
    if not found:
        return []
    first, second = found[0].first, found[0].second
    of_both = [str(one) for one in found if (one.first, one.second) == (first, second)]
    more = f" and {len(of_both) - _MOST_NAMED} facts more" if len(of_both) > _MOST_NAMED else ""
    what = f"{', '.join(of_both[:_MOST_NAMED])}{more}"
    return [f"{first.name} and {second.name} differ in {what}; merge what was asked alike, or add --allow-differing"]


def of_missing(missing: MissingShards | None) -> list[str]:
    """Shards that nobody named."""
    if missing is None:
        return []
    return [f"{missing}; name their runs as well, or add --allow-missing"]


def of_lacking(lacking: Mapping[Run, Lack]) -> list[str]:
    """Runs that are not all that they were to be."""
    return [f"{run.name}: {lack.what}; {lack.remedy}, or add --allow-missing" for run, lack in lacking.items()]


def of_overlap(overlap: Overlap | None, trials: int) -> list[str]:
    """Trials with two answers; the first of them stands for all."""
    if overlap is None:
        return []
    trial = sanitize(f"{overlap.trial.nodeid} of {overlap.trial.model}", _LONGEST_TRIAL)
    first, second = overlap.first.name, overlap.second.name
    where = f"twice in {first}" if overlap.first is overlap.second else f"in {first} and in {second}"
    count = "a trial has two answers" if trials == 1 else f"{trials:,} trials have two answers"
    return [f"{count}, {trial} {where}; name one of these runs, or let later ones win with --allow-overlap"]
