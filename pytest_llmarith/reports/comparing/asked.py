"""What a comparison keeps of a trial: what was asked, and what came of it. A few bytes each, never a reply.

It does not know the other run.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, NamedTuple

from pytest_llmarith.records import ArithmeticProblem, Problem, Record, Run, SearchProblem, SequenceProblem, as_dict
from pytest_llmarith.reports.keys import USUAL_NAME, label_of
from pytest_llmarith.values import Outcome

# What tells trials of one question apart, and what is only said of a question: neither makes it another one.
_NOT_ASKED = frozenset({"seed", "trial", "set", "name", "keywords"})
_NOT_SEARCHED = _NOT_ASKED - {"seed"}  # which leads a search from question to question
_DIGEST_BYTES = 16
_MOST_SEEN = 10


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
    facts: Run | None
    model: str
    trials: list[Asked] = field(default_factory=list)
    simulated: bool = False
    seen: dict[str, set[str]] = field(default_factory=dict)  # what records tell of how a model was asked and graded
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
        self.simulated = self.simulated or record.simulated
        for name, value in _told(record).items():
            values = self.seen.setdefault(name, set())
            if value is not None and len(values) < _MOST_SEEN:
                values.add(str(value))


def _told(record: Record) -> dict[str, object]:
    """What may make a model answer or be graded otherwise, by the names under which it is shown."""
    return {
        "served model": record.reply and record.reply.served_model,
        "graded reading": record.reading,
        "seed": getattr(record.problem, "seed", None),
        "sandbox level": record.oeis and record.oeis.isolation.level,
    }


def sides(name: str, facts: Run | None, records: Iterable[Record]) -> dict[str, Side]:
    """The models of a run, in the order in which the run names them, with what each was asked."""
    found: dict[str, Side] = {}
    for record in records:
        if record.model not in found:
            found[record.model] = Side(name, facts, record.model)
        found[record.model].take(record)
    rank = {model.name: place for place, model in enumerate(facts.models if facts else ())}
    return {model: found[model] for model in sorted(found, key=lambda model: (rank.get(model, len(rank)), model))}


def asked(record: Record, facts: Run | None) -> Asked:
    """As much of a record as a comparison needs; `facts` are those of its run."""
    problem, task, condition = record.problem, sys.intern(record.task), label_of(record.condition)
    place = [*(getattr(problem, name, None) for name in ("set", "seed", "trial")), condition, record.repeat]
    not_asked = _NOT_SEARCHED if record.search else _NOT_ASKED
    question = {name: value for name, value in as_dict(problem).items() if name not in not_asked}
    part = _part(task, problem)
    return Asked(
        _digest([task, question]),
        _prompt(record, facts),
        sys.intern(json.dumps(place)),
        task,
        part,
        sys.intern(json.dumps([task, part, getattr(problem, "depth", None)])),
        record.outcome is not Outcome.UNANSWERED,
        record.outcome is Outcome.CORRECT,
        _scores(record),
        sys.intern(condition),
    )


def _prompt(record: Record, facts: Run | None) -> bytes | None:
    """What the model was sent. A record names its system prompt by a number that another run gives to another text, so
    that without the text nobody knows what was sent.
    """
    prompt, system = record.prompt, record.condition.system
    if record.search:  # its prompt is the question it came to: what came of it, and not what was asked
        prompt = label_of(record.condition)
    if prompt is None:
        return None
    if system is None:
        return _digest(prompt)
    systems = facts.wordings["systems"] if facts and facts.wordings else {}
    return _digest([prompt, systems[system]]) if system in systems else None


def _digest(value: Any) -> bytes:
    return blake2b(json.dumps(value, sort_keys=True).encode(), digest_size=_DIGEST_BYTES).digest()


def _part(task: str, problem: Problem) -> Part | None:
    if isinstance(problem, ArithmeticProblem | SearchProblem):
        return Part(task, "variant", sys.intern(problem.variant))
    return Part(task, "set", sys.intern(problem.set)) if isinstance(problem, SequenceProblem) else None


def _scores(record: Record) -> tuple[tuple[float, float], ...]:
    """The scores of a program; of a trial without an answer there are none."""
    if record.oeis is None or record.oeis.scores is None or record.outcome is Outcome.UNANSWERED:
        return ()
    return tuple(sorted((float(limit), score) for limit, score in record.oeis.scores.items()))
