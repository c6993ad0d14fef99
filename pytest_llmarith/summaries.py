"""The summary of a run (`summary.json`), and the JSON Schemas of records and summaries.

The comments of `records` hold here, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import file_digest
from inspect import cleandoc
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from pytest_llmarith import records
from pytest_llmarith.figures.columns import (
    Columns,
    SeriesTable,
    WrittenResult,
    series_of,
)
from pytest_llmarith.figures.contrasts import MEASURES as OF_DIFFERENCES
from pytest_llmarith.figures.contrasts import Compared, compared_in
from pytest_llmarith.figures.count import MEASURES
from pytest_llmarith.figures.estimates import (
    Described,
    Estimate,
    Figure,
    Place,
    Result,
    Value,
)
from pytest_llmarith.records import (
    FORMAT,
    Count,
    Moment,
    Part,
    Positive,
    Record,
    decode,
)
from pytest_llmarith.types import (
    Condition,
    Model,
    Reading,
    RequestLimits,
    RequestTotals,
    StoreMode,
)

# Measures whose values are words, or numbers of any size.
_WITH_TEXT = (
    *("average_absolute_error", "median_relative_error"),
    *("d50_place", "adaptive_d50_place", "adaptive_d50_ended", "number_tokens"),
)


class DifferenceRow(Part):
    """An estimate of a difference: of a place from another one, by the questions that
    both have answered.

    `task`: null for all tasks
    `condition`: its label, empty for the usual one; null for all conditions
    `by`: what the other place differs in
    `at`: the other place
    `low`: the 95 % interval
    `n`: questions, or trials
    `method`: of the interval
    """

    measure: str
    model: str
    task: str | None
    condition: str | None
    by: str
    at: str
    value: Value = None
    low: float | None = None
    high: float | None = None
    n: Count | None = None
    method: str = ""


class ShardFacts(Part):
    """The shard that this run is.

    `dealt`: trials of this shard
    `whole`: trials of all shards
    `selection`: digest of the selection
    """

    index: Positive
    count: Annotated[int, Meta(ge=1, le=10_000)]
    dealt: Count | None
    whole: Count | None
    selection: str | None


class RunTimes(Part):
    """The id, times and end of a run.

    `id`: the name of the run's folder
    `started_at`: null, like all other fields, for a run without a `summary.json`
    `selected`: trials that were to be run
    `stopped`: why the run was stopped
    `partial`: whether it was a --lf run, or was merged from some of its runs only
    `exit_status`: pytest's, or 6 for a run that was stopped; null for a merged one
    """

    id: str
    started_at: Moment | None
    finished_at: Moment | None
    selected: Count | None
    stopped: str | None
    partial: bool
    exit_status: int | None
    shard: ShardFacts | None


class Merged(Part):
    """The runs that were merged into this one.

    `overlapping`: answers that those of a later run replaced
    `left_out`: measures that only their task counts, which was not named
    """

    runs: list[RunTimes]
    overlapping: Count
    left_out: list[str] = []


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
    tasks: dict[str, dict[str, Any]] | None  # what options say of tasks, by their name
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


class LogFacts(Part):
    """The log that a summary was made of: its size in bytes, and its digest."""

    size: Count
    sha256: str

    @classmethod
    def of(cls, log: Path) -> LogFacts:
        with log.open("rb") as file:
            return cls(log.stat().st_size, file_digest(file, "sha256").hexdigest())

    def agree(self, log: Path, summary: Path) -> bool:
        """Whether the log is still the same. One that is older than its summary, as a
        run leaves them, is not read: a gigabyte takes a second.
        """
        now = log.stat()
        if now.st_size != self.size:
            return False
        if now.st_mtime_ns < summary.stat().st_mtime_ns:
            return True
        return LogFacts.of(log) == self


class RunTotals(Part):
    """What is known of a run besides its results.

    `answered`: trials with a reply
    `duplicates`: trials that repeat the question of another one; in no other number
    `complete`: whether all selected trials are answered
    `stored_days`: The first and the last day on which stored replies were asked; null
        if there are none.
    `served_models`: What the provider says it served, by the name of the model, at most
        five names.
    `other_servers`: What the servers of a model say they serve, by model and address,
        if they do not say the same.
    `other_tiers`: The service tiers that were served where another was asked for, by
        model.
    `log`: of the trials that were counted
    """

    format: Literal[1]
    run: Run
    answered: Count
    unanswered: Count
    duplicates: Count
    complete: bool
    stored_days: Annotated[list[str], Meta(min_length=2, max_length=2)] | None = None
    served_changes: list[ServedChange] = []
    served_models: dict[str, list[str]] = {}
    other_servers: dict[str, dict[str, list[str]]] = {}
    other_tiers: dict[str, list[str]] = {}
    log: LogFacts | None = None


class RunSummary(RunTotals, kw_only=True):
    """A run and its results, in memory."""

    results: list[Result]
    # of models to the first one or to --llm-baseline, and of conditions to the first
    differences: list[Compared]

    def contrasts(self, by: str) -> list[Compared]:
        """The differences between models or conditions, or in effort."""
        return [one for one in self.differences if one.by == by]


class SummaryFile(RunTotals, kw_only=True):
    """`summary.json`: a run, and its results as a table of estimates."""

    measures: dict[str, Described]
    series: list[SeriesTable]  # one per model, task and condition
    # of models to the first one or to --llm-baseline, and of conditions to the first
    differences: list[DifferenceRow]

    def __post_init__(self) -> None:
        for series in self.series:
            for columns in series.estimates:
                _check_values(columns, self.measures)


def _check_values(columns: Columns, measures: Mapping[str, Described]) -> None:
    """Raises ValueError for text where a number belongs."""
    key = columns.measure
    has_text = key in _WITH_TEXT
    if key not in MEASURES:
        has_text = key not in measures or measures[key].unit != "%"
    for value in columns.value:
        if isinstance(value, str) and not has_text:
            raise ValueError(f"{key}: {value!r} is no number")


def described(
    keys: Iterable[str], results: Iterable[Result] = ()
) -> dict[str, Described]:
    """What these measures are, as far as they are known, with those of `results`."""
    own: dict[str, Described] = {}
    for result in results:
        own |= result.own
    found = {}
    for key in dict.fromkeys(keys):
        if key in MEASURES:
            one = MEASURES[key]
            found[key] = Described(one.title, one.unit, one.meaning)
        elif key in OF_DIFFERENCES:
            found[key] = Described(*OF_DIFFERENCES[key])
        elif key in own:
            found[key] = own[key]
    return found


def as_file(summary: RunSummary) -> dict[str, Any]:
    """What is written of a run."""
    series = [series_of(result) for result in summary.results]
    used = {columns.measure for one in series for columns in one.estimates}
    keys = [key for key in MEASURES if key in used]
    keys += sorted(used.difference(MEASURES))
    differences = []
    for one in summary.differences:
        for measure, place, figure in one.estimates():
            keys.append(measure)
            row = DifferenceRow(
                measure,
                place.model,
                place.task,
                place.condition,
                figure.by,
                figure.at,
                *figure[:4],
                figure.method,
            )
            differences.append(row)
    totals = {name: getattr(summary, name) for name in RunTotals.__struct_fields__}
    file = SummaryFile(
        **totals,
        measures=described(keys, summary.results),
        series=series,
        differences=differences,
    )
    return records.as_dict(file)


def from_file(written: SummaryFile) -> RunSummary:
    """A run as it was written."""
    totals = {name: getattr(written, name) for name in RunTotals.__struct_fields__}
    own = {key: one for key, one in written.measures.items() if key not in MEASURES}
    results: list[Result] = [WrittenResult(one, own) for one in written.series]
    rows = []
    for row in written.differences:
        place = Place(row.model, row.task, row.condition)
        figure = Figure(row.value, row.low, row.high, row.n, row.by, row.at, row.method)
        rows.append(Estimate(row.measure, place, figure))
    return RunSummary(**totals, results=results, differences=compared_in(rows))


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
    dialect = "https://json-schema.org/draft/2020-12/schema"
    for part in parts.values():
        if "description" in part:
            part["description"] = cleandoc(part["description"])
    own = parts.pop(kind.__name__)
    return {
        "$schema": dialect,
        "$id": f"urn:pytest-llmarith:{name}:{FORMAT}",
        **own,
        "$defs": parts,
    }
