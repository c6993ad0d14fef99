"""The sides of comparisons: models of runs, in all conditions or in one, and which of
them a user selects.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from pytest_llmarith.figures.estimates import Trial
from pytest_llmarith.figures.searches import Threshold, threshold_of
from pytest_llmarith.records import Record, SearchDetails
from pytest_llmarith.results.keys import USUAL_NAME, label_of
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.results.questions import CountedQuestion, Questions
from pytest_llmarith.results.run_files import UsageError, listed

_Found = TypeVar("_Found")


@dataclass(slots=True)
class ModelOfRun:
    """The questions of one model of a run, in all conditions or in one."""

    run: str
    name: str
    questions: Collection[CountedQuestion] = ()
    repeated: bool = False
    condition: str | None = None
    simulated: bool = False
    # facts in its records
    seen: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    # by condition and search
    searches: dict[tuple[str, str], str] = field(default_factory=dict)
    # by condition and variant
    thresholds: dict[tuple[str, str], Threshold] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)  # of variants in the task

    def __str__(self) -> str:
        if self.condition:
            return f"{self.name}, {self.condition}"
        return self.name

    @property
    def conditions(self) -> list[str]:
        names = set()
        for question in self.questions:
            names.add(question.condition or USUAL_NAME)
        for label, _ in [*self.searches, *self.thresholds]:
            names.add(label or USUAL_NAME)
        return sorted(names)

    def note(self, trial: Trial) -> None:
        """Collect the facts in a record about how the model was asked and graded."""
        record = trial.record
        self.simulated = self.simulated or record.simulated
        if trial.search is not None:
            self._note_search(record, trial.search)
        reply = record.reply
        # They are shown in this order.
        if reply and reply.served_model is not None:
            self.seen["served model"].add(reply.served_model)
        if reply and reply.system_fingerprint is not None:
            self.seen["configuration"].add(reply.system_fingerprint)
        if reply and reply.sent:
            params = {**reply.sent.params}
            seed = params.get("seed")
            if type(seed) is int and seed >= record.repeat:
                params["seed"] = seed - record.repeat  # that of the first repeat
            self.seen["parameters"].add(
                ", ".join(f"{name}={one}" for name, one in sorted(params.items()))
            )
        if record.reading is not None:
            self.seen["graded reading"].add(str(record.reading))
        if record.problem.seed is not None:
            self.seen["seed"].add(str(record.problem.seed))
        for name, value in trial.of_task.circumstances(trial).items():
            self.seen[name].add(value)

    def _note_search(self, record: Record, search: SearchDetails) -> None:
        label = label_of(record.condition)
        variant = record.problem.variant or record.task
        if search.depths is not None:
            found = threshold_of(record, search)
            if found is not None:
                self.thresholds[label, variant] = found
                self.places[variant] = record.problem.variant_place
            return
        name = variant
        if record.repeat:
            name += f", repeat {record.repeat}"
        wrong = search.minimum.question if search.minimum else None
        self.searches[label, name] = wrong or "nothing found"


Models = Mapping[str, ModelOfRun]
Sides = tuple[ModelOfRun, ModelOfRun]


def models_of(run: LoadedRun) -> Models:
    """The models in the order of the run."""
    found: dict[str, ModelOfRun] = {}
    questions: dict[str, Questions] = {}
    # Another run may have another text under the same name.
    systems = run.systems or {}
    for record in run.records():
        name = record.model
        if name not in found:
            found[name] = ModelOfRun(str(run.path), name)
            questions[name] = Questions(systems)
        trial = Trial(record)
        found[name].note(trial)
        questions[name].add(trial)
    for name, asked in questions.items():
        found[name].questions = list(asked)
        found[name].repeated = asked.repeated
    known = run.facts.models if run.facts else ()
    for model in known:
        if model.file and model.name in found:
            for name in ("weights", "build"):
                value = getattr(model.file, name)
                if value is not None:
                    found[model.name].seen[name].add(value)
    order = [model.name for model in known]
    order += sorted(found)
    return {name: found[name] for name in order if name in found}


def chosen_sides(
    first: Models, second: Models, wanted: Sequence[str], *, within: bool
) -> list[Sides]:
    """The requested models, else those with equal names, else the only two."""
    if wanted:
        chosen = []
        for text in wanted:
            one, other = _split("--model", text, first, second, within)
            chosen.append((first[one], second[other]))
        return chosen
    if within:
        choice = "--model=A:B, where A and B are models of it, or --condition=A:B"
        raise UsageError(
            f"to compare one run with itself, add {choice}; it has {listed(first)}"
        )
    if not first or not second:
        raise UsageError("one of the runs has no trials; name another run")
    common = [(first[model], second[model]) for model in first if model in second]
    if common:
        return common
    if len(first) == len(second) == 1:
        [only_first], [only_second] = first.values(), second.values()
        return [(only_first, only_second)]
    why = "the runs have no model of the same name; select models with"
    raise UsageError(f"{why} {how_to_choose('--model', first, second)}")


def in_conditions(chosen: Iterable[Sides], wanted: Sequence[str]) -> Iterator[Sides]:
    """The models in all conditions, or the first in condition A and the second in
    condition B.
    """
    if not wanted:
        yield from chosen
    for text in wanted:
        for first, second in chosen:
            is_one_side = first is second
            one, other = _split(
                "--condition", text, first.conditions, second.conditions, is_one_side
            )
            yield _in_condition(first, one), _in_condition(second, other)


def _in_condition(model: ModelOfRun, condition: str) -> ModelOfRun:
    """The part of a model in one condition, without the label of the condition."""
    label = "" if condition == USUAL_NAME else condition
    questions = []
    for question in model.questions:
        if question.condition == label:
            questions.append(replace(question, condition=""))
    return replace(
        model,
        questions=questions,
        searches=_of_label(label, model.searches),
        thresholds=_of_label(label, model.thresholds),
        condition=condition,
    )


def _of_label(
    label: str, found: Mapping[tuple[str, str], _Found]
) -> dict[tuple[str, str], _Found]:
    return {("", name): one for (its, name), one in found.items() if its == label}


def _split(
    option: str,
    text: str,
    first: Collection[str],
    second: Collection[str],
    within: bool,
) -> tuple[str, str]:
    """The names in `A` or `A:B`, which may contain colons; `within` one run they must
    differ.
    """
    readings = [(text, text)]
    parts = text.split(":")
    for place in range(1, len(parts)):
        readings.append((":".join(parts[:place]), ":".join(parts[place:])))
    found = [
        (one, other) for one, other in readings if one in first and other in second
    ]
    if len(found) != 1:
        cause = "no such name"
        if found:
            cause = f"the colons are ambiguous, with {len(found)} readings"
        raise UsageError(
            f"{option}={text}: {cause}; write {how_to_choose(option, first, second)}"
        )
    [(one, other)] = found
    if within and one == other:
        raise UsageError(
            f"{option}={text}: only one run is named; name two of its {option[2:]}s: "
            f"{option}=A:B"
        )
    return one, other


def how_to_choose(option: str, first: Collection[str], second: Collection[str]) -> str:
    return (
        f"{option}=A:B, where A is one of {listed(first)} and B one of {listed(second)}"
    )


def names_of_sides(first: ModelOfRun, second: ModelOfRun) -> str:
    if first.run == second.run:
        return f"{first} and {second} in {first.run}"
    return f"{first.run} and {second.run}"
