"""Comparisons of runs, models and conditions: by pairs of the same question, or as two groups."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol

from pytest_llmarith.records import Part, Points, Record, Run, as_dict
from pytest_llmarith.reports.keys import USUAL_NAME
from pytest_llmarith.reports.mistake import Mistake
from pytest_llmarith.results.compare_rows import (
    Cell,
    Row,
    Score,
    paired_rows,
    paired_scores,
    unpaired_rows,
    unpaired_scores,
)
from pytest_llmarith.results.differences import holm
from pytest_llmarith.results.questions import Pair, Question, Questions, pair, with_other_prompts
from pytest_llmarith.results.statistics import Cluster

# Facts of a run that change no answer: when it was, how large it was, its pace and its limits.
_NOT_DECIDING = {"id", "started_at", "finished_at", "selected", "stopped", "partial", "exit_status", "shard", "merged"}
_NOT_DECIDING |= {"asking", "limits", "strict", "store", "models"}
_MOST_SEEN = 10
_MOST_NAMED = 5


class Side(Part):
    """One of the two that are compared."""

    run: str
    model: str
    condition: str | None  # the one that was asked for
    simulated: bool
    facts_known: bool  # whether its run has a summary


class Differing(Part):
    """A fact in which the two differ; null if it is unknown."""

    what: str
    first: Any
    second: Any


class LeftOut(Part, kw_only=True):
    """The trials of a side that are not compared: `others` have no counterpart."""

    answered: int | None = None  # all that are answered; only without pairing
    others: int
    unanswered: int


class Counts(Part, kw_only=True):
    """What is compared, in trials."""

    compared: int | None  # pairs
    repeated: int | None  # pairs of a question that another pair has
    cells: int | None  # only without pairing
    unanswered: int  # on either side
    at_worst: Points | None  # the difference if these are right in the first and wrong in the second
    same_words: int | None  # pairs that are left out, as both conditions have the same prompt
    first: LeftOut
    second: LeftOut


class Comparison(Part):
    """Two sides."""

    first: Side
    second: Side
    differing: list[Differing]
    method: Literal["paired", "unpaired"]
    questions: Counts
    rows: list[Row]
    tests: int  # that Holm's correction takes together
    scores: list[Score]


class Alone(Part):
    """A model that the other run does not have."""

    run: str
    model: str


class Comparisons(Part):
    """All comparisons of one command."""

    format: Literal[1]
    comparisons: list[Comparison]
    not_compared: list[Alone]


class OpenedRun(Protocol):
    """A run to read: where it is, what its summary says of it, and its records."""

    @property
    def path(self) -> Path: ...
    @property
    def facts(self) -> Run | None: ...
    def records(self) -> Iterable[Record]: ...


@dataclass(slots=True)
class _Model:
    """What a run asked one model, in all conditions or in one."""

    run: str
    facts: Run | None
    name: str
    questions: Collection[Question]
    repeated: bool = False
    condition: str | None = None
    simulated: bool = False
    seen: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    @property
    def conditions(self) -> list[str]:
        return sorted({question.condition or USUAL_NAME for question in self.questions})


_Models = Mapping[str, _Model]
_Chosen = Sequence[tuple[_Model, _Model]]


def compare(
    baseline: OpenedRun,
    others: Sequence[OpenedRun],
    models: Sequence[str] = (),
    conditions: Sequence[str] = (),
    *,
    unpaired: bool = False,
) -> Comparisons:
    """Compare other runs with the baseline, or without others the baseline with itself.

    `models` and `conditions` choose which ones, as `A` or `A:B`. With `unpaired`, runs that have no questions in common
    are compared too. Raises Mistake, with one line, if runs cannot be compared.
    """
    first = _models_of(baseline)
    comparisons, alone = [], dict[tuple[str, str], None]()
    for other in others or [baseline]:
        second = _models_of(other) if others else first
        chosen = _chosen(first, second, models, within=not others, conditions=bool(conditions))
        comparisons += [_compared(one, another, unpaired) for one, another in _in_conditions(chosen, conditions)]
        if not models and first.keys() & second.keys():
            for side, beside in ((first, second), (second, first)):
                alone |= {(model.run, model.name): None for model in side.values() if model.name not in beside}
    return Comparisons(1, comparisons, [Alone(run, model) for run, model in alone])


def _models_of(run: OpenedRun) -> _Models:
    """The models in the order in which the run names them."""
    systems = ((run.facts and run.facts.wordings) or {}).get("systems", {})
    found: dict[str, _Model] = {}
    questions: defaultdict[str, Questions] = defaultdict(lambda: Questions(systems))
    for record in run.records():
        if record.model not in found:
            found[record.model] = _Model(str(run.path), run.facts, record.model, ())
        questions[record.model].add(record)
        _note(found[record.model], record)
    for name, asked in questions.items():
        found[name].questions, found[name].repeated = list(asked), asked.repeated
    rank = {model.name: place for place, model in enumerate(run.facts.models if run.facts else ())}
    return {name: found[name] for name in sorted(found, key=lambda name: (rank.get(name, len(rank)), name))}


def _note(model: _Model, record: Record) -> None:
    """What a record tells of how the model was asked and graded."""
    model.simulated = model.simulated or record.simulated
    for name, value in (
        ("served model", record.reply and record.reply.served_model),
        ("graded reading", record.reading),
        ("seed", getattr(record.problem, "seed", None)),
        ("sandbox level", record.oeis and record.oeis.isolation.level),
    ):
        if value is not None and len(model.seen[name]) < _MOST_SEEN:
            model.seen[name].add(str(value))


def _chosen(first: _Models, second: _Models, wanted: Sequence[str], *, within: bool, conditions: bool) -> _Chosen:
    """The models that are wanted, else those of the same name, else the only two."""
    if wanted:
        chosen = [_named(text, first, second) for text in wanted]
        if not conditions and any(one is other for one, other in chosen):
            raise Mistake("one run is named, so name two models of it: --model=A:B")
        return chosen
    if within and not conditions:
        choice = "--model=A:B, where A and B are models of it, or by --condition=A:B"
        raise Mistake(f"one run is compared with itself by {choice}; it holds {_listed(first)}")
    if not first or not second:
        raise Mistake("there is no trial in one of the runs, so there is nothing to compare; name another run")
    if common := [(first[model], second[model]) for model in first if model in second]:
        return common
    if len(first) == len(second) == 1:
        return list(zip(first.values(), second.values(), strict=True))
    choice = f"--model=A:B, where A is one of {_listed(first)} and B one of {_listed(second)}"
    raise Mistake(f"the runs have no model of the same name; say which to compare with {choice}")


def _named(text: str, first: _Models, second: _Models) -> tuple[_Model, _Model]:
    """The models of `A` or `A:B`; names may contain colons."""
    parts = text.split(":")
    readings = [(":".join(parts[:place]), ":".join(parts[place:])) for place in range(1, len(parts))]
    found = [(first[a], second[b]) for a, b in [(text, text), *readings] if a in first and b in second]
    if len(found) != 1:
        cause = "no such models" if not found else f"the colons of these names can be read in {len(found)} ways"
        choice = f"--model=A:B, where A is one of {_listed(first)} and B one of {_listed(second)}"
        raise Mistake(f"--model={text}: {cause}; write {choice}")
    return found[0]


def _in_conditions(chosen: _Chosen, wanted: Sequence[str]) -> Iterator[tuple[_Model, _Model]]:
    """The models as they are, or the first in condition A and the second in condition B."""
    if not wanted:
        yield from chosen
    for text in wanted:
        one, colon, other = text.partition(":")
        for first, second in chosen:
            if first is second and (not colon or one == other):
                raise Mistake(f"--condition={text}: one run is named, so name two conditions of it: --condition=A:B")
            yield _in_condition(first, one, text), _in_condition(second, other if colon else one, text)


def _in_condition(model: _Model, condition: str, text: str) -> _Model:
    label = "" if condition == USUAL_NAME else condition
    questions = [replace(one, condition="") for one in model.questions if one.condition == label]
    if not questions:
        raise Mistake(
            f"--condition={text}: {model.name} in {model.run} was asked nothing in condition {condition!r}; "
            f"write --condition=A:B, where A and B are of {_listed(model.conditions)}"
        )
    return replace(model, questions=questions, condition=condition)


def _listed(names: Collection[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return (", ".join(list(names)[:_MOST_NAMED]) or "none") + more


def _compared(first: _Model, second: _Model, unpaired: bool) -> Comparison:
    any_prompt = first.condition is not None
    pairs, left, right = pair(first.questions, second.questions, any_prompt=any_prompt)
    is_greater_part = bool(pairs) and 2 * len(pairs) >= min(len(first.questions), len(second.questions))
    if not is_greater_part and not unpaired:
        raise Mistake(_no_pairs(first, second, len(pairs)))
    same: list[Pair] = []
    if is_greater_part and first.name == second.name and first.condition != second.condition:
        pairs, same = with_other_prompts(pairs)
        if not pairs:
            raise Mistake(
                f"{_both(first, second)}: all {len(same):,} questions have the same prompt in both conditions, which "
                "says nothing about them; compare questions whose prompts differ, such as larger numbers"
            )
    parts = _paired(pairs, same, left, right) if is_greater_part else _unpaired(first, second)
    counts, rows, scores = parts
    tested = [row for row in rows if row.p is not None]
    for row, p in zip(tested, holm([row.p or 0.0 for row in tested]), strict=True):
        row.p_holm = p
    one, other = (
        Side(side.run, side.name, side.condition, side.simulated, side.facts is not None) for side in (first, second)
    )
    method: Literal["paired", "unpaired"] = "paired" if is_greater_part else "unpaired"
    return Comparison(one, other, _differing(first, second), method, counts, rows, len(tested), scores)


_Parts = tuple[Counts, list[Row], list[Score]]


def _paired(pairs: Sequence[Pair], same: Sequence[Pair], left: Sequence[Question], right: Sequence[Question]) -> _Parts:
    answered = [(one, other) for one, other in pairs if one.answered and other.answered]
    rows = paired_rows([(one, one.measured, other.measured) for one, other in answered])
    at_worst = paired_rows([(one, one.at_best, other.at_worst) for one, other in pairs])
    counts = Counts(
        compared=sum(min(one.answered, other.answered) for one, other in pairs),
        repeated=sum(min(one.asked, other.asked) for one, other in pairs) - len({one.problem for one, _ in pairs}),
        cells=None,
        unanswered=sum(max(one.unanswered, other.unanswered) for one, other in pairs),
        at_worst=_points(at_worst),
        same_words=sum(min(one.asked, other.asked) for one, other in same),
        first=LeftOut(others=sum(one.asked for one in left), unanswered=sum(one.unanswered for one, _ in pairs)),
        second=LeftOut(others=sum(one.asked for one in right), unanswered=sum(one.unanswered for _, one in pairs)),
    )
    return counts, rows, paired_scores(answered)


def _points(rows: Sequence[Row]) -> float | None:
    return rows[0].difference.points if rows[0].difference else None


def _unpaired(first: _Model, second: _Model) -> _Parts:
    """Compare the cells that both sides answered. If each side has one condition, it is no part of a cell."""
    if first.repeated or second.repeated:
        raise Mistake(
            f"{_both(first, second)}: without pairs of the same question, runs with --llm-repeats are not compared; "
            "name runs that asked the same questions, or runs without repeats"
        )
    sides = [list(first.questions), list(second.questions)]
    if len(first.conditions) == len(second.conditions) == 1:
        sides = [[replace(one, condition="") for one in side] for side in sides]
    cells = [_cells(side, lambda one: one.measured) for side in sides]
    worst = _cells(sides[0], lambda one: one.at_best), _cells(sides[1], lambda one: one.at_worst)
    common, asked = (one.keys() & other.keys() for one, other in (cells, worst))
    if not common:
        raise Mistake(
            f"{_both(first, second)}: no variant and depth, and no set of sequences, has an answer in both, so there "
            "is nothing to compare; name runs that asked the same kinds of questions"
        )
    compared = [[one for cell in common for one, _ in side[cell]] for side in cells]
    left_out = []
    for questions, its in zip(sides, compared, strict=True):
        answered, unanswered = sum(one.answered for one in questions), sum(one.unanswered for one in questions)
        others = answered - sum(one.answered for one in its)
        left_out.append(LeftOut(answered=answered, others=others, unanswered=unanswered))
    counts = Counts(
        compared=None,
        repeated=None,
        cells=len(common),
        unanswered=sum(one.unanswered for side in worst for cell in asked for one, _ in side[cell]),
        at_worst=_points(unpaired_rows(*worst)),
        same_words=None,
        first=left_out[0],
        second=left_out[1],
    )
    return counts, unpaired_rows(*cells), unpaired_scores(*compared)


def _cells(
    questions: Iterable[Question], counted: Callable[[Question], Cluster]
) -> dict[Cell, list[tuple[Question, Cluster]]]:
    found = defaultdict(list)
    for one in questions:
        if (trials := counted(one)).trials:
            found[one.task, one.part, one.depth, one.condition].append((one, trials))
    return found


def _differing(first: _Model, second: _Model) -> list[Differing]:
    """The facts that may change an answer and are not equal. If a summary is missing, only those that records tell."""
    both_known = first.facts is not None and second.facts is not None
    one, other = (_facts(side, both_known) for side in (first, second))
    names = [name for name in {**one, **other} if one.get(name) != other.get(name)]
    return [Differing(name, one.get(name), other.get(name)) for name in names]


def _facts(side: _Model, with_run: bool) -> dict[str, Any]:
    seen = {name: ", ".join(sorted(values)) for name, values in sorted(side.seen.items())}
    found = {"model": side.name, "condition": side.condition, **seen}
    if not with_run or side.facts is None:
        return found
    told = as_dict(side.facts)
    model = [one for one in told["models"] if one.pop("name") == side.name]
    run = {name: value for name, value in told.items() if name not in _NOT_DECIDING}
    run["conditions"] = " + ".join(one.label or USUAL_NAME for one in side.facts.conditions or ())
    return found | dict(_flat("", model[0] if model else {})) | dict(_flat("", run))


def _flat(prefix: str, facts: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The facts that are known; one within an object has the names of both."""
    for name, value in facts.items():
        if isinstance(value, dict):
            yield from _flat(f"{prefix}{name}.", value)
        elif value not in (None, "", []):
            yield f"{prefix}{name}", value


def _both(first: _Model, second: _Model) -> str:
    if first.run != second.run:
        return f"{first.run} and {second.run}"
    names = (", ".join(filter(None, (side.name, side.condition))) for side in (first, second))
    return f"{' and '.join(names)} in {first.run}"


def _no_pairs(first: _Model, second: _Model, pairs: int) -> str:
    """Why there are too few pairs, and the option that helps."""
    smaller = min(len(first.questions), len(second.questions))
    why = f"only {pairs:,} of {smaller:,} questions are the same" if pairs else "no question is the same"
    helps = "compare them without pairing with --unpaired"
    seeds = [side.seen.get("seed", set()) for side in (first, second)]
    if all(seeds) and not seeds[0] & seeds[1]:
        why += f", as the seeds differ ({' and '.join(','.join(sorted(side)) for side in seeds)})"
    elif {one.problem for one in first.questions} & {one.problem for one in second.questions}:
        why += ", as the same problems have other prompts"
        one, other = first.conditions, second.conditions
        if not set(one) & set(other):
            helps = f"compare them with --condition=A:B, where A is one of {_listed(one)} and B one of {_listed(other)}"
    return f"{_both(first, second)}: {why}; {helps}"
