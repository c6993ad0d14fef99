"""The summary of a run (`summary.json`), and the JSON Schemas of records and summaries.

The comments of `records` hold here, too.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from pytest_llmarith import records
from pytest_llmarith.figures.columns import SeriesTable, WrittenResult, series_of
from pytest_llmarith.figures.count import MEASURES
from pytest_llmarith.figures.estimates import Measure, Result
from pytest_llmarith.records import (
    FORMAT,
    Amount,
    Count,
    Moment,
    Part,
    Percent,
    Points,
    Positive,
    Record,
    Share,
    decode,
)
from pytest_llmarith.types import (
    Condition,
    Model,
    Reading,
    RequestLimits,
    RequestTotals,
    Rules,
    StoreMode,
)


class Difference(Part):
    """Percentage points with their 95 % interval; null if undefined."""

    points: Points
    low: Points | None
    high: Points | None


class SameWords(Part):
    """Problems whose prompt is the same in two conditions; they are excluded from the
    effects.
    """

    model: str
    task: str
    condition: Condition | None
    beside: Condition | None  # the other condition
    problems: Count  # problems with a reply in both


class Effect(SameWords):
    """The effect of a condition: the same problems in two conditions, with different
    prompts.
    """

    percent: Percent
    percent_beside: Percent
    difference: Difference
    better: Count  # problems answered better in this condition
    worse: Count
    # McNemar's exact test; with repeats a t-test of the differences by question
    p: Share
    p_holm: Share  # with Holm's correction for all tests of the run


class ModelDifference(Part):
    """A model compared with the baseline: questions of one task that both have
    answered.
    """

    model: str
    baseline: str
    task: str
    pairs: Count
    percent: Percent  # correct answers to these questions
    percent_baseline: Percent
    # of the percentages of correct answers, positive if the model is better
    difference: Difference
    better: Count  # questions that only the model has right
    worse: Count
    # McNemar's exact test; with repeats a t-test of the differences by question
    p: Share
    p_holm: Share  # with Holm's correction for all of these tests
    # The smallest difference that these pairs show with 80 % power after Holm's
    # correction; null if none.
    shown: Points | None


class ScoringRules(Part):
    """How programs were scored."""

    sets: list[str] | None  # null for the default sets
    limits: list[Amount] | None  # seconds per term
    terms: Count | None  # maximum number of terms run; null for all
    memory_bytes: Count | None
    rules: Rules | None
    static_judge: bool | None
    judge: Model | None


class ShardFacts(Part):
    """The shard that this run is."""

    index: Positive
    count: Annotated[int, Meta(ge=1, le=10_000)]
    dealt: Count | None  # trials of this shard
    whole: Count | None  # trials of all shards
    selection: str | None  # digest of the selection


class RunTimes(Part):
    """The id, times and end of a run."""

    id: str  # the name of the run's folder
    started_at: (
        Moment | None
    )  # null, like all other fields, for a run without a `summary.json`
    finished_at: Moment | None
    selected: Count | None  # trials that were to be run
    stopped: str | None  # why the run was stopped
    partial: bool  # whether it was a --lf run, or was merged from some of its runs only
    exit_status: (
        int | None
    )  # pytest's, or 6 for a run that was stopped; null for a merged one
    shard: ShardFacts | None


class Merged(Part):
    """The runs that were merged into this one."""

    runs: list[RunTimes]
    overlapping: Count  # answers that those of a later run replaced


class Run(RunTimes):
    """The settings and environment of a run, without keys.

    A field of a merged run is null if its runs differ in it.
    """

    seed: int | None
    conditions: list[Condition] | None
    prompt_texts: (
        dict[Literal["templates", "systems"], dict[str, str | None]] | None
    )  # texts by name
    repeats: Count | None
    search: dict[Literal["budget"], Count | None] | None
    baseline: (
        str | None
    )  # the model that the others are compared with; null for the first one
    reading: Reading | None  # set by the run; null if each task chose its own
    store: StoreMode | None
    strict: bool | None
    versions: dict[str, str | None]
    models: list[
        Model
    ]  # with everything that is sent with a prompt; headers are hidden
    asking: RequestTotals | None
    limits: RequestLimits | None
    oeis: ScoringRules | None
    merged: Merged | None
    git: dict[Literal["commit", "dirty"], str | bool | None] | None


class ServedChange(Part):
    """What replies of this run say served them, if stored replies of the same model say
    something else.
    """

    model: str
    field: Literal["served_model", "system_fingerprint"]
    stored: list[str]
    new: list[str]


class RunTotals(Part):
    """What is known of a run besides its results."""

    format: Literal[1]
    run: Run
    answered: Count  # trials with a reply
    unanswered: Count
    duplicates: (
        Count  # trials that repeat the question of another one; in no other number
    )
    complete: bool  # whether all selected trials are answered
    differences: list[
        ModelDifference
    ]  # of each model and task to the first model, or to --llm-baseline
    effects: list[Effect]
    same_words: list[SameWords]
    # The first and the last day on which stored replies were asked; null if there are
    # none.
    stored_days: Annotated[list[str], Meta(min_length=2, max_length=2)] | None = None
    served_changes: list[ServedChange] = []
    # What the provider says it served, by the name of the model, at most five names.
    served_models: dict[str, list[str]] = {}
    # The service tiers that were served where another was asked for, by model.
    other_tiers: dict[str, list[str]] = {}


class RunSummary(RunTotals, kw_only=True):
    """A run and its results, in memory."""

    results: list[Result]


class Described(Part):
    """What a measure is."""

    title: str
    unit: str
    meaning: str


class SummaryFile(RunTotals, kw_only=True):
    """`summary.json`: a run, and its results as a table of estimates."""

    measures: dict[str, Described]
    series: list[SeriesTable]  # one per model, task and condition


def described(one: Measure) -> Described:
    return Described(one.title, one.unit, one.meaning)


def as_file(summary: RunSummary) -> dict[str, Any]:
    """What is written of a run."""
    series = [series_of(result) for result in summary.results]
    used = {columns.measure for one in series for columns in one.estimates}
    measures = {}
    for key, one in MEASURES.items():
        if key in used:
            measures[key] = described(one)
    totals = {name: getattr(summary, name) for name in RunTotals.__struct_fields__}
    return records.as_dict(SummaryFile(**totals, measures=measures, series=series))


def from_file(written: SummaryFile) -> RunSummary:
    """A run as it was written."""
    totals = {name: getattr(written, name) for name in RunTotals.__struct_fields__}
    results: list[Result] = [WrittenResult(one) for one in written.series]
    return RunSummary(**totals, results=results)


# --- JSON -----------------------------------------------------------------------------

KINDS: Mapping[str, type[Part]] = {"record": Record, "summary": SummaryFile}


def decode_summary(text: str | bytes) -> SummaryFile:
    """Decode `summary.json`. Raises ValueError with a one-line message."""
    return decode(text, SummaryFile)


def unknown_run(name: str) -> Run:
    """A run of which only the name is known."""
    unknown: dict[str, Any] = dict.fromkeys(Run.__struct_fields__)
    return Run(**unknown | {"id": name, "partial": False, "versions": {}, "models": []})


def schema_of(name: str) -> dict[str, Any]:
    """The JSON Schema of one of `KINDS`. It allows additional keys."""
    kind = KINDS[name]
    parts = msgspec.json.schema(kind)["$defs"]
    for part, schema in parts.items():
        for owner in getattr(_part_of(part), "__mro__", ()):
            if owner.__module__ not in (__name__, records.__name__):
                continue
            source = inspect.getsource(owner)
            commented = re.findall(r"^    (\w+): .*  # (.+)$", source, re.MULTILINE)
            for field, comment in commented:
                schema["properties"][field]["description"] = comment
    dialect = "https://json-schema.org/draft/2020-12/schema"
    own = parts.pop(kind.__name__)
    return {
        "$schema": dialect,
        "$id": f"urn:pytest-llmarith:{name}:{FORMAT}",
        **own,
        "$defs": parts,
    }


def _part_of(name: str) -> Any:
    return globals().get(name) or getattr(records, name, None)
