"""The rows of JSONL, CSV and Parquet files, and of data sets of the Hub.

Numbers of JSON and CSV stay the text that was written, so that no digit is lost.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from pytest_llmarith.installation import install_command, install_extra
from pytest_llmarith.safe_text import sanitize, text_of_error
from pytest_llmarith.tasks.task import UnusableInput, short_repr

HUB = "hub:"
_LONGEST_MESSAGE = 500


class DataRow(NamedTuple):
    """A row: its place, such as `line 3`, and its values by field."""

    place: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RowSource:
    """Where rows are: a file, or `hub:` and the name of a data set with its `config`,
    `split` and `revision`.
    """

    path: str
    config: str | None
    split: str
    revision: str | None

    def rows(self) -> Iterator[DataRow]:
        """All rows. Raises UnusableInput."""
        if self.path.startswith(HUB):
            yield from self._of_hub()
            return
        file = Path(self.path)
        read = _READERS.get(file.suffix.lower())
        if read is None:
            raise self.refusal(
                f"its name ends in none of {', '.join(_READERS)}; for a data set of "
                f"the Hub write hub:NAME"
            )
        try:
            yield from read(self, file)
        except (OSError, UnicodeDecodeError) as error:
            raise self.refusal(f"cannot be read ({text_of_error(error)})") from None

    def refusal(self, why: str, place: str | None = None) -> UnusableInput:
        """The error that a row, or all of it, cannot be used."""
        where = self.path if place is None else f"{self.path}, {place}"
        return UnusableInput(sanitize(f"{where}: {why}", _LONGEST_MESSAGE))

    def _of_hub(self) -> Iterator[DataRow]:
        try:
            from datasets import load_dataset
        except ImportError:
            raise self.refusal(
                f"needs the package datasets; run {install_command('datasets')}"
            ) from None
        name = self.path.removeprefix(HUB)
        try:
            data_set = load_dataset(
                name, self.config, split=self.split, revision=self.revision
            )
        except Exception as error:
            raise self.refusal(f"cannot be loaded ({text_of_error(error)})") from None
        for number, values in enumerate(data_set):
            yield DataRow(f"row {number}", values)


# --- formats --------------------------------------------------------------------------


def _of_jsonl(source: RowSource, file: Path) -> Iterator[DataRow]:
    with file.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, 1):
            place = f"line {number}"
            if not line.strip():
                continue
            try:
                values = json.loads(
                    line, parse_int=str, parse_float=str, parse_constant=str
                )
            except (ValueError, RecursionError) as error:
                raise source.refusal(f"is no JSON ({error})", place) from None
            if not isinstance(values, dict):
                raise source.refusal(
                    f"is {short_repr(values)}; write an object with fields", place
                )
            yield DataRow(place, values)


def _of_csv(source: RowSource, file: Path) -> Iterator[DataRow]:
    with file.open(encoding="utf-8-sig", newline="") as lines:
        reader = csv.DictReader(lines, strict=True)
        place = "line 1"
        try:
            for values in reader:
                place = f"line {reader.line_num}"
                if None in values:
                    raise source.refusal("has more values than line 1 names", place)
                yield DataRow(place, values)
        except csv.Error as error:
            raise source.refusal(f"is no CSV ({error})", f"after {place}") from None


def _of_parquet(source: RowSource, file: Path) -> Iterator[DataRow]:
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise source.refusal(f"needs pyarrow; run {install_extra('pandas')}") from None
    try:
        with ParquetFile(file) as opened:
            lists = (one.to_pylist() for one in opened.iter_batches())
            for number, values in enumerate(chain.from_iterable(lists)):
                yield DataRow(f"row {number}", values)
    except ArrowException as error:
        raise source.refusal(f"is no Parquet ({text_of_error(error)})") from None


_READERS: Mapping[str, Callable[[RowSource, Path], Iterator[DataRow]]] = {
    ".jsonl": _of_jsonl,
    ".csv": _of_csv,
    ".parquet": _of_parquet,
}


def text_of_value(value: Any) -> str:
    """A value as text: numbers with all digits, lists and objects as JSON.

    Raises ValueError or TypeError if it has none.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, Decimal):
        return str(value)
    # Integers above are no longer exact.
    if isinstance(value, float) and abs(value) >= 2**53:
        raise ValueError(f"{value!r}, a binary float of that size; store it as text")
    return json.dumps(value, ensure_ascii=False)
