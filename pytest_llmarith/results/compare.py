"""Compares runs, models and conditions: by pairs of the same question, or as two groups."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pytest_llmarith.records import Part, Points, Record, Run, as_dict
from pytest_llmarith.results.compare_rows import (
    Cell,
    Row,
    Score,
    correct_for_tests,
    paired_rows,
    paired_scores,
    unpaired_rows,
    unpaired_scores,
)
from pytest_llmarith.results.files import UsageError
from pytest_llmarith.results.keys import USUAL_NAME
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.results.questions import Pair, Question, Questions, pair, with_other_prompts
from pytest_llmarith.results.statistics import Cluster

# Facts of a run that change no answer, such as its time, size and limits.
_NOT_DECIDING = {"id", "started_at", "finished_at", "selected", "stopped", "partial", "exit_status", "shard", "merged"}
_NOT_DECIDING |= {"asking", "limits", "strict", "store", "models"}
_MOST_SEEN = 10
_MOST_NAMED = 5


class Side(Part):
    """One side of a comparison."""

    run: str
    model: str
    condition: str | None  # the selected one
    simulated: bool
    facts_known: bool  # whether its run has a summary


class Differing(Part):
    """A fact in which the sides differ; null if it is unknown."""

    what: str
    first: Any
    second: Any


class LeftOut(Part, kw_only=True):
    """The trials of a side that are not compared; `others` have no counterpart."""

    answered: int | None = None  # all that are answered; only without pairing
    others: int
    unanswered: int


class Counts(Part, kw_only=True):
    """What is compared, in trials."""

    compared: int | None  # pairs
    repeated: int | None  # pairs whose question is also in another pair
    cells: int | None  # only without pairing
    unanswered: int  # on either side
    at_worst: Points | None  # the difference if unanswered ones are right in the first and wrong in the second
    same_words: int | None  # pairs that are left out because both conditions have the same prompt
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
    tests: int  # number of tests in Holm's correction
    scores: list[Score]


class UnmatchedModel(Part):
    """A model without a counterpart in the other run."""

    run: str
    model: str


class Comparisons(Part):
    """All comparisons of one command."""

    format: Literal[1]
    comparisons: list[Comparison]
    not_compared: list[UnmatchedModel]


@dataclass(slots=True)
class _Model:
    """The questions of one model of a run, in all conditions or in one."""

    run: str
    facts: Run | None
    name: str
    questions: Collection[Question] = ()
    repeated: bool = False
    condition: str | None = None
    simulated: bool = False
    seen: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def __str__(self) -> str:
        return f"{self.name}, {self.condition}" if self.condition else self.name

    @property
    def conditions(self) -> list[str]:
        return sorted({question.condition or USUAL_NAME for question in self.questions})

    def note(self, record: Record) -> None:
        """Collect the facts in a record about how the model was asked and graded."""
        self.simulated = self.simulated or record.simulated
        for name, value in (
            ("served model", record.reply and record.reply.served_model),
            ("graded reading", record.reading),
            ("seed", getattr(record.problem, "seed", None)),
            ("sandbox level", record.oeis and record.oeis.isolation.level),
        ):
            if value is not None and len(self.seen[name]) < _MOST_SEEN:
                self.seen[name].add(str(value))


_Models = Mapping[str, _Model]


def compare(
    baseline: LoadedRun,
    others: Sequence[LoadedRun],
    models: Sequence[str] = (),
    conditions: Sequence[str] = (),
    *,
    unpaired: bool = False,
) -> Comparisons:
    """Compare other runs with the baseline or, if there are none, the baseline with itself.

    `models` and `conditions` select sides, as `A` or `A:B`. With `unpaired`, runs without common questions are
    compared, too. Raises UsageError if runs cannot be compared.
    """
    first = _models_of(baseline)
    comparisons, alone = [], dict[tuple[str, str], None]()
    for other in others or [baseline]:
        second = _models_of(other) if others else first
        chosen = _chosen(first, second, models, within=not others and not conditions)
        comparisons += [_compared(one, another, unpaired) for one, another in _in_conditions(chosen, conditions)]
        if not models and first.keys() & second.keys():
            for side, beside in ((first, second), (second, first)):
                alone |= {(model.run, model.name): None for model in side.values() if model.name not in beside}
    return Comparisons(1, comparisons, [UnmatchedModel(run, model) for run, model in alone])


# --- which models and conditions --------------------------------------------------------------------------------------


def _models_of(run: LoadedRun) -> _Models:
    """The models in the order of the run."""
    systems = ((run.facts and run.facts.prompt_texts) or {}).get("systems", {})
    found: dict[str, _Model] = {}
    questions: defaultdict[str, Questions] = defaultdict(lambda: Questions(systems))
    for record in run.records():
        questions[record.model].add(record)
        found.setdefault(record.model, _Model(str(run.path), run.facts, record.model)).note(record)
    for name, asked in questions.items():
        found[name].questions, found[name].repeated = list(asked), asked.repeated
    rank = {model.name: place for place, model in enumerate(run.facts.models if run.facts else ())}
    return {name: found[name] for name in sorted(found, key=lambda name: (rank.get(name, len(rank)), name))}


def _chosen(first: _Models, second: _Models, wanted: Sequence[str], *, within: bool) -> list[tuple[_Model, _Model]]:
    """The requested models, else those with equal names, else the only two."""
    if wanted:
        names = [_split("--model", text, first, second, within) for text in wanted]
        return [(first[one], second[other]) for one, other in names]
    if within:
        choice = "--model=A:B, where A and B are models of it, or --condition=A:B"
        raise UsageError(f"to compare one run with itself, add {choice}; it has {_listed(first)}")
    if not first or not second:
        raise UsageError("one of the runs has no trials; name another run")
    common = [(first[model], second[model]) for model in first if model in second]
    if common or len(first) == len(second) == 1:
        return common or list(zip(first.values(), second.values(), strict=True))
    why = "the runs have no model of the same name; select models with"
    raise UsageError(f"{why} {_choice('--model', first, second)}")


def _in_conditions(chosen: Iterable[tuple[_Model, _Model]], wanted: Sequence[str]) -> Iterator[tuple[_Model, _Model]]:
    """The models in all conditions, or the first in condition A and the second in condition B."""
    if not wanted:
        yield from chosen
        return
    for text in wanted:
        for first, second in chosen:
            one, other = _split("--condition", text, first.conditions, second.conditions, first is second)
            yield _in_condition(first, one), _in_condition(second, other)


def _in_condition(model: _Model, condition: str) -> _Model:
    label = "" if condition == USUAL_NAME else condition
    questions = [replace(one, condition="") for one in model.questions if one.condition == label]
    return replace(model, questions=questions, condition=condition)


def _split(option: str, text: str, first: Collection[str], second: Collection[str], within: bool) -> tuple[str, str]:
    """The names in `A` or `A:B`, which may contain colons; `within` one run they must differ."""
    parts = text.split(":")
    readings = [(":".join(parts[:place]), ":".join(parts[place:])) for place in range(1, len(parts))]
    found = [(one, other) for one, other in [(text, text), *readings] if one in first and other in second]
    if len(found) != 1:
        cause = "no such name" if not found else f"the colons are ambiguous, with {len(found)} readings"
        raise UsageError(f"{option}={text}: {cause}; write {_choice(option, first, second)}")
    if within and found[0][0] == found[0][1]:
        raise UsageError(f"{option}={text}: only one run is named; name two of its {option[2:]}s: {option}=A:B")
    return found[0]


def _choice(option: str, first: Collection[str], second: Collection[str]) -> str:
    return f"{option}=A:B, where A is one of {_listed(first)} and B one of {_listed(second)}"


def _listed(names: Collection[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return (", ".join(list(names)[:_MOST_NAMED]) or "none") + more


# --- one comparison ---------------------------------------------------------------------------------------------------


def _compared(first: _Model, second: _Model, unpaired: bool) -> Comparison:
    pairs, left, right = pair(first.questions, second.questions, any_prompt=first.condition is not None)
    is_paired = bool(pairs) and 2 * len(pairs) >= min(len(first.questions), len(second.questions))
    if not is_paired and not unpaired:
        raise UsageError(_no_pairs(first, second, len(pairs)))
    if is_paired:
        same: list[Pair] = []
        if first.name == second.name and first.condition != second.condition:
            pairs, same = with_other_prompts(pairs)
        if not pairs:
            raise UsageError(
                f"{_both(first, second)}: all {len(same):,} questions have the same prompt in both conditions; "
                "compare questions whose prompts differ, such as larger numbers"
            )
        counts, rows, scores = _paired(pairs, same, left, right)
    else:
        counts, rows, scores = _unpaired(first, second)
    tests = correct_for_tests(rows)
    one, other = (
        Side(side.run, side.name, side.condition, side.simulated, side.facts is not None) for side in (first, second)
    )
    both_known = one.facts_known and other.facts_known
    facts, beside = (_facts(side, both_known) for side in (first, second))
    differing = [
        Differing(name, facts.get(name), beside.get(name))
        for name in {**facts, **beside}
        if facts.get(name) != beside.get(name)
    ]
    return Comparison(one, other, differing, "paired" if is_paired else "unpaired", counts, rows, tests, scores)


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


def _unpaired(first: _Model, second: _Model) -> _Parts:
    """Compare the cells that both sides answered. If each side has only one condition, conditions are ignored."""
    if first.repeated or second.repeated:
        raise UsageError(
            f"{_both(first, second)}: runs with --llm-repeats can only be compared by pairs of the same question; "
            "name runs that asked the same questions, or runs without repeats"
        )
    sides = [list(first.questions), list(second.questions)]
    if len(first.conditions) == len(second.conditions) == 1:
        sides = [[replace(one, condition="") for one in side] for side in sides]
    cells = [_cells(side, lambda one: one.measured) for side in sides]
    worst = _cells(sides[0], lambda one: one.at_best), _cells(sides[1], lambda one: one.at_worst)
    common, asked = (one.keys() & other.keys() for one, other in (cells, worst))
    if not common:
        raise UsageError(
            f"{_both(first, second)}: no cell (a variant at a depth, or a set of sequences) has answers in both; "
            "name runs that asked the same kinds of questions"
        )
    compared = [[one for cell in common for one, _ in side[cell]] for side in cells]
    answered = [sum(one.answered for one in side) for side in sides]
    left_out = [
        LeftOut(
            answered=answered[side],
            others=answered[side] - sum(one.answered for one in compared[side]),
            unanswered=sum(one.unanswered for one in sides[side]),
        )
        for side in (0, 1)
    ]
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


def _points(rows: Sequence[Row]) -> float | None:
    return rows[0].difference.points if rows[0].difference else None


def _cells(
    questions: Iterable[Question], counted: Callable[[Question], Cluster]
) -> dict[Cell, list[tuple[Question, Cluster]]]:
    found = defaultdict(list)
    for one in questions:
        if (trials := counted(one)).trials:
            found[one.task, one.part, one.depth, one.condition].append((one, trials))
    return found


def _facts(side: _Model, with_run: bool) -> dict[str, Any]:
    """The facts that may change an answer: those in records and, if `with_run`, those in the summary."""
    seen = {name: ", ".join(sorted(values)) for name, values in sorted(side.seen.items())}
    found = {"model": side.name, "condition": side.condition, **seen}
    if not with_run or side.facts is None:
        return found
    run_facts = as_dict(side.facts)
    model = [one for one in run_facts["models"] if one.pop("name") == side.name]
    run = {name: value for name, value in run_facts.items() if name not in _NOT_DECIDING}
    run["conditions"] = " + ".join(one.label or USUAL_NAME for one in side.facts.conditions or ())
    return found | dict(_flat("", model[0] if model else {})) | dict(_flat("", run))


def _flat(prefix: str, facts: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The known facts as name and value; nested names are joined with a point."""
    for name, value in facts.items():
        if isinstance(value, dict):
            yield from _flat(f"{prefix}{name}.", value)
        elif value not in (None, "", []):
            yield f"{prefix}{name}", value


def _both(first: _Model, second: _Model) -> str:
    return f"{first} and {second} in {first.run}" if first.run == second.run else f"{first.run} and {second.run}"


def _no_pairs(first: _Model, second: _Model, pairs: int) -> str:
    """The message for too few pairs: the reason, and the option that helps."""
    smaller = min(len(first.questions), len(second.questions))
    why = f"only {pairs:,} of {smaller:,} questions are the same" if pairs else "no question is the same"
    helps = "add --unpaired to compare them without pairing"
    seeds = [side.seen.get("seed", set()) for side in (first, second)]
    if all(seeds) and not seeds[0] & seeds[1]:
        why += f", as the seeds differ ({' and '.join(','.join(sorted(side)) for side in seeds)})"
    elif {one.problem for one in first.questions} & {one.problem for one in second.questions}:
        why += ", as the same problems have other prompts"
        if not set(first.conditions) & set(second.conditions):
            helps = f"compare them with {_choice('--condition', first.conditions, second.conditions)}"
    return f"{_both(first, second)}: {why}; {helps}"
