"""What runs lack to be a whole: shards that nobody named, trials that nobody ran. It does not say that they must."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_llmarith.records import Shard
from pytest_llmarith.reports.keys import Key
from pytest_llmarith.reports.logs.endedrun import Run
from pytest_llmarith.reports.merging.trialindex import TrialIndex

_MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class MissingShards:
    """Shards of a selection that no run is."""

    indices: Sequence[int]
    count: int
    # How many trials they would have; None where no run knows.
    trials: int | None

    def __str__(self) -> str:
        """Such as `shards 3, 4 of 5 are missing`."""
        shards, verb = ("shard", "is") if len(self.indices) == 1 else ("shards", "are")
        named = [*map(str, self.indices[:_MOST_NAMED]), *(["..."] if len(self.indices) > _MOST_NAMED else [])]
        return f"{shards} {', '.join(named)} of {self.count} {verb} missing"


def missing_shards(runs: Iterable[Run]) -> MissingShards | None:
    """The shards that are not there, unless nothing was left for them."""
    shards = {run.facts.shard.index: run.facts.shard for run in runs if run.facts.shard and not run.is_rerun}
    if not shards:
        return None
    count = max(shard.count for shard in shards.values())
    absent = [index for index in range(1, count + 1) if index not in shards]
    trials = _undealt(shards.values())
    return MissingShards(absent, count, trials) if absent and trials != 0 else None


def _undealt(shards: Iterable[Shard]) -> int | None:
    """How many trials of the selection are no shard's of these."""
    shards = list(shards)
    whole = max((shard.whole or 0 for shard in shards), default=0)
    dealt = [shard.dealt for shard in shards]
    if not whole or None in dealt:
        return None
    return max(0, whole - sum(filter(None, dealt)))


@dataclass(frozen=True, slots=True)
class Lack:
    """What a run lacks, and what to do about it."""

    what: str
    remedy: str


def lacking(runs: Iterable[Run], index: TrialIndex) -> dict[Run, Lack]:
    """The runs that are not all that they were to be, unless other runs have all their trials."""
    own = index.own()
    return {run: lack for run in runs if (lack := _lack(run, index.recorded[run], own.get(run, 0)))}


def _lack(run: Run, recorded: int, own: int) -> Lack | None:
    if recorded != run.counted:
        held = f"its log holds {recorded:,} records, its summary counts {run.counted:,}"
        return Lack(held, "copy its files again")
    if run.is_rerun and own:
        return Lack(f"{own:,} trials of this --lf run are in no other run", "name the run that it completes")
    if run.unfinished and (own or not recorded):
        there = f"{run.unfinished}, {recorded:,} of {run.expected:,} trials are there"
        return Lack(there, "name the run in which the same command finished it")
    return None


def selected(runs: Iterable[Run], index: TrialIndex, short: Iterable[Run]) -> dict[Key, int]:
    """How many trials of each model and task were to be run, where that is known: those that are there, and those that
    runs had still before them when they ended early.
    """
    counts = Counter(index.trials)
    for run in short:
        for key, result in run.results.items():
            counts[key] += max(
                0, (result.selected or 0) - result.measured - result.outcomes.unanswered - result.duplicates
            )
    unknown = {key for run in runs for key, result in run.results.items() if result.selected is None}
    return {key: count for key, count in counts.items() if key not in unknown}


def selected_in_all(index: TrialIndex, short: Iterable[Run], missing: MissingShards | None) -> int:
    """How many trials were to be run, as far as that is known."""
    not_run = sum(max(0, run.expected - index.recorded[run]) for run in short)
    return len(index) + not_run + ((missing and missing.trials) or 0)
