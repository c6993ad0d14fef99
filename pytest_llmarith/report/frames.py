"""Trials and estimates with typed columns: a DataFrame of pandas, and a Parquet file.

The columns are those of the CSV. Numbers of questions and answers are text, as they may
have any number of digits.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from pytest_llmarith.installation import install_extra
from pytest_llmarith.records import (
    FORMAT,
    NumberDetails,
    Record,
    RecordedProblem,
    Reply,
    as_text,
    parse_json,
)
from pytest_llmarith.report.export import estimates_of, trial_row
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.results.loaded import files_of, load_all_runs
from pytest_llmarith.results.regrade import RegradedCounts, read_again
from pytest_llmarith.results.run_files import UsageError, name_of, new_file
from pytest_llmarith.safe_text import sanitize, text_of_error
from pytest_llmarith.types import DEFAULT_CONDITION, Outcome

if TYPE_CHECKING:
    import pandas
    import pyarrow

# fmt: off
_COLUMNS = (
    "run", "nodeid", "model", "task", "simulated", "outcome", "reason", "reading",
    "condition", "repeat", "label", "variant", "depth", "trial", "seed", "inputs",
    "expected", "answer", "tolerant", "strict", "score", "scores", "absolute_error",
    "relative_error", "rounded", "error_class", "digit_match", "dlength",
    "leading_digits", "wrong_digits", "prompt_tokens", "completion_tokens",
    "reasoning_tokens", "cost_usd", "latency_s", "served_first_token_s",
    "served_tokens_a_second", "in_flight", "attempts", "stored", "batched",
    "finish_reason", "served_model", "asked_at", "prompt", "text", "reasoning",
)
_NAMES = ("run", "model", "task", "condition", "variant", "by", "at")
_OF_ESTIMATES = (
    "run", "model", "task", "condition", "simulated", "unfinished", "variant", "depth",
    "measure", "by", "at", "value", "text", "low", "high", "n", "method",
)
_TRUTHS = ("simulated", "rounded", "stored", "batched", "unfinished")
_COUNTS = (
    "repeat", "depth", "trial", "dlength", "leading_digits", "prompt_tokens",
    "completion_tokens", "reasoning_tokens", "in_flight", "attempts", "n",
)
_AMOUNTS = (
    "score", "digit_match", "cost_usd", "latency_s", "served_first_token_s",
    "served_tokens_a_second", "value", "low", "high",
)
# fmt: on
_MOMENT = "asked_at"
_NO_TEXTS = {*_TRUTHS, *_COUNTS, *_AMOUNTS, _MOMENT}
# Of a trial, what grading a reply needs and what it makes.
_GRADED = (
    *(
        "outcome",
        "reason",
        "reading",
        "answer",
        "tolerant",
        "strict",
        "score",
        "scores",
    ),
    *NumberDetails.__struct_fields__,
)
_READ = [
    *("task", "label", "variant", "depth", "trial", "inputs", "expected", "text"),
    *("finish_reason", *_GRADED),
]
_LONGEST_CAUSE = 200
_ROWS = 10_000  # that are Python objects at once

Source = str | os.PathLike[str]


def _missing() -> str:
    return f"pandas and pyarrow are not installed; run {install_extra('pandas')}"


def load(
    paths: Source | Iterable[Source], *, estimates: bool = False
) -> pandas.DataFrame:
    """The trials of runs, a row for each: the last one with an answer, else the last;
    or their `estimates`.

    A path is a run's folder, its `trials.jsonl`, JSONL of llm_arithmetic, or a folder
    with some of them. `outcome` is a categorical with the categories `correct`,
    `deviate`, `nan`, `cheat` and `unanswered`: `nan` is a word, not a missing value.
    Numbers of questions and answers are exact text; counts are `Int64`, dollars and
    seconds `float64`, `asked_at` is UTC. Of estimates, `text` is the exact `value`, and
    a word or a number of any size that `value` lacks.

    Raises UsageError if a path has no run, and if the extra [pandas] is not installed.
    """
    try:
        import pandas
        import pyarrow
    except ImportError:
        raise UsageError(_missing()) from None

    named = [paths] if isinstance(paths, str | os.PathLike) else paths
    runs = load_all_runs([Path(path) for path in named], _warn)
    schema = _schema(estimates)
    table = pyarrow.Table.from_batches(_batches(runs, schema, estimates), schema)
    types = {
        pyarrow.int64(): pandas.Int64Dtype(),
        pyarrow.bool_(): pandas.BooleanDtype(),
    }
    frame: pandas.DataFrame = table.to_pandas(types_mapper=types.get)
    if not estimates:
        frame["outcome"] = pandas.Categorical(frame["outcome"], [*map(str, Outcome)])
    return frame


def write_parquet(
    runs: Sequence[LoadedRun], output: Path, *, force: bool, estimates: bool
) -> None:
    """Write the trials of runs, or their estimates, as a Parquet file.

    Raises UsageError if a run cannot be read, if the file cannot be written, and if the
    extra [pandas] is not installed.
    """
    try:
        from pyarrow.parquet import ParquetWriter
    except ImportError:
        raise UsageError(_missing()) from None
    schema = _schema(estimates)
    with (
        new_file("--output", output, files_of(runs), force=force) as file,
        ParquetWriter(file, schema, compression="zstd") as writer,
    ):
        for batch in _batches(runs, schema, estimates):
            writer.write_batch(batch)


def regraded_parquet(
    file: Path, written: BinaryIO, reading: str | None, counts: RegradedCounts
) -> None:
    """Write a Parquet file of trials with the replies to tasks of numbers graded again;
    its other rows and columns stay as they are.

    Raises UsageError.
    """
    try:
        import pyarrow
        from pyarrow.parquet import ParquetFile, ParquetWriter
    except ImportError:
        raise UsageError(_missing()) from None
    own, number = _schema(False), 0
    try:
        with ParquetFile(file) as source:
            schema = source.schema_arrow
            lacks = [name for name in _READ if name not in schema.names]
            if lacks:
                raise ValueError(
                    f"lacks the columns {', '.join(lacks)}; name Parquet of llmarith "
                    f"export, and grade other replies with exactnum.grade"
                )
            schema = pyarrow.schema(
                [own.field(one.name) if one.name in _GRADED else one for one in schema]
            )
            with ParquetWriter(written, schema, compression="zstd") as writer:
                for batch in source.iter_batches(_ROWS):
                    rows = []
                    for row in batch.select(_READ).to_pylist():
                        number += 1
                        rows.append(_graded_again(row, reading, counts))
                    for name in _GRADED:
                        cells = [row[name] for row in rows]
                        column = pyarrow.array(cells, own.field(name).type)
                        place = schema.get_field_index(name)
                        batch = batch.set_column(place, own.field(name), column)
                    writer.write_batch(batch)
    except (ValueError, TypeError) as error:
        row = f", row {number:,}" if number else ""
        why = sanitize(text_of_error(error), _LONGEST_CAUSE)
        raise UsageError(f"{name_of(file)}{row}: {why}") from error


def _graded_again(
    row: dict[str, Any], reading: str | None, counts: RegradedCounts
) -> dict[str, Any]:
    """The columns of a trial's grade; those of the row if its reply is not graded."""
    again = None
    if row["text"] is not None:
        again = read_again(_asked_in(row), reading)
    new = row
    if again is not None:
        new = {**trial_row("", again), "outcome": again.outcome}
    counts.add(
        (str(row["outcome"]), str(new["outcome"])),
        (row["score"], new["score"]),
        new["reason"],
        is_graded=again is not None or row["text"] is None,
    )
    return {
        name: new[name] if name in _NO_TEXTS else _as_utf8(new[name])
        for name in _GRADED
    }


def _asked_in(row: dict[str, Any]) -> Record:
    """The record of a trial before its grade."""
    inputs = parse_json(row["inputs"])
    if not isinstance(inputs, dict):
        raise ValueError("inputs are no JSON object")
    problem = RecordedProblem(
        row["label"],
        None,
        row["variant"],
        row["depth"],
        row["trial"],
        inputs,
        row["expected"],
    )
    reply = Reply(text=row["text"], finish_reason=row["finish_reason"])
    return Record(
        format=FORMAT,
        run=None,
        nodeid=None,
        task=row["task"],
        model="",
        simulated=False,
        problem=problem,
        condition=DEFAULT_CONDITION,
        repeat=0,
        prompt=None,
        retries=[],
        outcome=Outcome.UNANSWERED,
        reason=None,
        reading=row["reading"],
        answer=None,
        answers={},
        grade=None,
        reply=reply,
    )


def _warn(message: str) -> None:
    warnings.warn(message, stacklevel=4)


def _schema(estimates: bool) -> pyarrow.Schema:
    import pyarrow

    columns = _OF_ESTIMATES if estimates else _COLUMNS
    types: dict[str, pyarrow.DataType] = {
        **dict.fromkeys(_TRUTHS, pyarrow.bool_()),
        **dict.fromkeys(_COUNTS, pyarrow.int64()),
        **dict.fromkeys(_AMOUNTS, pyarrow.float64()),
        _MOMENT: pyarrow.timestamp("us", tz="UTC"),
    }
    return pyarrow.schema(
        [(name, types.get(name, pyarrow.string())) for name in columns]
    )


def _batches(
    runs: Sequence[LoadedRun], schema: pyarrow.Schema, estimates: bool
) -> Iterator[pyarrow.RecordBatch]:
    import pyarrow

    rows = _estimates(runs) if estimates else _rows(runs)
    some = list(islice(rows, _ROWS))
    while some:
        yield pyarrow.RecordBatch.from_pylist(some, schema)
        some = list(islice(rows, _ROWS))


def _estimates(runs: Sequence[LoadedRun]) -> Iterator[dict[str, Any]]:
    for row in estimates_of(runs):
        value = row["value"]
        number = value if isinstance(value, int | float) else None
        named = {name: _as_utf8(row[name]) for name in _NAMES}
        yield {**row, **named, "value": number, "text": _as_utf8(value)}


def _rows(runs: Iterable[LoadedRun]) -> Iterator[dict[str, Any]]:
    texts = {*_COLUMNS} - _NO_TEXTS
    for run in runs:
        for record in run.records():
            row = dict(trial_row(run.name, record))
            row["outcome"] = record.outcome
            for name in texts:
                row[name] = _as_utf8(row[name])
            if row[_MOMENT]:
                row[_MOMENT] = _date(str(row[_MOMENT]), run)
            yield row


def _as_utf8(value: object) -> str | None:
    """A value as text; half of a surrogate pair is spelled out, as in the CSV."""
    text = as_text(value)
    return text and text.encode("utf-8", "backslashreplace").decode("utf-8")


def _date(moment: str, run: LoadedRun) -> datetime:
    try:
        return datetime.fromisoformat(moment)
    except ValueError:
        raise UsageError(
            f"{name_of(run.path)}: reply.asked_at is {moment}, which is no date; "
            f"correct it or name another run"
        ) from None
