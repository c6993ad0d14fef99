"""What runs have to agree on before they are one, and what is said of them together. It knows no records."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from pytest_llmarith.records import as_dict
from pytest_llmarith.reports.differing import FACTS_OF_ONE_RUN, as_people_name_them
from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.reports.logs.endedrun import Run
from pytest_llmarith.reports.merging.asking import added_up

_LONGEST_VALUE = 60
_MODEL = ("target", "params", "api_base", "system_prompt")
_OEIS = ("limits", "terms", "memory_bytes", "rules", "static_judge", "judge")
_MAKES_SEARCHES = "hypothesis"  # another version may draw other questions, of searches alone


@dataclass(frozen=True, slots=True)
class Difference:
    """A fact that two runs do not share."""

    what: str
    first: Run
    second: Run
    values: tuple[Any, Any]

    def __str__(self) -> str:
        named = as_people_name_them(self.what, *self.values)
        shown = " and ".join(sanitize(json.dumps(value, default=str), _LONGEST_VALUE) for value in named)
        return f"{sanitize(self.what, _LONGEST_VALUE)} ({shown})"


def differences(runs: Sequence[Run]) -> list[Difference]:
    """The facts that decide what a trial measures, wherever two runs have others; each fact once."""
    known: dict[str, tuple[Run, Any]] = {}
    found: dict[str, Difference] = {}
    for run in runs:
        for what, value in _deciding(run):
            first, expected = known.setdefault(what, (run, value))
            if value != expected:
                found.setdefault(what, Difference(what, first, run, (expected, value)))
    return list(found.values())


def _deciding(run: Run) -> Iterator[tuple[str, Any]]:
    facts = as_dict(run.facts)
    for name in ("seed", "symbols", "reading", "conditions", "wordings", "repeats"):
        yield name, facts[name]
    yield "price", facts["limits"] and facts["limits"]["price"]
    for model in facts["models"]:
        for name in _MODEL:
            yield f"{name} of {model['name']}", model[name]
    if run.has_programs:
        for name in _OEIS:
            yield f"oeis.{name}", facts["oeis"] and facts["oeis"][name]
    if run.has_searches:
        yield "search.budget", facts["search"] and facts["search"]["budget"]
    for name, version in facts["versions"].items():
        if name != _MAKES_SEARCHES or run.has_searches:
            yield f"version of {name}", version
    if shard := run.facts.shard:
        yield "number of shards", shard.count
        if shard.selection:  # a run that ended early may not know it
            yield "selection of the shards", shard.selection


def common_facts(runs: Sequence[Run]) -> dict[str, Any]:
    """The facts that all runs share, null where they do not; models and what was asked are those of all."""
    facts = [as_dict(run.facts) for run in runs]
    programs, searches = (
        [one for run, one in zip(runs, facts, strict=True) if concerned(run)] or facts
        for concerned in (attrgetter("has_programs"), attrgetter("has_searches"))
    )
    together = {name: _common([one[name] for one in facts]) for name in facts[0] if name not in FACTS_OF_ONE_RUN}
    return together | {
        "oeis": _common([one["oeis"] for one in programs]),
        "search": _common([one["search"] for one in searches]),
        "versions": _versions(runs),
        "models": _models(facts),
        "limits": facts[0]["limits"] if all(one["limits"] == facts[0]["limits"] for one in facts) else None,
        "asking": added_up([run.facts.asking for run in runs]),
    }


def _versions(runs: Sequence[Run]) -> dict[str, Any]:
    shared: dict[str, Any] = _common([run.facts.versions for run in runs])
    searched = [run.facts.versions.get(_MAKES_SEARCHES) for run in runs if run.has_searches]
    return shared | ({_MAKES_SEARCHES: _common(searched)} if any(searched) else {})


def _models(facts: Sequence[Mapping[str, Any]]) -> list[Any]:
    """All models, in the order in which runs name them; what two runs say differently of one is null."""
    models: dict[str, list[Any]] = {}
    for model in (model for one in facts for model in one["models"]):
        models.setdefault(model["name"], []).append(model)
    return [_common(described) for described in models.values()]


def _common(values: Sequence[Any]) -> Any:
    first = values[0]
    if all(value == first for value in values):
        return first
    if all(isinstance(value, dict) for value in values):
        names = dict.fromkeys(name for value in values for name in value)
        return {name: _common([value.get(name) for value in values]) for name in names}
    return None
