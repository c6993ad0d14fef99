"""What a comparison keeps of a trial: what was asked, and what came of it. A few bytes each, never a reply.

It does not know the other run.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, NamedTuple

from pytest_llmarith.reports.keys import USUAL_NAME, condition_label
from pytest_llmarith.values import Outcome

# What tells trials of one question apart, and what is only said of a question: neither makes it another one.
_NOT_ASKED = frozenset({"seed", "trial", "set", "name", "keywords"})
_NOT_SEARCHED = _NOT_ASKED - {"seed"}  # which leads a search from question to question
_DIGEST_BYTES = 16
# What records tell of how a model was asked and graded, by the names under which it is shown.
_SEEN = {
    "served model": ("reply", "served_model"),
    "graded reading": ("reading",),
    "seed": ("problem", "seed"),
    "sandbox level": ("oeis", "isolation", "level"),
}
_MOST_SEEN = 10

Record = Mapping[str, Any]


class Part(NamedTuple):
    """A part of a task that gets figures of its own: `kind` is `variant` or `set`."""

    task: str
    kind: str
    name: str


class Asked(NamedTuple):
    """One trial. `place` tells it from others that ask the same; `stratum` are those that are as hard as it is.

    `prompt` is None where nobody wrote it down, or where it decides nothing: then it stands as `words`. A system prompt
    that is its condition's is part of it. `scores` are those of a program, by its limits in seconds. `condition` is the
    label of the one in which the question was put.
    """

    question: bytes
    prompt: bytes | None
    place: str
    task: str
    part: Part | None
    stratum: str
    answered: bool
    correct: bool
    scores: tuple[tuple[float, float], ...]
    condition: str = ""
    words: bytes | None = None


@dataclass(slots=True)
class Side:
    """What one model was asked in one run."""

    run: str
    facts: Mapping[str, Any]
    model: str
    trials: list[Asked] = field(default_factory=list)
    simulated: bool = False
    seen: dict[str, set[str]] = field(default_factory=lambda: {name: set() for name in _SEEN})
    condition: str | None = None  # the name of the one that it is cut down to

    def put_in(self, condition: str) -> Side:
        """What the model was asked in one condition, told apart by its problems: prompts of others differ anyway."""
        mine = [
            trial._replace(prompt=None, words=trial.prompt, condition="")
            for trial in self.trials
            if trial.condition == condition
        ]
        return replace(self, trials=mine, condition=condition or USUAL_NAME)

    def take(self, record: Record) -> None:
        """Note one record, and what it tells of the model."""
        self.trials.append(asked(record, self.facts))
        self.simulated = self.simulated or record.get("simulated") is True
        for name, way in _SEEN.items():
            value = _found(record, way)
            if value is not None and len(self.seen[name]) < _MOST_SEEN:
                self.seen[name].add(str(value))


def sides(name: str, facts: Mapping[str, Any], records: Iterable[Record]) -> dict[str, Side]:
    """The models of a run, in the order in which the run names them, with what each was asked."""
    found: dict[str, Side] = {}
    for record in records:
        model = record["model"]
        if model not in found:
            found[model] = Side(name, facts, model)
        found[model].take(record)
    rank = {model: place for place, model in enumerate(_named(facts))}
    return {model: found[model] for model in sorted(found, key=lambda model: (rank.get(model, len(rank)), model))}


def _named(facts: Mapping[str, Any]) -> list[str]:
    models = facts.get("models")
    names = [model.get("name") for model in models if isinstance(model, dict)] if isinstance(models, list) else []
    return [name for name in names if isinstance(name, str)]


def asked(record: Record, facts: Mapping[str, Any]) -> Asked:
    """As much of a record as a comparison needs; `facts` are those of its run."""
    problem, task = record.get("problem") or {}, sys.intern(record["task"])
    condition = condition_label(record)
    place = [*(problem.get(name) for name in ("set", "seed", "trial")), condition, record.get("repeat") or 0]
    not_asked = _NOT_SEARCHED if _is_search(record) else _NOT_ASKED
    return Asked(
        _digest([task, {name: value for name, value in problem.items() if name not in not_asked}]),
        _prompt(record, facts),
        sys.intern(json.dumps(place, default=str)),
        task,
        part := _part(task, problem),
        sys.intern(json.dumps([task, part, problem.get("depth")], default=str)),
        record["outcome"] != Outcome.UNANSWERED,
        record["outcome"] == Outcome.CORRECT,
        _scores(record),
        sys.intern(condition),
    )


def _prompt(record: Record, facts: Mapping[str, Any]) -> bytes | None:
    """What the model was sent. A record names its system prompt by a number that another run gives to another text, so
    that without the text nobody knows what was sent.
    """
    prompt, system = record.get("prompt"), _found(record, ("condition", "system"))
    if _is_search(record):  # its prompt is the question it came to: what came of it, and not what was asked
        prompt = condition_label(record)
    if not isinstance(prompt, str):
        return None
    if system is None:
        return _digest(prompt)
    systems = _found(facts, ("wordings", "systems"))
    known = isinstance(systems, dict) and isinstance(system, str) and system in systems
    return _digest([prompt, systems[system]]) if known else None


def _is_search(record: Record) -> bool:
    return isinstance(record.get("search"), dict)


def _found(record: Any, way: Iterable[str]) -> Any:
    """What stands at the end of some keys, None where one of them is missing."""
    for key in way:
        record = record.get(key) if isinstance(record, dict) else None
    return record


def _digest(value: Any) -> bytes:
    return blake2b(json.dumps(value, sort_keys=True, default=str).encode(), digest_size=_DIGEST_BYTES).digest()


def _part(task: str, problem: Mapping[str, Any]) -> Part | None:
    for kind in ("variant", "set"):
        if isinstance(name := problem.get(kind), str):
            return Part(task, kind, sys.intern(name))
    return None


def _scores(record: Record) -> tuple[tuple[float, float], ...]:
    """The scores that can be averaged; of a trial without an answer there are none."""
    scores = (record.get("oeis") or {}).get("scores")
    if not isinstance(scores, dict) or record["outcome"] == Outcome.UNANSWERED:
        return ()
    known = ((_seconds(limit), score) for limit, score in scores.items() if isinstance(score, int | float))
    return tuple(sorted((seconds, float(score)) for seconds, score in known if seconds is not None))


def _seconds(limit: str) -> float | None:
    try:
        seconds = float(limit)
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) else None
